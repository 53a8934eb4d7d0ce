"""Reads users' scripts without running them: names, calls, arguments, constants, the order of a training step.

Nothing here imports MindSpore or the user's code. Python's own ``ast`` does the parsing: over the 2 142 files of the
installed mindspore package LibCST's parser takes RATIO_LIBCST times as long as ``ast.parse`` and astroid RATIO_ASTROID
times, and neither follows a value through a user's training step; see ``benchmarks/source.py`` for the figures.
"""

from msprec.source.files import File, Passed, collect
from msprec.source.project import Project
from msprec.source.values import UNKNOWN

__all__ = ["UNKNOWN", "File", "Passed", "Project", "collect"]
