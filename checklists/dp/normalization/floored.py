"""Inputs that a division of whole numbers, a cast to them or to float16 has left with next to nothing (dp.01)."""

import ast
import re
from collections.abc import Iterator
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.data.input_scale import entering, feature_columns
from msprec.checklists.common.findings import at
from msprec.checklists.common.script.array_origin import argument_of, array_origins
from msprec.checklists.common.training.constant_prediction import learnt_well
from msprec.checklists.common.training.reinforcement import has_adversary
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import argument_names, bound_names, called_name, own_nodes, plain_number

#: Of 0 and 1 alone the variance is mean · (1 - mean).
_EXACT = 1e-4
#: Of what was standardised and cut: least and most deviation, mean over deviation at the most.
_DEVIATIONS, _NEAR = (0.4, 1.6), 0.25
_INTEGERS = re.compile(r"\bu?int(8|16|32|64)?\b")
_ROUNDS = re.compile(r"round|rint|floor|ceil|digitize", re.IGNORECASE)
_HALF = re.compile(r"astype\(\s*[\"']?((np|numpy|ms|mnp|mstype)\.)?(float16|half)\b")
_SCALES = re.compile(r"scal|standard|normal|z_?score|^(fit_)?transform$", re.IGNORECASE)


def floored_inputs(run_data: RunData, dataset: Fact) -> Optional[Finding]:
    """Problem: a column of inputs holds 0 and 1 alone, or some of its features are constant, and where its values come from an
    array is divided by a number with ``//``, cast to whole numbers after it was scaled, or cast to float16, in a training that
    did not come td.01.well below a constant prediction; else None."""
    columns = [one for one in feature_columns(dataset) if one.kind in ("float", "int")]
    # what a GAN is to imitate enters its discriminator beside what is made
    for column in columns if has_adversary(run_data) else entering(run_data, columns):
        says = _left(column)
        if says is None:
            continue
        origins = array_origins(run_data, dataset, column)
        for places_near, why, advice in _ways(run_data, dataset, column):
            lines = [one for where in origins for one in places_near(run_data, where, origins)]
            if lines:
                return _finding(run_data, column, says, why(lines[0]), advice, lines)
    return None


def _ways(run_data: RunData, dataset: Fact, column: Fact) -> tuple:
    """What is asked of a column: little of a training that did well, but of one that gives its inputs back, which learns what is
    left of them."""
    if learnt_well(run_data):
        return _LOST_AS_WHOLE if dataset.label.kind == "regression" else ()
    return _LOST if column.kind == "float" else _LOST_AS_WHOLE


def cut_inputs(run_data: RunData, dataset: Fact) -> Optional[Finding]:
    """Problem: a column of inputs holds a few whole numbers on both sides of 0 alone, with a mean near 0 and a deviation near 1,
    and where its values come from what was scaled is cast to whole numbers; else None."""
    for column in entering(run_data, [one for one in feature_columns(dataset) if one.kind in ("float", "int")]):
        origins = array_origins(run_data, dataset, column) if _few_whole(column) else []
        lines = [one for one in origins if _casts_scaled(run_data, one, origins)][:1]
        if lines:
            says = Text(
                "只有 {low} 到 {high} 的整数",
                "holds the whole numbers from {low} to {high} alone",
                low=int(column.min),
                high=int(column.max),
            )
            return _finding(run_data, column, says, _made_whole(lines[0]), _KEEP_FLOAT, lines)
    return None


def _finding(run_data: RunData, column: Fact, says: Text, why: Text, advice: Text, lines: list) -> Finding:
    return problem(
        Text("{column} {says}：{why}", "{column} {says}: {why}", column=column.name, says=says, why=why),
        advice,
        [run_data.code_at(lines, Text("丢失之处", "Where it is lost"))],
        lines,
    )


def _few_whole(column: Fact) -> bool:
    if None in (column.min, column.max, column.mean, column.std, column.between_features.levels):
        return False
    whole = float(column.min).is_integer() and float(column.max).is_integer()
    few = column.between_features.levels <= column.max - column.min + 1
    low, high = _DEVIATIONS
    near = low <= column.std <= high and abs(column.mean) <= _NEAR * column.std
    return whole and few and near and column.min < 0 < column.max


def _casts_scaled(run_data: RunData, where: Fact, origins: list) -> bool:
    """Whether a line casts to whole numbers what a division, or something named for scaling, gives: there, or, of a name, in
    another of the lines that its values come from."""
    for call in run_data.source.nodes_at(where.file, where.line, ast.Call):
        given = call.func.value if _casts_whole(call) and isinstance(call.func, ast.Attribute) else None
        if given is not None and (
            _is_scaled(run_data, where.file, given) or _held_scaled(run_data, given, where, origins)
        ):
            return True
    return False


def _casts_whole(call: ast.Call) -> bool:
    kinds = [ast.unparse(one) for one in (*call.args, *(word.value for word in call.keywords))]
    return called_name(call) == "astype" and any(_INTEGERS.search(one) for one in kinds)


def _held_scaled(run_data: RunData, given: Optional[ast.expr], where: Fact, origins: list) -> bool:
    """Whether what is given is a name that one of the origins, in another line, gives something scaled."""
    return isinstance(given, ast.Name) and any(
        given.id in bound_names(store.targets) and _is_scaled(run_data, one.file, store.value)
        for one in origins
        if one.line != where.line
        for store in run_data.source.nodes_at(one.file, one.line, ast.Assign)
    )


