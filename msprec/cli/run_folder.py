"""The folder that a command writes a run into."""

import contextlib
import os
from pathlib import Path
from typing import Callable, Optional

import click

from msprec.cli.common import Failure

#: What `msprec remedy` makes in a folder that is to be its own, before it has the script run into it.
CLAIM_OF_REMEDY = "remedies"
#: Where run folders are made, below the working directory
RUNS = "msprec_runs"


def writable_or_temporary(folder: Path) -> Path:
    """The folder, made; where it cannot be written at all, a temporary one, which is said. A launch of several processes keeps
    the folder that all of them know."""
    import tempfile

    from msprec.runtime.environment import rank

    try:
        folder.mkdir(parents=True, exist_ok=True)
        return folder if rank()[1] > 1 else _taken(folder)
    except OSError as error:
        if rank()[1] > 1:
            return folder
        try:
            other = Path(tempfile.mkdtemp(prefix="msprec-run-"))
        except OSError:
            return folder
        say_safely(f"msprec: {folder} cannot be written ({error.strerror or error}); this run is recorded in {other}")
        return other


def claim_run(folder: Path) -> None:
    """Raises FileExistsError where another process records in the folder."""
    with open(folder / "run.json", "xb") as file:
        file.write(b'{"schema": 1}\n')


def _taken(folder: Path, claim: Callable[[Path], object] = claim_run) -> Path:
    """The folder, with what ``claim`` puts into it, which no other process can have made; where one was faster, one beside it.
    Raises OSError."""
    own, count = folder, 1
    folder.parent.mkdir(parents=True, exist_ok=True)
    while True:
        with contextlib.suppress(FileExistsError):
            own.mkdir(exist_ok=own == folder)
            claim(own)
            if own != folder:
                say_safely(f"msprec: another process records in {folder}; this run is recorded in {own}")
            return own
        count += 1
        own = folder.with_name(f"{folder.name}-{count}")


def own_folder(folder: Path, claim: Callable[[Path], object] = claim_run) -> Path:
    """The folder, made for this process alone, or one beside it. Raises Failure where it cannot be written."""
    try:
        return _taken(folder, claim)
    except OSError as error:
        raise Failure(f"cannot write {folder}: {error.strerror or error}") from None


def forget(folder: Optional[Path], claimed: str = "run.json") -> None:
    """Removes a run folder into which nothing was recorded."""
    if folder is not None:
        with contextlib.suppress(OSError):
            (folder / claimed).unlink()
            folder.rmdir()
            if folder.parent.name == RUNS:  # where nothing else is in it; a folder of the user's stays, empty or not
                folder.parent.rmdir()


def say_safely(text: str) -> None:
    """A line on the standard error stream, which the script may have closed."""
    with contextlib.suppress(Exception):
        click.echo(text, err=True)


def new_run_folder(script: str, out: Optional[str]) -> Path:
    """The run folder: ``--out``, which must not hold anything yet, or a new one below ``msprec_runs``."""
    import time

    from msprec.runtime.environment import rank

    number, size = rank()
    if out is not None:
        folder = Path(out)
        if folder.exists() and not folder.is_dir():
            raise Failure(f"{out} is not a folder")
        # the workers of one launch share the folder, and each has its own part of it
        own = folder if size == 1 else folder / f"rank_{number}"
        if own.is_dir() and any(entry.name != CLAIM_OF_REMEDY or any(entry.iterdir()) for entry in own.iterdir()):
            raise Failure(f"{out} is not empty; name a new folder with --out")
        return folder.absolute()
    # the workers of one launch share a parent process, and so the folder
    mark = time.strftime("%Y%m%d-%H%M%S") if size == 1 else f"ranks-{os.getppid()}"
    base = Path(RUNS).absolute() / f"{Path(script).stem}-{mark}"
    folder, count = base, 1
    while size == 1 and folder.exists():
        count += 1
        folder = base.with_name(f"{base.name}-{count}")
    return folder
