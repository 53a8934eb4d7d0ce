"""Reads a dump, whatever wrote it."""

from pathlib import Path
from typing import Callable, Optional

from msprec.compare.dumps import mindspore_dump, msprec_dump, msprobe_dump, plain_files
from msprec.compare.dumps.dump import Dump
from msprec.compare.errors import CannotRead

#: By what they read, in the order in which they are asked: a `Dump`, or None for a path that is not the reader's.
READERS: dict[str, Callable[[Path], Optional[Dump]]] = {
    "msprec": msprec_dump.read,
    "msprobe": msprobe_dump.read,
    "MindSpore": mindspore_dump.read,
    "files": plain_files.read,
}


def read_dump(path) -> Dump:
    """Lists the tensors of a folder (or an ``.npz`` file).

    Raises:
        CannotRead: There is no tensor in it, or an index in it is damaged.
    """
    path = Path(path)
    if path.is_file() and path.suffix == ".npz":
        return plain_files.read_npz(path)
    if not path.is_dir():
        raise CannotRead(f"{path}: there is no such folder")
    try:
        for read in READERS.values():
            found = read(path)
            if found is not None and found.items:
                return found._replace(items=sorted(found.items, key=lambda item: item.order))
    except OSError as error:
        raise CannotRead(f"{path}: {error.strerror or error}") from None
    raise CannotRead(f"{path}: no tensor in it (.npy, .npz, or a dump of MindSpore, msprobe, ptdbg or msprec)")
