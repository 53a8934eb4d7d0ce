"""The folder that a command writes a run into."""

import os
from pathlib import Path
from typing import Optional

from msprec.cli.common import Failure


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
        if own.is_dir() and any(own.iterdir()):
            raise Failure(f"{out} is not empty; name a new folder with --out")
        return folder.absolute()
    # the workers of one launch share a parent process, and so the folder
    mark = time.strftime("%Y%m%d-%H%M%S") if size == 1 else f"ranks-{os.getppid()}"
    base = Path("msprec_runs").absolute() / f"{Path(script).stem}-{mark}"
    folder, count = base, 1
    while size == 1 and folder.exists():
        count += 1
        folder = base.with_name(f"{base.name}-{count}")
    return folder
