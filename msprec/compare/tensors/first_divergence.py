"""The first place, in the order of execution, where two dumps that agree begin to differ."""

import math
from typing import NamedTuple, Optional

from msprec.compare.tensors.compare import ComparedDumps, TensorRow, error_of, is_random

#: Relative error ‖a − b‖ ÷ ‖a‖ up to which tensors agree, by the coarser dtype of the two.
_AGREE = {"float16": 1e-2, "bfloat16": 5e-2}
_AGREE_ELSE = 1e-4
#: An operation is at fault only where its output's error is this many times that of its inputs: rounding adds up.
_GROWTH = 10.0


class OperationCall(NamedTuple):
    """One call of an operation: its rows by what they are."""

    step: int
    op: str
    phase: str
    call: int
    inputs: list
    parameters: list
    outputs: list
    order: tuple


class FirstDivergence(NamedTuple):
    """What was found.

    Attributes:
        kind: "output" (inputs and parameters agree, the output does not), "parameter" (a parameter differs before), "shape",
            "setting" (a scalar input, such as an epsilon, differs: dumps of operators have them as inputs),
            "state" (a statistic after the call), "dropout" (shares dropped differ), "backward" (a gradient that it makes), "data"
            (the first inputs differ), "first" (the first that differs, where nothing tells inputs from outputs), "grows" (no
            operation alone), "missing" (a parameter that one side lacks), "clean".
        call: The operation; None for "clean".
        row: The row that shows it.
        missing: Names of parameters of that operation that one side alone has: ``(side, slot)``.
        random: Operations that draw at random, so that what follows them was not judged.
        judged: How many operations could be judged.
    """

    kind: str
    call: Optional[OperationCall]
    row: Optional[TensorRow]
    missing: tuple = ()
    random: tuple = ()
    judged: int = 0


def find_culprit(found: ComparedDumps, agree: Optional[float] = None) -> FirstDivergence:
    """The first operation whose inputs agree and whose output does not.

    Args:
        found: The two dumps, compared.
        agree: Relative error up to which tensors agree; None: by the dtypes.
    """
    calls = _calls(found.rows)
    missing = _missing(found)
    astray = {(call.step, call.op) for call in calls if call.phase == "forward" and not _agree(call.inputs, agree)}
    random, judged, first_bad, last_step = [], 0, None, None
    for call in calls:
        if random and call.step > last_step:
            break  # the update has carried the chance of the step before into every weight
        last_step = call.step
        # a gradient depends on what came in forward, too
        judgeable = call.phase == "forward" or (call.step, call.op) not in astray
        culprit = _judge(call, agree, random, missing) if judgeable else None
        if culprit is not None:
            return culprit._replace(random=tuple(random), judged=judged)
        bad = next((row for row in call.outputs if not _agrees(row, agree)), None)
        random += [call.op] if any(_drops(row, agree) for row in call.outputs) else []
        judged += bool(call.inputs and call.outputs)
        if bad is not None and first_bad is None and not random:
            first_bad = (call, bad)
    if first_bad is not None:
        call, row = first_bad
        data = _first_inputs_differ(calls, agree)
        return (
            FirstDivergence("data", *data, random=tuple(random), judged=judged)
            if data
            else FirstDivergence("grows", call, row, random=tuple(random), judged=judged)
        )
    return FirstDivergence("clean", None, None, random=tuple(random), judged=judged)


def _calls(rows: list) -> list:
    """Calls in the order in which they gave their outputs, so that what is inside comes before what is around it."""
    calls = {}
    for at, row in enumerate(rows):
        key = (row.a.step, row.a.op, row.a.phase, row.a.call)
        call = calls.setdefault(key, OperationCall(*key, [], [], [], ()))
        kind = {"input": call.inputs, "parameter": call.parameters}.get(row.a.io, call.outputs)
        kind.append(row)
        if kind is call.outputs and not call.order:
            calls[key] = call._replace(order=(at,))
    return sorted((call for call in calls.values() if call.outputs), key=lambda call: call.order)


