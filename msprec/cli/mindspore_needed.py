"""What commands that run a script need: the script, and a MindSpore that can be imported."""

import importlib.util
import os
import sys
from importlib.machinery import PathFinder
from typing import Optional

from msprec.cli.common import Failure, language


def require_script(script: str) -> None:
    """Fails where there is no such file, or it is a notebook, or no file."""
    if script == "-" or (os.path.exists(script) and not os.path.isfile(script) and not os.path.isdir(script)):
        raise Failure(
            f"{script} is no file: what a script says on standard input or in a pipe cannot be kept for the report; save it first"
        )
    if script.startswith("-"):
        raise Failure(
            f"no such option: {script} (options of msprec stand before the script, those of the script after it)"
        )
    if script.endswith(".ipynb"):
        raise Failure(
            f"{script} is a notebook, which Python does not run as a script: make one of it (jupyter nbconvert --to script "
            f"{script}) and run that, or record in the notebook itself: %load_ext msprec in its first cell and %%msprec above "
            "the cell that trains, or msprec.PrecisionMonitor among the callbacks, or msprec.watch around the loop"
        )
    if not os.path.isfile(script):
        raise Failure(f"no such script: {script}")


def require_mindspore(script: Optional[str] = None) -> None:
    """Fails, with what to install, where MindSpore is neither installed nor beside ``script``. It is not imported."""
    if sys.modules.get("mindspore") is not None or importlib.util.find_spec("mindspore") is not None:
        return
    if script is not None and PathFinder.find_spec("mindspore", [os.path.dirname(os.path.realpath(script))]):
        return
    from msprec import MINDSPORE_MISSING
    from msprec.bilingual import Text

    missing = Text(
        "此命令需要 MindSpore，但当前 Python 没有安装：pip install mindspore 'numpy<2'（Ascend 或 GPU 请安装对应设备的 wheel）",
        MINDSPORE_MISSING,
    )
    raise Failure(missing.render(language(None)))
