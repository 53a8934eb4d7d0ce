"""Arrays whose axes a reshape was to exchange: its sizes are those of the array in another order (td.05)."""

import ast
from collections.abc import Iterator
from typing import Optional

from msprec.bilingual import Text
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import called_name, construct_of, own_nodes

_STACKS = ("stack", "vstack")  # of arrays, while np.array may be made of numbers


def reshaped_arrays(run_data: RunData) -> Optional[Finding]:
    """A problem where ``a.reshape(n, steps)`` follows ``steps, n = a.shape``, or names ``a.shape[1], a.shape[0]``, or
    ``a.reshape(n, k)`` follows ``n = a.shape[2]``, or ``a.reshape(k, a.shape[0])`` makes columns of what were rows, or
    ``a.reshape(-1, k)`` follows ``a = np.stack([… for one in range(k)])``, or is of ``np.stack((u, v))`` with k arrays, or
    ``a.reshape(-1, w, f)`` a stack of windows of ``w`` steps along axis 1: the elements stay in their order, and each row is made
    of several. Of code that prepares data: a network may mean it, as the shift of relative positions of Transformer-XL does, and
    what its reshapes do is measured (cg.03). Of arrays of the script itself the shapes are known where the run recorded them."""
    seen = next((one for one in run_data.reshapes if one.place and one.array), None)
    if seen is not None:
        return _finding(run_data, seen.place, seen.array)
    for file in run_data.source.trees:
        for scope in _scopes_that_reshape(run_data, file):
            for line, name in () if _in_cell(run_data, file, scope) else _exchanged(scope):
                if not _is_named(run_data, scope):
                    continue
                return _finding(run_data, place(file, line), name)
    return None


def _finding(run_data: RunData, where: Fact, name: str) -> Finding:
    return problem(
        Text(
            "{name} 的 reshape 把它的形状换了顺序：reshape 不移动元素，各行混入了别的样本（或时间步）的值。",
            "The reshape of {name} puts the sizes of its shape into another order: it moves no element, so that each row is made "
            "up of values of several samples or steps.",
            name=name,
        ),
        Text(
            "交换轴要用 transpose 或 swapaxes，例如 {name}.transpose(1, 0, 2)。",
            "Exchange axes with transpose or swapaxes, as in {name}.transpose(1, 0, 2).",
            name=name,
        ),
        [run_data.code_at([where], Text("reshape 之处", "The reshape"))],
        [where],
    )


def _scopes_that_reshape(run_data: RunData, file: str) -> list:
    """The functions of a file that call ``reshape``, and the module itself where its own statements do."""
    found: dict = {}
    for call in run_data.source.calls_named(file, ("reshape",)):
        if isinstance(call.func, ast.Attribute):
            scope = run_data.source.scope_around(file, call.lineno)
            found[id(scope)] = scope
    return sorted(found.values(), key=lambda scope: getattr(scope, "lineno", 0))


def _in_cell(run_data: RunData, file: str, scope: ast.AST) -> bool:
    around = run_data.source.class_around(file, getattr(scope, "lineno", 0))
    return around is not None and construct_of(around) is not None


def _is_named(run_data: RunData, scope: ast.AST) -> bool:
    """Whether something names a function; one that nothing names does no harm."""
    name = getattr(scope, "name", None)
    if name is None or name.startswith("__") or name == "construct":
        return True
    return bool(run_data.find_lines(rf"(?<!def )\b{name}\b", 1))


def _exchanged(scope: ast.AST) -> Iterator[tuple]:
    """``(line, array)`` of the reshapes of a scope that exchange axes."""
    shapes: dict = {}
    stacked: dict = {}
    lasts: dict = {}
    nodes = [one for one in own_nodes(scope) if isinstance(one, (ast.Assign, ast.Call))]
    # what an assignment computes comes before what it binds
    for node in sorted(nodes, key=lambda one: (one.lineno, isinstance(one, ast.Assign))):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target, value = node.targets[0], node.value
            shapes.pop(ast.unparse(target), None)
            stacked[ast.unparse(target)] = _stacked(value)
            lasts = {size: one for size, one in lasts.items() if ast.unparse(target) not in (size, one)}
            lasts.update({ast.unparse(target): one for one in _last_size(value)})
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Attribute) and value.attr == "shape":
                shapes[ast.unparse(value.value)] = [ast.unparse(one) for one in target.elts]
        elif isinstance(node, ast.Call) and called_name(node) == "reshape" and isinstance(node.func, ast.Attribute):
            array, sizes = _reshaped(node)
            if _rows_of_several(node.func.value, sizes):
                yield node.lineno, array
                continue
            own = shapes.get(array, [f"{array}.shape[{axis}]" for axis in range(len(sizes))])
            exchanged = len(set(sizes)) == len(sizes) > 1 and sorted(sizes) == sorted(own) and sizes != own
            exchanged = exchanged or (sizes[:1] != [] and lasts.get(sizes[0]) == array and len(sizes) > 1)
            exchanged = exchanged or _rows_last(array, sizes)
            first, axes = stacked.get(array) or (None, 0)
            if exchanged or (first is not None and len(sizes) == axes and sizes[1] == first != sizes[0]):
                yield node.lineno, array


