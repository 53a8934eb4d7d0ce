"""Data for evaluation that the code scales by statistics of its own (dp.02)."""

import ast
import re
from typing import NamedTuple, Optional

from msprec.bilingual import Text
from msprec.checklists.common.data.distribution_difference import comparable
from msprec.checklists.common.findings import at, first_place, train_sets
from msprec.checklists.common.script.array_origin import argument_of
from msprec.checklists.common.script.part_names import LABELS, OTHER, TRAINING, part_of
from msprec.engine.finding import Finding, problem, undecided
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import (
    FunctionNode,
    argument_names,
    assignments,
    called_name,
    root_name,
    target_names,
)

_FITS = ("fit", "fit_transform")
_SCALERS = re.compile(r"scal|standard|normali[sz]|minmax", re.IGNORECASE)


class _Fit(NamedTuple):
    """Statistics that the code takes of the array of this name; ``kind``: the scaler's class, where one is made."""

    array: str
    place: Fact
    kind: str = ""


def own_statistics(run_data: RunData) -> Optional[Finding]:
    """A problem where a scaler is fitted to data named for evaluation, another to data named for training, and the network's
    inputs outside training were standardised or brought to 0 to 1, or to -1 to 1; undecided where those were not seen; None
    otherwise.

    A scaler: ``fit`` or ``fit_transform`` of what is named so, or ``(x - x.mean()) / x.std()``, also in a function that is called
    with the data. Data are told by their names, or, where these tell nothing, by whether a scaler is fitted before the training
    or after it, which is why the measured inputs have to agree.
    """
    fits = [one for file in run_data.source.trees for one in _fits(run_data, file)]
    fits += [call for one in fits for call in _calls_around(run_data, one)]
    fits = [one for one in fits if not LABELS.search(one.array)]
    others = [one for one in fits if part_of(one.array) == "other"]
    training = [one for one in fits if part_of(one.array) == "train"]
    if not others and not training:
        training, others = _before_and_after(run_data, fits)
    if not others or not training:
        return None
    seen = _standardised(run_data)
    if seen is False:
        return None
    says = Text(
        "{array} 按它自己的统计量缩放（{here}），训练数据则按 {train} 的（{there}）：同一个原始值在评估时得到另一个数。",
        "{array} is scaled by statistics of its own ({here}), and the training data by those of {train} ({there}): the same raw "
        "value becomes another number in the evaluation.",
        array=others[0].array,
        here=at(others[0].place),
        train=training[0].array,
        there=at(training[0].place),
    )
    places = [others[0].place, training[0].place]
    advice = Text(
        "只在训练数据上 fit（或取均值、标准差），评估与推理的数据只用 transform。",
        "Fit the scaler to the training data alone (or take mean and standard deviation of them), and only transform the data of "
        "evaluation and inference.",
    )
    shown = [run_data.code_at(places, Text("缩放之处", "Where data are scaled"))]
    return (problem if seen else undecided)(says, advice, shown, places)


def _fits(run_data: RunData, file: str) -> list:
    found, calls = [], run_data.source.calls_named(file, _FITS)
    made, given_to = (_made_of(run_data, file), _given_to(run_data, file)) if calls else ({}, {})
    for call in calls:
        if call.args and isinstance(call.func, ast.Attribute):
            array, owner = root_name(call.args[0]), call.func.value
            if not (TRAINING.search(array) or OTHER.search(array)):
                # rows of one array are told by what becomes of them
                array = given_to.get(call, array)
            named = ast.unparse(owner) if not isinstance(owner, ast.Name) else f"{owner.id} {made.get(owner.id, '')}"
            if array and _SCALERS.search(named):
                kind = called_name(owner) if isinstance(owner, ast.Call) else made.get(ast.unparse(owner), "")
                found.append(_Fit(array, place(file, call.lineno), kind or ""))
    for node in run_data.source.nodes(file, ast.BinOp):
        array = _by_its_own(run_data, file, node)
        if array:
            found.append(_Fit(array, place(file, node.lineno)))
    return found


def _before_and_after(run_data: RunData, fits: list) -> tuple:
    """``(fits before the training, fits after it)`` of one kind of scaler, in the function that holds the training step's call
    and outside its loop, or the last call of ``Model.train``."""
    trained = [one for one in run_data.phases if one.via == "Model.train" and one.place]
    whole = [max(trained, key=lambda one: one.first_step or 0).place] if trained else []
    for step in [*filter(None, map(first_place, train_sets(run_data))), *whole]:
        around = run_data.source.enclosing(step.file, step.line or 0)
        loops = [one for one in around if isinstance(one, (ast.For, ast.While))]
        if not loops and step not in whole:
            continue
        first = loops[0].lineno if loops else step.line
        last = (loops[0].end_lineno or first) if loops else first
        beside = [one for one in fits if one.kind and one.place.file == step.file]
        beside = [one for one in beside if _function_at(run_data, one.place) is _function_at(run_data, step)]
        before = [one for one in beside if one.place.line < first]
        known = {(one.kind, one.array) for one in before}
        after = [one for one in beside if one.place.line > last and (one.kind, one.array) not in known]
        after = [one for one in after if one.kind in {kind for kind, _ in known}]
        if before and after:
            return before, after
    return [], []


def _function_at(run_data: RunData, where: Fact) -> Optional[FunctionNode]:
    return run_data.source.function_around(where.file or "", where.line or 0)


