"""The jars of an OpenSearch node, collected once per user from Maven artifacts into a cache folder."""

import contextlib
import hashlib
import os
import re
import shutil
import tempfile
import time
from pathlib import Path

from deploy.dev.console import progress
from deploy.dev.errors import Missing
from deploy.dev.processes import run
from deploy.dev.requirements import Requirement

SOURCES = Path(__file__).parent / "opensearch"
OLDEST_JAVA = 21
BUILDING = ".building-"
DAY_S = 86_400


def cache_folder() -> Path:
    """Where jars are kept between checkouts."""
    return Path(os.environ.get("LOCKSTEP_CACHE") or Path.home() / ".cache" / "lockstep")


def missing_to_build() -> list[Requirement]:
    """What has to be installed before `jars` and the node can run."""
    missing = []
    if _find_jdk() is None:
        missing.append(
            Requirement(f"a JDK of Java {OLDEST_JAVA} or newer (JAVA_HOME may name one)", "openjdk-21-jdk-headless")
        )
    if not _library().is_dir() and not shutil.which("mvn"):
        missing.append(Requirement("Maven", "maven"))
    return missing


def jars() -> Path:
    """The folder of jars, built on first use.

    A build happens in a folder of its own and is renamed when whole: one that was interrupted is never taken for
    finished, and of two at once the later finds the place taken and takes what is there.
    """
    library = _library()
    if library.is_dir():
        return library
    library.parent.mkdir(parents=True, exist_ok=True)
    _sweep(library.parent)
    building = Path(tempfile.mkdtemp(prefix=BUILDING, dir=library.parent))
    try:
        _build(building)
        with contextlib.suppress(OSError):  # taken: somebody else was first
            building.rename(library)
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return library


def newest_jdk() -> Path:
    """Home of the newest installed JDK that OpenSearch accepts. Raises Missing."""
    home = _find_jdk()
    if home is None:
        raise Missing(f"OpenSearch needs a JDK of Java {OLDEST_JAVA} or newer: install one and set JAVA_HOME to it")
    return home


def _library() -> Path:
    recipe = b"".join(file.read_bytes() for file in sorted(SOURCES.iterdir()) if file.suffix in {".xml", ".java"})
    return cache_folder() / f"opensearch-{hashlib.sha256(recipe).hexdigest()[:12]}"


def _build(folder: Path) -> None:
    progress("opensearch: fetching about 70 MB of jars with Maven (once; up to a minute) ...")
    began = time.monotonic()
    fetch = (
        f"mvn -q -B -Dstyle.color=never -f {SOURCES / 'pom.xml'} dependency:copy-dependencies -DincludeScope=runtime"
    )
    run([*fetch.split(), f"-DoutputDirectory={folder}"])
    jdk = newest_jdk() / "bin"
    classes = folder / "classes"
    release = str(OLDEST_JAVA)
    run(
        [
            str(jdk / "javac"),
            "--release",
            release,
            "-d",
            str(classes),
            "-cp",
            f"{folder}/*",
            str(SOURCES / "DevNode.java"),
        ]
    )
    # A jar, because the archive of loaded classes that speeds up starts refuses folders.
    run([str(jdk / "jar"), "--create", "--file", str(folder / "dev-node.jar"), "-C", str(classes), "."])
    shutil.rmtree(classes)
    progress(f"opensearch: jars ready after {time.monotonic() - began:.0f} s")


def _sweep(folder: Path) -> None:
    """Remove what interrupted builds left behind more than a day ago."""
    for left in folder.glob(f"{BUILDING}*"):
        with contextlib.suppress(FileNotFoundError):
            if time.time() - left.stat().st_mtime > DAY_S:
                shutil.rmtree(left, ignore_errors=True)


def _find_jdk() -> Path | None:
    homes = [Path(os.environ["JAVA_HOME"])] if os.environ.get("JAVA_HOME") else []
    homes += Path("/usr/lib/jvm").glob("*")
    usable = {home: _java_version(home) for home in homes if (home / "bin" / "javac").exists()}
    newest = max(usable, key=lambda home: usable[home], default=None)
    return newest if newest and usable[newest] >= OLDEST_JAVA else None


def _java_version(home: Path) -> int:
    try:
        told = re.search(r'^JAVA_VERSION="(\d+)', (home / "release").read_text(), re.MULTILINE)
    except OSError:
        return 0
    return int(told[1]) if told else 0
