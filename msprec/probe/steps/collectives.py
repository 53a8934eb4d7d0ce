"""Running a step of a data-parallel training on one rank alone: what would wait for the other ranks, and gradients without it."""

import contextlib
import types
from collections.abc import Iterator
from typing import Optional

from msprec.record.nested import flatten
from msprec.runtime.cells import is_builtin, is_optimizer_class, walk
from msprec.runtime.closure_scan import names_in
from msprec.runtime.environment import parallel_facts
from msprec.runtime.side_effects import user_functions

#: Modes in which a rank holds all weights and layers.
_WHOLE = ("stand_alone", "data_parallel")
#: Modules of MindSpore whose operators and functions wait for other ranks, and names in them that do not.
_MODULES = (
    "mindspore.communication",
    "mindspore.mint.distributed",
    "mindspore.ops.communication",
    "mindspore.ops.operations.comm_ops",
    "mindspore.parallel.distributed",
)
_ASKS = (
    "get_rank",
    "get_group_size",
    "get_world_size",
    "get_local_rank",
    "get_local_rank_size",
    "GlobalComm",
    "ReduceOp",
)
#: What `on_one_rank` answers.
_ANSWERED = ("AllReduce", "DistributedGradReducer")


def waits_for_ranks(roots: list, functions: tuple = ()) -> Optional[str]:
    """What in a step of several ranks waits for the others, such as ``"all_gather in train_step"``; None: nothing that is seen,
    or nothing but what `on_one_rank` answers.

    Args:
        roots: Networks, training cells and optimizers of the step.
        functions: The user's functions that it runs.
    """
    mode = parallel_facts(None)["mode"]
    if mode not in _WHOLE:
        return mode
    cells = {id(cell): cell for root in roots for _, cell in walk(root)}.values()
    found = next(filter(None, map(_held_by, cells)), None)
    return found or next(filter(None, map(_named_in, user_functions(roots, functions))), None)


def _held_by(cell) -> Optional[str]:
    name = type(cell).__name__
    if name == "SyncBatchNorm":
        return name
    if is_optimizer_class(type(cell)):
        return f"the parallel optimizer {name}" if getattr(cell, "use_parallel", False) else None
    if is_builtin(next(base for base in type(cell).__mro__ if "construct" in vars(base))):
        return None  # of MindSpore's training cells a probe runs the network alone
    found = next((value for value in vars(cell).values() if _communicates(value)), None)
    return f"{type(found).__name__} in {name}" if found is not None else None


def _named_in(function) -> Optional[str]:
    target = getattr(function, "__func__", function)
    code, held = getattr(target, "__code__", None), getattr(target, "__globals__", {})
    if code is None:
        return None
    closure = dict(zip(code.co_freevars, target.__closure__ or ()))
    names = sorted({*names_in(code), *closure})
    for name in names:
        value = held.get(name)
        if name in closure:
            with contextlib.suppress(ValueError):  # not assigned yet
                value = closure[name].cell_contents
        if isinstance(value, types.ModuleType):
            inner = (getattr(value, one, None) for one in names)
            value = next((one for one in inner if _communicates(one)), None)
        if _communicates(value):
            return f"{getattr(value, '__name__', type(value).__name__)} in {target.__qualname__}"
    return None


def _communicates(value) -> bool:
    """An operator, or a class or function of these modules, that waits."""
    if isinstance(value, types.ModuleType):
        return False
    named = value if isinstance(value, (type, types.FunctionType)) else type(value)
    return named.__module__.startswith(_MODULES) and named.__name__ not in (*_ASKS, *_ANSWERED)


@contextlib.contextmanager
def on_one_rank() -> Iterator[None]:
    """Inside, `mindspore.ops.AllReduce` and `mindspore.nn.DistributedGradReducer` give, in PyNative mode, what they would if all
    ranks gave what this one gives."""
    from mindspore.nn import DistributedGradReducer
    from mindspore.ops import AllReduce

    construct = DistributedGradReducer.construct
    DistributedGradReducer.construct = _mean_or_sum
    AllReduce.__call__ = _reduced
    try:
        yield
    finally:
        DistributedGradReducer.construct = construct
        del AllReduce.__call__  # its base class has one


def _mean_or_sum(reducer, gradients):
    operators = getattr(reducer, "op_list", None) or [reducer.allreduce]
    whole = [_reduced(operators[0], gradient) for gradient in flatten(gradients)]
    whole = [gradient * float(reducer.degree) for gradient in whole] if reducer.mean else whole
    return tuple(whole) if isinstance(gradients, (tuple, list)) else whole[0]


def _reduced(operator, value):
    from mindspore.communication import get_group_size

    size = get_group_size(operator.group)
    if operator.op == "sum":
        return value * size
    return value**size if operator.op == "prod" else value
