"""The files that data sets were made from: those that the script opened, and those in the folders that pipelines name."""

import inspect
import io
import os
import stat
import sys
import time
from functools import partial
from pathlib import Path

from msprec.record.checksums import md5_of
from msprec.runtime.source_locations import short_name

# what data usually come in; a file of another kind counts when a pipeline names it
_SUFFIXES = {
    ".arff",
    ".arrow",
    ".bin",
    ".bmp",
    ".bz2",
    ".csv",
    ".dat",
    ".data",
    ".db",
    ".dcm",
    ".feather",
    ".flac",
    ".gif",
    ".gz",
    ".h5",
    ".hdf5",
    ".jpeg",
    ".jpg",
    ".json",
    ".jsonl",
    ".libsvm",
    ".lmdb",
    ".mat",
    ".mdb",
    ".mindrecord",
    ".mp3",
    ".nii",
    ".npy",
    ".npz",
    ".ogg",
    ".parquet",
    ".pgm",
    ".pickle",
    ".pkl",
    ".png",
    ".ppm",
    ".rec",
    ".sqlite",
    ".tar",
    ".tfrecord",
    ".tgz",
    ".tif",
    ".tiff",
    ".tsv",
    ".txt",
    ".wav",
    ".webp",
    ".xml",
    ".xz",
    ".zip",
}
_PLAIN = ("ubyte", "data_batch_", "test_batch")
_NO_DATA = ("/mindspore/", "/matplotlib/", "/msprec/", "/proc/", "/sys/", "/dev/", "/etc/")
_MOST_FILES = 100_000
# seconds that checksums may take at the end of the run; files beyond are listed with their sizes
HASH_SECONDS = 3.0

#: Modules of Python's own that hold `open` by another name, or in a class.
_HOLDERS = ("builtins", "io", "_io", "bz2", "codecs", "lzma", "pathlib", "tarfile", "tokenize")

_opened = {}
_replaced = []


def _looks_like_data(path: str) -> bool:
    name = os.path.basename(path)
    if any(part in path for part in _NO_DATA) or (
        "-packages" + os.sep in path and os.sep + "datasets" + os.sep not in path
    ):
        return False
    if "." not in name:
        return any(mark in name for mark in _PLAIN) or "cifar" in os.path.dirname(path).lower()
    return os.path.splitext(name)[1].lower() in _SUFFIXES or any(mark in name for mark in _PLAIN)


class _Open:
    """`open`, which notes what it has opened for reading. No function, as one kept in a class would become a method."""

    def __init__(self, original) -> None:
        self._original = original
        for name in ("__name__", "__qualname__", "__module__", "__doc__", "__text_signature__"):
            setattr(self, name, getattr(original, name))
        self.__signature__ = inspect.signature(original)

    def __call__(self, *args, **kwargs):
        try:
            file = self._original(*args, **kwargs)
        except BaseException as error:
            # the traceback that the script would see: without this frame (Python 3.9 and 3.10 show it)
            error.__traceback__ = error.__traceback__.tb_next
            raise
        if _replaced and len(_opened) < _MOST_FILES:
            _note(file, args[1] if len(args) > 1 else kwargs.get("mode", "r"))
        return file

    def __repr__(self) -> str:
        return repr(self._original)

    def __reduce__(self) -> str:
        return "open"


def _note(file, mode: str) -> None:
    try:
        path = file.name if mode in ("r", "rb", "rt", "br") else None
        if isinstance(path, str) and path not in _opened and _looks_like_data(os.path.abspath(path)):
            _opened[path] = os.path.abspath(path)
    except Exception:
        return


def listen(anew: bool = True) -> None:
    """Begins to note what is opened for reading: through `open`, wherever Python's own modules and NumPy hold it. Not ``anew``:
    beside what was noted before."""
    stop_listening()
    if anew:
        _opened.clear()
    original = io.open
    replacement = _Open(original)
    for names, put in _holders():
        for key, value in list(names.items()):
            if value is original:
                put(key, replacement)
                _replaced.append((names, put, key, original, replacement))


def _holders():
    """``(names, put)``: what holds functions by name, and how to put another there."""
    modules = [sys.modules[name] for name in _HOLDERS if name in sys.modules]
    # pathlib in Python 3.10
    for one in (*modules, getattr(sys.modules.get("pathlib"), "_NormalAccessor", None)):
        if one is not None:
            yield vars(one), partial(setattr, one)
    # what numpy.loadtxt opens with, once something has been opened so
    numpy = getattr(sys.modules.get("numpy.lib._datasource"), "_file_openers", None)
    openers = getattr(numpy, "_file_openers", None)
    if isinstance(openers, dict):
        yield openers, openers.__setitem__


def stop_listening() -> None:
    """Ends it; what was noted stays. Where something has replaced `open` since, that stays too."""
    for names, put, key, original, replacement in _replaced:
        if names.get(key) is replacement:
            put(key, original)
    _replaced.clear()


class DataFileObserver:
    """Takes up what was opened for reading since `listen`, and lists the folders and files that the pipelines name."""

    def __init__(self, observer) -> None:
        self.observer, self.known = observer, {}

    def facts(self) -> dict:
        """``data_files.json``; checksums are taken until `HASH_SECONDS` are used up, small files first."""
        stop_listening()
        found = {}
        own = os.path.abspath(self.observer.writer.folder) + os.sep
        for path in list(_opened.values()):
            if not path.startswith(own):
                self._add(found, path, os.path.dirname(path), None, "open")
        for record in self.observer.datasets.records:
            for where in _named_paths(record.pipeline):
                self._add_all(found, where, record.number)
        self._hash(found)
        files = sorted(found.values(), key=lambda entry: entry["path"])
        return {"files": files, "complete": all(entry["md5"] for entry in files), "cut": len(files) >= _MOST_FILES}

    def _add_all(self, found: dict, where: str, number: int) -> None:
        """A file, or all below a folder."""
        if os.path.isfile(where):
            self._add(found, where, os.path.dirname(where), number, "pipeline")
            return
        for folder, names, files in os.walk(where):
            names.sort()
            for name in files:
                if len(found) >= _MOST_FILES:
                    return
                self._add(found, os.path.join(folder, name), where, number, "pipeline")

    def _add(self, found: dict, path: str, root: str, number, via: str) -> None:
        try:
            status = os.stat(path)
        except OSError:
            return
        if not stat.S_ISREG(status.st_mode):
            return
        name = os.path.relpath(path, root).replace(os.sep, "/")
        found[path] = {
            "path": short_name(path),
            "name": name,
            "root": short_name(root),
            "bytes": status.st_size,
            "changed": status.st_mtime_ns,
            "md5": None,
            "dataset": number,
            "via": via,
        }

    def _hash(self, found: dict) -> None:
        begin = time.perf_counter()
        for path, entry in sorted(found.items(), key=lambda item: item[1]["bytes"]):
            key = (path, entry["bytes"], entry.pop("changed"))
            if key not in self.known and time.perf_counter() - begin < HASH_SECONDS:
                left = HASH_SECONDS - (time.perf_counter() - begin)
                self.known[key] = md5_of(Path(path), left)
            entry["md5"] = self.known.get(key)


def _named_paths(pipeline: list) -> list:
    """The folders and files in the arguments of sources."""
    found = []
    for step in pipeline:
        for key in ("dataset_dir", "dataset_files"):
            value = step["args"].get(key)
            listed = value if isinstance(value, list) else [value]
            found += [one for one in listed if isinstance(one, str) and os.path.exists(one)]
    return found