def _calls_around(run_data: RunData, fit: _Fit) -> list:
    """The calls of the function that takes statistics of its argument, by the names of what they hand over."""
    around = _function_at(run_data, fit.place)
    names = argument_names(around) if around is not None else []
    if around is None or fit.array not in names:
        return []
    at_place, found = names.index(fit.array), []
    for file in run_data.source.trees:
        for call in run_data.source.nodes(file, ast.Call):
            if called_name(call) != around.name:
                continue
            given = argument_of(call, fit.array, at_place)
            array = root_name(given) if given is not None else ""
            found += [_Fit(array, place(file, call.lineno))] if array else []
    return found


def _made_of(run_data: RunData, file: str) -> dict:
    """``{name: what was called to make it}`` of plain assignments, of ``Scaler().fit(x)`` the class."""
    return {
        name: called_name(_fitted(value)) or ""
        for _, part, value, _ in assignments(run_data.source.nodes(file, ast.Assign))
        if isinstance(value, ast.Call)
        for name in target_names(part)
    }


def _fitted(call: ast.Call) -> ast.Call:
    """What ``fit`` of a call is called on; any other call as it is."""
    owner = call.func.value if called_name(call) == "fit" and isinstance(call.func, ast.Attribute) else None
    return owner if isinstance(owner, ast.Call) else call


def _given_to(run_data: RunData, file: str) -> dict:
    """``{call of a scaler: the name that its result goes to}``, where that tells training from evaluation: the name that it is
    assigned to, or else that of training data which are made with that name."""
    assigned = [
        (target.id, node.value)
        for node in run_data.source.nodes(file, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    ]
    used = {name: data for data, value in assigned if TRAINING.search(data) for name in target_names(value)}
    found = {}
    for name, value in assigned:
        told = name if TRAINING.search(name) or OTHER.search(name) else used.get(name)
        for call in ast.walk(value) if told else ():
            if isinstance(call, ast.Call) and called_name(call) in _FITS:
                found[call] = told
    return found


def _by_its_own(run_data: RunData, file: str, node: ast.BinOp) -> str:
    """``x`` of ``(x - x.mean(0)) / x.std(0)``, whatever is added to the deviation, or of ``(y - m) / s`` where the two names are
    given these once; else an empty name."""
    if (
        not isinstance(node.op, ast.Div)
        or not isinstance(node.left, ast.BinOp)
        or not isinstance(node.left.op, ast.Sub)
    ):
        return ""
    array, centre, parts = node.left.left, node.left.right, [*ast.walk(node.right)]
    named = run_data.source.only_value(file, centre.id) if isinstance(centre, ast.Name) else None
    if isinstance(named, ast.Call):
        # of np.mean(x, 0) and x.mean(0) the first that is no number
        owner = named.func.value if isinstance(named.func, ast.Attribute) else named.func
        array = next((one for one in named.args if isinstance(one, (ast.Name, ast.Attribute, ast.Subscript))), owner)
        centre = named
        given = [run_data.source.only_value(file, one.id) for one in parts if isinstance(one, ast.Name)]
        parts += [inner for one in given if one is not None for inner in ast.walk(one)]
    text = ast.unparse(array)
    spread = any(_statistic(one, text, ("std",)) for one in parts)
    return root_name(array) if spread and _statistic(centre, text, ("mean", "average")) else ""


def _statistic(node: ast.AST, array: str, names: tuple) -> bool:
    """``x.mean(...)`` or ``np.mean(x, ...)`` of that array."""
    if not isinstance(node, ast.Call) or called_name(node) not in names or not isinstance(node.func, ast.Attribute):
        return False
    return ast.unparse(node.func.value) == array or bool(node.args and ast.unparse(node.args[0]) == array)


def _standardised(run_data: RunData) -> Optional[bool]:
    """Whether some input outside training has, in every feature or as a whole, a mean near 0 and a standard deviation near 1, or
    ends at 0 and 1 in each, or at -1 or 0 and 1 in all; None where no numbers were seen there."""
    columns = [one for dataset in run_data.datasets_of("eval", "predict") for one in _features(dataset)]
    columns += [one for entry in run_data.inputs if entry.phase != "train" for one in entry.arguments[:1]]
    columns = [one for one in columns if one.kind == "float" and comparable(one)]
    if not columns:
        return None
    return any(_is_standardised(run_data, one) for one in columns)


def _ends_at(low: float, high: float, first: float, last: float) -> bool:
    return abs(low - first) < 1e-6 and abs(high - last) < 1e-6


def _features(dataset: Fact) -> list:
    return [one for one in dataset.columns if one.name != dataset.label.column]


def _is_standardised(run_data: RunData, column: Fact) -> bool:
    means, stds = column.channels.mean or [column.mean], column.channels.std or [column.std]
    lows, highs = column.channels.min or [column.min], column.channels.max or [column.max]
    values = [*zip(means, stds, lows, highs)]
    if any(None in one for one in values) or None in (column.mean, column.std):
        return False
    near = run_data.limit("dp.02.standardised")
    within = all(_ends_at(low, high, 0, 1) for _, _, low, high in values)
    # of windows of one series no place has both ends, and all together have; -1 to 1 is the other range that scalers are given
    within = within or any(_ends_at(column.min, column.max, low, 1) for low in (0, -1))
    # of windows of one series each place by itself lies further off than all together
    # a feature that is constant there has no deviation to divide by
    apart = [(mean, std) for mean, std in zip(means, stds) if std > 1e-6 or abs(mean) > near]
    return within or any(
        bool(some) and all(abs(mean) <= near and abs(std - 1) <= near for mean, std in some)
        for some in (apart, [(column.mean, column.std)])
    )
