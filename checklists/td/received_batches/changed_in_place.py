"""A data source that changes the arrays it holds: each pass begins with what those before it have left (td.05)."""

import ast
import re
from collections.abc import Iterator
from typing import Optional

from msprec.bilingual import Text
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import argument_names, assignments, called_name, root_name, target_names

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
#: What gives a new array each time that it is indexed.
_READ_ANEW = re.compile(r"\b(h5py|zarr|lmdb|netCDF4|pyarrow|datasets\.load_dataset)\b")
#: Names of arrays of one sample, or of several.
_ARRAYS = re.compile(
    r"(^|_)(x|xs|imgs?|images?|pic\w*|frames?|samples?|signals?|windows?|feat\w*|data|rows?|seq\w*|arr\w*|waves?|spec\w*|clouds?)(_|\d|$)",
    re.IGNORECASE,
)
#: What a loop goes over that gives one number after the other.
_NUMBERS = ("range", "permutation", "arange", "randperm")


def changed_in_place(run_data: RunData) -> Optional[Finding]:
    """A problem where ``__getitem__``, or a generator, takes ``image = self.images[i]``, which is a view of the array, and it or
    a function of the script's that it calls writes into ``image``: at places that are drawn, or by ``image -= …``."""
    read_anew = {file for file, _ in run_data.source.grep(_READ_ANEW)}
    for file in sorted(run_data.source.trees.keys() - read_anew):
        for function in _sources(run_data, file):
            for name, value, line in _views(function):
                array = bool(_ARRAYS.search(name) or _ARRAYS.search(ast.unparse(value.value).rpartition(".")[2]))
                written = next(_writes(run_data, file, function, name, line, array, follow=True), None)
                if written is not None:
                    return _problem(run_data, name, [place(file, line), written])
    return None


def _sources(run_data: RunData, file: str) -> list:
    """The functions of a file that hand out samples: ``__getitem__``, and generators."""
    code = run_data.source
    yielding = [code.function_around(file, one.lineno) for one in code.nodes(file, ast.Yield, ast.YieldFrom)]
    indexed = [one for one in code.nodes(file, *_FUNCTIONS) if one.name == "__getitem__"]
    return list({id(one): one for one in [*indexed, *yielding] if one is not None}.values())


def _views(function) -> Iterator[tuple]:
    """``(name, value, line)`` of what a source takes of an array that it holds, by the number of one sample or a slice."""
    nodes = list(ast.walk(function))
    if function.name == "__getitem__":
        numbers = {one.arg for one in function.args.args[1:2]}
    else:
        loops = [(one.target, one.iter) for one in nodes if isinstance(one, ast.For)]
        counted = [target for target, over in loops if isinstance(over, ast.Call) and called_name(over) in _NUMBERS]
        numbers = {name for target in counted for name in target_names(target)}
    own = {one.id for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    for node, target, value, alone in assignments(nodes):
        if alone and isinstance(target, ast.Name) and _is_view(value, numbers) and root_name(value) not in own:
            yield target.id, value, node.lineno


def _is_view(node: ast.AST, numbers: set) -> bool:
    if not isinstance(node, ast.Subscript):
        return False
    index = node.slice
    slices = isinstance(index, ast.Slice) and any(isinstance(one, ast.Name) for one in ast.walk(index))
    return slices or (isinstance(index, ast.Name) and index.id in numbers)


def _writes(
    run_data: RunData, file: str, function, name: str, line: int, array: bool, follow: bool = False
) -> Iterator:
    """Where a function writes into what has a name, from a line on, before the name stands for something else.

    ``array``: whether its name is that of an array (``label -= 1`` of a number makes another one); ``follow``: also where a
    function of the script's does that is called with it.
    """
    bound = [one.lineno for one in ast.walk(function) if isinstance(one, ast.Assign) and _binds(one, name)]
    until = min((one for one in bound if one > line), default=1 << 30)
    drawn = _drawn(function)
    for node in (one for one in ast.walk(function) if line <= getattr(one, "lineno", 0) <= until):
        if isinstance(node, ast.AugAssign) and root_name(node.target) == name:
            if isinstance(node.target, ast.Subscript) or array:
                yield place(file, node.lineno)
        elif isinstance(node, ast.Assign):
            into = [one for one in node.targets if isinstance(one, ast.Subscript) and root_name(one) == name]
            if any({part.id for part in ast.walk(one.slice) if isinstance(part, ast.Name)} & drawn for one in into):
                yield place(file, node.lineno)
        elif isinstance(node, ast.Call) and follow:
            yield from _written_by(run_data, node, name, array)


def _written_by(run_data: RunData, call: ast.Call, name: str, array: bool) -> Iterator:
    """The same of the function of the script's that is called with it."""
    given = [n for n, one in enumerate(call.args) if isinstance(one, ast.Name) and one.id == name]
    for where, called in run_data.source.functions(called_name(call)) if given else ():
        for handed in argument_names(called)[given[0] : given[0] + 1]:
            yield from _writes(run_data, where, called, handed, called.lineno, array)


def _binds(node: ast.Assign, name: str) -> bool:
    return any(isinstance(target, ast.Name) and target.id == name for target in node.targets)


def _drawn(function) -> set:
    """Names whose values a function draws: of calls of a generator's methods, or of ``random``."""
    found: set = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            calls = [ast.unparse(one.func) for one in ast.walk(node.value) if isinstance(one, ast.Call)]
            if any("rng" in one or "random" in one or one.endswith(("randint", "integers")) for one in calls):
                found |= {name for target in node.targets for name in target_names(target)}
    return found


def _problem(run_data: RunData, name: str, places: list) -> Finding:
    return problem(
        Text(
            "数据源改写了自己保存的数组：{name} 是其中一行的视图，写入它也改变了保存的样本，改动逐个 epoch 累积。",
            "The data source changes the array that it holds: {name} is a view of a part of it, what is written into it is "
            "written into the stored samples, and the changes of all epochs add up.",
            name=name,
        ),
        Text("先复制再改：{name} = {name}.copy()。", "Take a copy first: {name} = {name}.copy().", name=name),
        [run_data.code_at(places, Text("取出与改写之处", "Where it is taken and written into"))],
        places,
    )