def _rows_of_several(value: ast.expr, sizes: list) -> bool:
    """Whether ``np.stack((u, v))``, a row for each of k arrays, is laid out as rows of k."""
    if not isinstance(value, ast.Call) or called_name(value) not in _STACKS or len(value.args) != 1 or len(sizes) != 2:
        return False
    rows, axes = value.args[0], {ast.unparse(one.value) for one in value.keywords if one.arg == "axis"}
    parts = rows.elts if isinstance(rows, (ast.Tuple, ast.List)) else []
    plain = len(parts) > 1 and not any(isinstance(one, ast.Starred) for one in parts)
    return plain and axes <= {"0"} and sizes[1] == str(len(parts))


def _rows_last(array: str, sizes: list) -> bool:
    """Whether the count of an array's rows is the last of the sizes, behind others than 1 (and -1, of which nothing is known)."""
    last = sizes[-1] if len(sizes) > 1 else ""
    return last in (f"{array}.shape[0]", f"len({array})") and not {*sizes[:-1]} <= {"1", "-1"}


def _last_size(value: ast.expr) -> list:
    """``["a"]`` of ``a.shape[2]``, the size of an axis behind two others, which a reshape cannot bring to the front."""
    shape = value.value if isinstance(value, ast.Subscript) else None
    axis = value.slice if isinstance(value, ast.Subscript) else None
    late = isinstance(axis, ast.Constant) and isinstance(axis.value, int) and axis.value >= 2
    named = isinstance(shape, ast.Attribute) and shape.attr == "shape"
    return [ast.unparse(shape.value)] if late and named and isinstance(shape, ast.Attribute) else []


def _stacked(value: ast.expr) -> Optional[tuple]:
    """``(F, 2)`` of ``np.stack([… for k in range(F)])``, rows of numbers, and ``(W, 3)`` of ``np.stack([a[i : i + W] for …],
    axis=1)``, steps of windows: the size of the first axis, as it is written, and how many axes a reshape that takes it for
    the second names."""
    if not isinstance(value, ast.Call) or called_name(value) not in _STACKS or len(value.args) != 1:
        return None
    rows, given = value.args[0], {one.arg: ast.unparse(one.value) for one in value.keywords}
    if not isinstance(rows, ast.ListComp) or len(rows.generators) != 1 or rows.generators[0].ifs:
        return None
    over = rows.generators[0].iter
    if given == {"axis": "1"}:
        length = _length(rows.elt)
        return (length, 3) if length is not None else None
    counted = isinstance(over, ast.Call) and called_name(over) == "range" and len(over.args) == 1
    return (ast.unparse(over.args[0]), 2) if not given and counted and isinstance(over, ast.Call) else None


def _length(window: ast.expr) -> Optional[str]:
    """``W`` of ``a[i : i + W]``."""
    cut = window.slice if isinstance(window, ast.Subscript) else None
    if not isinstance(cut, ast.Slice) or cut.lower is None or cut.step is not None:
        return None
    end = cut.upper
    if not isinstance(end, ast.BinOp) or not isinstance(end.op, ast.Add):
        return None
    start, parts = ast.unparse(cut.lower), [ast.unparse(one) for one in (end.left, end.right)]
    rest = [one for one in parts if one != start]
    return rest[0] if len(rest) == 1 else None


def _reshaped(call: ast.Call) -> tuple:
    """``(array, sizes)`` of ``a.reshape(…)`` and ``np.reshape(a, …)``, as they are written."""
    assert isinstance(call.func, ast.Attribute)
    of_module = ast.unparse(call.func.value) in ("np", "numpy")
    array = call.args[0] if of_module and call.args else call.func.value
    rest = call.args[1:] if of_module else call.args
    if len(rest) == 1 and isinstance(rest[0], (ast.Tuple, ast.List)):
        rest = rest[0].elts
    return ast.unparse(array), [ast.unparse(one) for one in rest]
