"""Cells of a network: their tree, what depends on the mode, the precision they compute in."""

import inspect
from functools import lru_cache
from typing import Optional

from msprec.runtime.cell_origins import created_place
from msprec.runtime.cells import drop_share, is_builtin, is_dropout_class, walk
from msprec.runtime.source_locations import place_of_class

_NORMS = ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm", "_BatchNorm", "BatchNorm")


@lru_cache(maxsize=1024)
def _reads_training(cls: type) -> bool:
    """A user's own cell whose construct looks at ``self.training``."""
    if is_builtin(cls):
        return False
    try:
        return "self.training" in inspect.getsource(cls.construct)
    except (OSError, TypeError, AttributeError):
        return False


def depends_on_mode(cell) -> bool:
    """Whether training and inference differ for this very cell (not its children)."""
    cls = type(cell)
    names = {base.__name__ for base in cls.__mro__ if is_builtin(base)}
    if is_dropout_class(cls):
        return drop_share(cell) > 0
    if names & set(_NORMS):
        return True
    if names & {"LSTM", "GRU", "RNN", "MultiheadAttention"}:
        return drop_share(cell) > 0
    return _reads_training(cls)


def compute_dtype(cell) -> Optional[str]:
    """The precision set by ``to_float`` or mixed precision for this cell, or None."""
    flags = cell.__dict__
    for flag, name in (("fp16", "float16"), ("bf16", "bfloat16"), ("fp32", "float32")):
        if flags.get(flag) is True:
            return name
    return None


def cell_facts(root) -> list:
    """The entries ``cells`` of ``network.json``."""
    facts = []
    for path, cell in walk(root, optimizers=False):
        cls = type(cell)
        facts.append(
            {
                "path": path,
                "class": cls.__name__,
                "builtin": is_builtin(cls),
                "args": _arguments(cell),
                "compute_dtype": compute_dtype(cell),
                "mode_dependent": depends_on_mode(cell),
                "parameters": [p.name for p in cell._params.values() if p is not None],
                "created": created_place(cell),
            }
        )
    return facts


def _arguments(cell) -> Optional[str]:
    text = getattr(cell, "cell_init_args", None)
    if not is_builtin(type(cell)):
        return None
    try:
        described = cell.extend_repr()
    except Exception:
        described = ""
    return described or (text if isinstance(text, str) else None)


def class_place(cell) -> Optional[dict]:
    return place_of_class(type(cell))
