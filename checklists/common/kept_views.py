"""Weights that a script keeps as the parameters themselves or as NumPy views of them, so that training writes over what was kept
(wi.02)."""

import ast
import re
from collections.abc import Iterator
from typing import Optional

from msprec.bilingual import Text
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import called_name, root_name, target_names

_VIEW = re.compile(r"\.asnumpy\(")
_PARAMETERS = ("get_parameters", "trainable_params", "parameters_dict", "parameters_and_names", "untrainable_params")
#: What writes new values into its first argument, and into what it is called on.
_ASSIGNS, _SETS = ("assign", "Assign"), ("set_data", "assign_value")
#: What puts values back into parameters, or makes tensors of them.
_PUTS_BACK = ("set_data", "load_param_into_net", "assign", "assign_value", "Parameter", "Tensor", "from_numpy")


def kept_as_views(run_data: RunData) -> Optional[Finding]:
    """A problem where a loop keeps ``{p.name: p.asnumpy() for p in net.get_parameters()}`` and the script puts that back later:
    on a CPU `Tensor.asnumpy` shares the tensor's memory (MindSpore 2.7.1 and 2.10, graph and PyNative mode), and the optimizer
    writes into it. From another device the values are copied. Also, wherever it runs, where a loop keeps each parameter itself
    (``backup[p.name] = p``), writes into it, and the script puts back what was kept."""
    itself = next(_kept_themselves(run_data), None)
    if itself is not None:
        return _themselves(run_data, *itself)
    if (run_data.run.device_target or "").upper() != "CPU":
        return None
    found = next(_kept(run_data), None)
    if found is None:
        return None
    name, places = found
    return problem(
        Text(
            "{name} 保存的是 p.asnumpy()：在 CPU 上它与参数共用内存，之后的更新也改变了保存的值，放回去的是最后的权重。",
            "What {name} keeps is p.asnumpy(): on a CPU it shares the parameter's memory, later updates change what was kept, "
            "and the weights of the end are put back.",
            name=name,
        ),
        Text("保存副本：p.asnumpy().copy()。", "Keep copies: p.asnumpy().copy()."),
        [run_data.code_at(places, Text("保存与放回之处", "Where they are kept and put back"))],
        places,
    )


def _kept(run_data: RunData) -> Iterator[tuple]:
    """``(name, [where it is kept, where it is put back])``."""
    files = {file for file, _ in run_data.source.grep(_VIEW)} & run_data.source.trees.keys()
    for file in sorted(files):
        tree = run_data.source.trees[file]
        loops = [node for node in ast.walk(tree) if isinstance(node, (ast.For, ast.While))]
        for node in (one for loop in loops for one in ast.walk(loop)):
            for target, value in _assigned(node):
                name = ast.unparse(target) if any(map(_views, ast.walk(value))) else None
                back = _put_back(tree, name, node) if name else None
                if back is not None:
                    yield name, [place(file, value.lineno), place(file, back)]


def _themselves(run_data: RunData, name: str, places: list) -> Finding:
    return problem(
        Text(
            "{name} 保存的是参数本身而不是它的值：之后写入参数也改变了保存的内容，放回去的就是当前的权重。",
            "What {name} keeps are the parameters themselves, not their values: whatever is written into them later is what was "
            "kept, and putting it back changes nothing.",
            name=name,
        ),
        Text(
            "保存副本：p.asnumpy().copy() 或 p.value().copy()。",
            "Keep copies: p.asnumpy().copy(), or p.value().copy().",
        ),
        [run_data.code_at(places, Text("保存与放回之处", "Where they are kept and put back"))],
        places,
    )


def _kept_themselves(run_data: RunData) -> Iterator[tuple]:
    """``(name, [where it is kept, where it is put back])`` of loops ``for p in …: name[…] = p`` that write into ``p`` too."""
    for file in run_data.source.trees:
        for call, parents in run_data.source.calls_to(file, (*_ASSIGNS, *_SETS)):
            written = _written(call)
            loops = [one for one in parents if isinstance(one, ast.For) and written in target_names(one.target)]
            for loop in loops[:1]:
                for node in (one for one in ast.walk(loop) if isinstance(one, ast.Assign)):
                    into, kept = node.targets[0], node.value
                    if not isinstance(into, ast.Subscript) or not isinstance(kept, ast.Name) or kept.id != written:
                        continue
                    back = _put_back(run_data.source.trees[file], ast.unparse(into.value), loop)
                    if back is not None:
                        yield ast.unparse(into.value), [place(file, node.lineno), place(file, back)]


def _written(call: ast.Call) -> str:
    """The name of what a call writes new values into: ``ops.assign(p, …)``, ``p.set_data(…)``."""
    if called_name(call) in _ASSIGNS:
        return root_name(call.args[0]) if call.args else ""
    return root_name(call.func.value) if isinstance(call.func, ast.Attribute) else ""


def _assigned(node: ast.AST) -> list:
    """``[(target, value), …]`` of an assignment, part by part."""
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return []
    target, value = node.targets[0], node.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        return list(zip(target.elts, value.elts))
    return [(target, value)]


def _views(node: ast.AST) -> bool:
    """Whether a comprehension over parameters takes ``asnumpy()`` of each as it is."""
    if not isinstance(node, (ast.DictComp, ast.ListComp)):
        return False
    kept = node.value if isinstance(node, ast.DictComp) else node.elt
    over = [called_name(one) for one in ast.walk(node.generators[0].iter) if isinstance(one, ast.Call)]
    return isinstance(kept, ast.Call) and called_name(kept) == "asnumpy" and any(one in _PARAMETERS for one in over)


def _put_back(tree: ast.AST, name: str, kept: ast.AST) -> Optional[int]:
    """The line of a call, outside the statement that keeps it, that makes tensors or parameters of what has that name, or of a
    loop over it in which one does."""
    inside = set(ast.walk(kept))
    for node in ast.walk(tree):
        if not isinstance(node, (ast.Call, ast.For)) or node in inside:
            continue
        if isinstance(node, ast.Call):
            parts, calls = [one for given in (*node.args, *node.keywords) for one in ast.walk(given)], [node]
        else:
            parts, calls = list(ast.walk(node.iter)), [one for one in ast.walk(node) if isinstance(one, ast.Call)]
        named = any(isinstance(one, (ast.Name, ast.Attribute)) and ast.unparse(one) == name for one in parts)
        if named and any(called_name(one) in _PUTS_BACK for one in calls):
            return node.lineno
    return None