def _is_scaled(run_data: RunData, file: str, node: ast.expr) -> bool:
    """Whether a value is divided, or made by something named for scaling, and neither compared nor rounded on purpose."""
    parts = list(ast.walk(node))
    calls = [one for one in parts if isinstance(one, ast.Call)]
    if any(isinstance(one, ast.Compare) for one in parts) or any(_ROUNDS.search(called_name(one)) for one in calls):
        return False
    for one in parts:
        if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Div):
            return True
        if not isinstance(one, ast.Call):
            continue
        if _SCALES.search(called_name(one)):
            return True
        held = run_data.source.only_value(file, one.func.id) if isinstance(one.func, ast.Name) else None
        made = [called_name(part) for part in ast.walk(held) if isinstance(part, ast.Call)] if held is not None else []
        bodies = [body for name in made for _, body in run_data.source.classes(name)]
        if any(
            isinstance(part, ast.BinOp) and isinstance(part.op, ast.Div) for body in bodies for part in ast.walk(body)
        ):
            return True
    return False


def _left(column: Fact) -> Optional[Text]:
    """What is left of a column, where that is 0 and 1 alone or constant features beside others; else None."""
    if None in (column.min, column.max, column.mean, column.std):
        return None
    if (column.min, column.max) == (0, 1) and abs(column.std**2 - column.mean * (1 - column.mean)) < _EXACT:
        return Text("只有 0 和 1 两个值", "holds 0 and 1 alone")
    stds = list(column.channels.std or [])
    constant = sum(std == 0 for std in stds)
    if 0 < constant < len(stds):
        return Text(
            "的 {all} 个特征中有 {n} 个恒定不变",
            "has {n} constant features among {all}",
            n=constant,
            all=len(stds),
        )
    return None


def _divisions(run_data: RunData, where: Fact, _origins: list) -> list:
    """The place, where a line divides something by a number above 1 with ``//`` and does not take an element by it."""
    if not where or not where.file or not where.line:
        return []
    slices = [one.slice for one in run_data.source.nodes_at(where.file, where.line, ast.Subscript)]
    indices = {id(inner) for one in slices for inner in ast.walk(one)}
    for node in run_data.source.nodes_at(where.file, where.line, ast.BinOp):
        divisor = plain_number(node.right)
        if (
            isinstance(node.op, ast.FloorDiv)
            and id(node) not in indices
            and (divisor or 0) > 1
            and not _is_size(node.left)
        ):
            return [place(where.file, where.line)]
    return []


def _cast_whole(run_data: RunData, where: Fact, origins: list) -> list:
    """The place, or that in a function that is called there with what was scaled."""
    if _casts_scaled(run_data, where, origins):
        return [where]
    return list(_casts_inside(run_data, where, origins))[:1]


def _casts_inside(run_data: RunData, where: Fact, origins: list) -> Iterator[Fact]:
    """Where a function of the script, which a line or what the function around it returns calls with something scaled, casts the
    argument that this is."""
    around = run_data.source.function_around(where.file, where.line)
    returned = [one for one in own_nodes(around) if isinstance(one, ast.Return)] if around is not None else []
    calls = [one for each in returned for one in ast.walk(each) if isinstance(one, ast.Call)]
    for call in (*run_data.source.nodes_at(where.file, where.line, ast.Call), *calls):
        for file, function in run_data.source.functions(called_name(call)):
            names = argument_names(function)
            for cast in (one for one in ast.walk(function) if isinstance(one, ast.Call) and _casts_whole(one)):
                held = cast.func.value if isinstance(cast.func, ast.Attribute) else None
                name = held.id if isinstance(held, ast.Name) else ""
                given = argument_of(call, name, names.index(name)) if name in names else None
                if _held_scaled(run_data, given, place(where.file, call.lineno), origins):
                    yield place(file, cast.lineno)


def _cast_half(run_data: RunData, where: Fact, _origins: list) -> list:
    """The place, where a line casts an array to float16, whose largest number is 65504."""
    calls = run_data.source.nodes_at(where.file, where.line, ast.Call)
    halves = [one for one in calls if called_name(one) == "astype" and _HALF.search(ast.unparse(one))]
    return [where] if halves else []


def _is_size(node: ast.expr) -> bool:
    """Whether what is divided is a length or a size of an array."""
    return isinstance(node, ast.Constant) or any(
        (isinstance(one, ast.Attribute) and one.attr in ("shape", "size", "ndim"))
        or (isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and one.func.id == "len")
        for one in ast.walk(node)
    )


def _divided(where: Fact) -> Text:
    return Text(
        "{where} 用整除（//）计算它，小数部分都被丢掉。",
        "{where} divides whole numbers (//), and all behind the point is lost.",
        where=at(where),
    )


def _made_whole(where: Fact) -> Text:
    return Text(
        "{where} 把缩放后的值转换为整数，小数部分都被丢掉。",
        "{where} casts what was scaled to whole numbers, and all behind the point is lost.",
        where=at(where),
    )


def _made_half(where: Fact) -> Text:
    return Text(
        "{where} 把数组转换为 float16：大于 65504 的数（方差、平方和）成为无穷大，除以它们得到 0。",
        "{where} casts the array to float16: numbers above 65504, as variances and sums of squares are, become infinite, and "
        "what is divided by them becomes 0.",
        where=at(where),
    )


_KEEP_FLOAT = Text("转换为 float32。", "Cast it to float32.")
#: What a column of whole numbers may have lost so.
_LOST_AS_WHOLE = ((_cast_whole, _made_whole, _KEEP_FLOAT),)
#: Ways to lose what lies behind the point: the places near a line, what is said of the first, and the advice.
_LOST = (
    (
        _divisions,
        _divided,
        Text("用 / 代替 //；取余数用 %。", "Divide by / in the place of //; a remainder is taken by %."),
    ),
    *_LOST_AS_WHOLE,
    (
        _cast_half,
        _made_half,
        Text("先以 float32 计算均值和标准差并缩放。", "Take mean and deviation, and scale, in float32 first."),
    ),
)
