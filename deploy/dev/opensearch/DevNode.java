import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.opensearch.Version;
import org.opensearch.analysis.common.CommonAnalysisModulePlugin;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;
import org.opensearch.index.reindex.ReindexModulePlugin;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.painless.PainlessModulePlugin;
import org.opensearch.plugins.Plugin;
import org.opensearch.plugins.PluginInfo;
import org.opensearch.transport.Netty4ModulePlugin;

/**
 * One real OpenSearch node inside this process, for development: no security plugin and no bootstrap checks, so it must
 * listen on loopback alone. Arguments are node settings, {@code name=value}; {@code path.home} is required.
 */
public final class DevNode extends Node {
    private static final List<Class<? extends Plugin>> MODULES = List.of(
        Netty4ModulePlugin.class,
        CommonAnalysisModulePlugin.class,
        PainlessModulePlugin.class,
        ReindexModulePlugin.class);

    private DevNode(Environment environment) {
        super(environment, MODULES.stream().map(DevNode::describe).toList(), false);
    }

    /** The distribution reads this from each module's properties file; the Maven artifacts have none. */
    private static PluginInfo describe(Class<? extends Plugin> module) {
        String name = module.getName();
        String java = System.getProperty("java.specification.version");
        return new PluginInfo(name, "on the class path", Version.CURRENT.toString(), Version.CURRENT, java, name, null, List.of(), false);
    }

    private static Environment environment(String[] arguments) {
        Settings.Builder settings = Settings.builder();
        Stream.of(arguments).map(argument -> argument.split("=", 2)).forEach(pair -> settings.put(pair[0], pair[1]));
        Path config = Path.of(settings.get("path.home"), "config");
        return InternalSettingsPreparer.prepareEnvironment(settings.build(), Map.of(), config, () -> "dev");
    }

    private static void close(Node node) {
        try {
            node.close();
        } catch (Exception failure) {
            failure.printStackTrace();
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        try {
            Node node = new DevNode(environment(arguments));
            Runtime.getRuntime().addShutdownHook(new Thread(() -> close(node)));
            node.start();
        } catch (Throwable failure) {
            failure.printStackTrace();
            System.exit(1); // a node that failed half-way leaves threads behind, which would keep the process alive
        }
        new CountDownLatch(1).await(); // until a signal comes
    }
}
