"""When the shard of a directory is made, opened, dropped and closed."""

from pathlib import Path
from threading import RLock

from ingest.adapters.qdrant_edge.errors import STORE, gone
from ingest.adapters.qdrant_edge.layout import Layout
from ingest.adapters.qdrant_edge.live import LiveShard, Numbered
from ingest.adapters.qdrant_edge.optimising import Optimiser
from ingest.adapters.qdrant_edge.settings import QdrantEdgeSettings
from ingest.adapters.qdrant_edge.shard import load, make
from ingest.errors import StoreUnavailable
from ingest.failpoints import failpoint


class Opening:
    """Opens on first use, and knows what is open."""

    def __init__(self, directory: Path, dimension: int, settings: QdrantEdgeSettings) -> None:
        self._layout = Layout(directory)
        self._dimension = dimension
        self._settings = settings
        self._lock = RLock()
        self._open: tuple[LiveShard, Optimiser] | None = None
        self._closed = False

    def create(self) -> None:
        """Make the index unless it is there, and open it. Raises ForeignIndex, AlreadyRunning, StoreFull."""
        with self._lock:
            self._closed = False
            if self._open is not None:
                return
            self._layout.claim()
            if self._layout.current() is None:
                self._make()
            self._opened()
            self._layout.sweep(self._layout.current())

    def live(self) -> LiveShard:
        """The shard in use. Raises GenerationGone when none was made."""
        with self._lock:
            return self._opened()[0]

    def need_space(self) -> None:
        """Raises StoreFull when writes would take the last space."""
        self._layout.need(self._settings.reserve_bytes)

    def optimise(self, *, rewrite: bool = False) -> None:
        """See `Optimiser.run`."""
        with self._lock:
            live, optimiser = self._opened()
        optimiser.run(live, rewrite=rewrite)

    def drop(self) -> None:
        """Close, and remove everything that is ours."""
        with self._lock:
            self._shut()
            self._layout.remove()

    def close(self) -> None:
        """Close what is open; only `create` opens it again, not a straggler."""
        with self._lock:
            self._closed = True
            self._shut()

    def _shut(self) -> None:
        if self._open is not None:
            live, optimiser = self._open
            self._open = None
            optimiser.stop()
            live.close()

    def _opened(self) -> tuple[LiveShard, Optimiser]:
        if self._closed:
            raise StoreUnavailable(STORE, str(self._layout.directory), "closed")
        if self._open is None:
            number = self._layout.current()
            if number is None:
                raise gone(self._layout.directory)
            shard = load(self._layout.path(number), self._dimension, self._settings)
            optimiser = Optimiser(self._layout, self._dimension, self._settings)
            self._open = LiveShard(Numbered(number, shard)), optimiser
        return self._open

    def _make(self) -> None:
        self.need_space()
        number = self._layout.unused()
        make(self._layout.path(number), self._dimension, self._settings).close()
        failpoint("edge.made")
        self._layout.point_to(number)
        self._layout.sync()
