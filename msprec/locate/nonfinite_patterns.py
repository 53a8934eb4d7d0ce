"""Which known pattern made NaN or infinity, from plain numbers. No MindSpore; the words are in the checklists."""

import re
from typing import NamedTuple, Optional

FLOAT16_MAX = 65504.0
_LOGS = ("log", "log2", "log10", "log1p", "xlogy", "logarithm")
_ROOTS = ("sqrt", "rsqrt", "norm", "std", "pow", "hypot", "cdist", "pairwise_distance")
_EXPS = ("exp", "expm1", "sinh", "cosh", "exp2")
_SUMS = (
    "sum",
    "mean",
    "var",
    "std",
    "square",
    "matmul",
    "bmm",
    "MatMult",
    "Mult",
    "pow",
    "Pow",
    "norm",
    "Dense",
    "Conv2d",
    "Conv1d",
    "Conv3d",
    "dot",
    "einsum",
    "Add",
    "cumsum",
    "prod",
)


class OperandValues(NamedTuple):
    """One tensor: numbers over its finite elements; ``zeros``, ``nan``, ``inf``: shares of all elements."""

    dtype: str
    shape: tuple
    min: Optional[float]
    max: Optional[float]
    zeros: float
    nan: float
    inf: float


def pattern_of(phase: str, operator: str, inputs: list, result: Optional[OperandValues]) -> Optional[str]:
    """The name of the pattern that fits, or None.

    Args:
        phase: "data", "forward", "backward" or "update".
        operator: As the trace names it: ``ops.log``, ``Div``, ``Tensor.exp``, ``nn.Dense``.
        inputs: `OperandValues` of the tensors that went in.
        result: `OperandValues` of the result.
    """
    name = operator.rsplit(".", 1)[-1]
    if phase == "data":
        return "data"
    if phase == "update":
        return "update"
    return _backward(name, inputs) if phase == "backward" else _forward(name, inputs, result)


def _forward(name: str, inputs: list, result: Optional[OperandValues]) -> Optional[str]:
    low = min((v.min for v in inputs if v.min is not None), default=None)
    size = max((abs(e) for v in inputs for e in (v.min, v.max) if e is not None), default=0.0)
    half = result is not None and result.dtype == "Float16"
    if name.lower() in _LOGS and low is not None and low <= (-1 if name == "log1p" else 0):
        return "log"
    if name in ("Div", "div", "true_divide", "divide", "reciprocal", "FloorDiv", "Mod") and inputs and inputs[-1].zeros:
        return "division"
    # a whole power of a negative number is none of these, and overflows as any product does
    overflows = name.lower() == "pow" and result is not None and result.inf and not result.nan
    if name.lower() in ("sqrt", "rsqrt", "pow") and low is not None and low < 0 and not overflows:
        return "negative_root"
    if name == "rsqrt" and inputs and inputs[0].zeros:
        return "division"
    if name.lower() in _EXPS:
        return "exp"
    if half and name in ("astype", "to", "cast", "half", "Cast") and size > FLOAT16_MAX:
        return "cast"
    if half and size > FLOAT16_MAX:
        return "cast"
    if half and name in (*_SUMS, "LayerNorm", "BatchNorm2d", "BatchNorm1d", "layer_norm", "Sub", "Div", "div"):
        return "half"
    if any(v.inf for v in inputs) and result is not None and result.nan:
        return "inf_minus_inf"
    if size > 1e15:
        return "blow_up"
    return None


def _backward(name: str, inputs: list) -> Optional[str]:
    at_zero = any(v.zeros for v in inputs)
    if name.lower() in _ROOTS and at_zero:
        return "root_at_zero"
    if name.lower() in _LOGS and at_zero:
        return "log"
    if name in ("Div", "div", "true_divide", "divide", "reciprocal") and at_zero:
        return "division"
    if any(v.dtype == "Float16" for v in inputs):
        return "half_gradient"
    return None


def pattern_of_error(message: str) -> Optional[str]:
    """The pattern of an operator's error message, or None."""
    # what the CPU kernels say of a label or token id beyond the number of classes or rows
    if re.search(r"index.*(must be in|out of range|should be in)|label.*(out of|range)", message, re.IGNORECASE):
        return "index_out_of_range"
    return None