def _missing(found: ComparedDumps) -> dict:
    """``{(op, step): [(side, slot)]}`` of parameters without a counterpart."""
    lacking = {}
    paired = {(row.a.op, row.a.step): row.b.op for row in found.rows}
    ops_of_b = {op: key for key, op in paired.items()}
    for side, items in (("a", found.paired.only_a), ("b", found.paired.only_b)):
        for item in items:
            if item.io != "parameter" or item.phase != "forward":
                continue
            op = item.op if side == "a" else ops_of_b.get(item.op, (None,))[0]
            if op is not None and (op, side, item.slot) not in {(op, *entry) for entry in lacking.get(op, ())}:
                lacking.setdefault(op, []).append((side, item.slot))
    return lacking


def _judge(call: OperationCall, agree: Optional[float], random: list, missing: dict) -> Optional[FirstDivergence]:
    apart = [row for row in call.inputs if not _agrees(row, agree)]
    settings = apart if all(map(_is_scalar, apart)) and not all(map(_is_scalar, call.inputs)) else []
    if len(apart) > len(settings) or _after(call, random):
        return None
    before = max((error_of(row) for row in call.inputs if row not in settings), default=0.0)
    bad = [row for row in call.outputs if not _agrees(row, agree) and error_of(row) > _GROWTH * before]
    if any(_drops(row, agree) for row in call.outputs):
        return _judge_dropout(call, agree)
    wrong = next((row for row in call.parameters if not _agrees(row, agree)), None)
    if not bad:
        return None
    if settings:
        return FirstDivergence("setting", call, settings[0])
    lacks = tuple(missing.get(call.op, ()))
    if bad[0].verdict == "shape":
        return FirstDivergence("shape", call, bad[0], lacks)
    if lacks:
        return FirstDivergence("missing", call, bad[0], lacks)
    if wrong is not None:
        return FirstDivergence("parameter", call, wrong)
    if not call.inputs:
        return FirstDivergence("first", call, bad[0]) if call.phase == "forward" else None
    kind = "backward" if call.phase == "backward" else "state" if bad[0].a.io == "state" else "output"
    return FirstDivergence(kind, call, bad[0])


def _agree(rows: list, agree: Optional[float]) -> bool:
    return all(_agrees(row, agree) for row in rows)


def _is_scalar(row: TensorRow) -> bool:
    return row.shapes[0] is not None and math.prod(row.shapes[0]) == 1


def _agrees(row: TensorRow, agree: Optional[float]) -> bool:
    if row.verdict == "noise":
        return True
    if agree is None:
        agree = max(_AGREE.get(dtype, _AGREE_ELSE) for dtype in row.dtypes)
        agree = max(agree, 10 * _AGREE_ELSE) if row.ones is not None else agree
    return error_of(row) <= agree


def _drops(row: TensorRow, agree: Optional[float]) -> bool:
    """Whether the row is the output of a dropout that was at work."""
    return row.zeros is not None and is_random(row.a) and not _agrees(row, agree)


def _after(call: OperationCall, random: list) -> bool:
    """Whether the operation holds, or is, one that draws at random: its output is no one's fault."""
    return any(op == call.op or not call.op or op.startswith(f"{call.op}.") for op in random)


def _judge_dropout(call: OperationCall, agree: Optional[float]) -> Optional[FirstDivergence]:
    """A dropout is at fault where the shares that it drops differ beyond chance (five standard errors), or its scale."""
    for row in (row for row in call.outputs if _drops(row, agree)):
        count = math.prod(row.shapes[0])
        x, y = row.zeros
        share = (x + y) / 2
        chance = 5 * math.sqrt(max(2 * share * (1 - share), 1e-9) / max(count, 1)) + 1 / max(count, 1)
        # inputs that agree have their zeros in common
        if abs(x - y) > chance and call.inputs:
            return FirstDivergence("dropout", call, row)
        norms = row.pair.a.norm, row.pair.b.norm
        if all(norms) and abs(math.log(norms[1] / norms[0])) > 0.05 + 10 / math.sqrt(max(count, 1)):
            return FirstDivergence("dropout", call, row)
    return None


def _first_inputs_differ(calls: list, agree: Optional[float]) -> Optional[tuple]:
    """The first call, where it is a leaf and its inputs differ already: what came in was not the same."""
    forward = [call for call in calls if call.phase == "forward" and call.inputs]
    if not forward:
        return None
    row = next((row for row in forward[0].inputs if not _agrees(row, agree)), None)
    return (forward[0], row) if row is not None else None
