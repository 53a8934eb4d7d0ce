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
#: What is meant to stay as it was first.
_FIRST = re.compile(r"init|start|orig|pretrain|first|anchor", re.IGNORECASE)
#: What puts values back into parameters, or makes tensors of them.
_PUTS_BACK = ("set_data", "load_param_into_net", "assign", "assign_value", "Parameter", "Tensor", "from_numpy")


def kept_as_views(run_data: RunData) -> Optional[Finding]:
    """A problem where a loop keeps ``{p.name: p.asnumpy() for p in net.get_parameters()}`` and the script puts that back later:
    on a CPU `Tensor.asnumpy` shares the tensor's memory (MindSpore 2.7.1 and 2.10, graph and PyNative mode), and the optimizer
    writes into it. From another device the values are copied. Also, wherever it runs, where a loop keeps each parameter itself
    (``backup[p.name] = p``), writes into it, and the script puts back what was kept; where ``backup = net.parameters_dict()`` is
    put back into that very network; and where a loop keeps values by ``setdefault``, writes into the parameters, and nothing
    ever empties what was kept before it is put back."""
    itself = next(_kept_themselves(run_data), None) or next(_kept_all(run_data), None)
    if itself is not None:
        return _themselves(run_data, *itself)
    once = next(_kept_once(run_data), None)
    if once is not None:
        return _once(run_data, *once)
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
        kept = any(map(_kept_name, run_data.source.nodes(file, ast.Assign)))
        for call, parents in run_data.source.calls_to(file, (*_ASSIGNS, *_SETS)) if kept else ():
            written = _written(call)
            loops = [one for one in parents if isinstance(one, ast.For) and written in target_names(one.target)]
            for loop in loops[:1]:
                stores = [one for one in ast.walk(loop) if isinstance(one, ast.Assign)]
                for node in (one for one in stores if written and _kept_name(one) == written):
                    into = ast.unparse(node.targets[0].value)  # type: ignore[attr-defined]
                    back = _put_back(run_data.source.trees[file], into, loop)
                    if back is not None:
                        yield into, [place(file, node.lineno), place(file, back)]


def _kept_name(node: ast.Assign) -> str:
    """``p`` of ``kept[…] = p``, and of ``p.data``, which shares its memory; empty of any other assignment."""
    kept = node.value
    kept = kept.value if isinstance(kept, ast.Attribute) and kept.attr == "data" else kept
    return kept.id if isinstance(node.targets[0], ast.Subscript) and isinstance(kept, ast.Name) else ""


def _kept_all(run_data: RunData) -> Iterator[tuple]:
    """The same of ``name = net.parameters_dict()`` and loops over the parameters of that very network that write ``name[…]`` into
    them."""
    for file in run_data.source.trees:
        for node in run_data.source.nodes(file, ast.Assign):
            owner = _owner(node.value)
            if not owner:
                continue
            name = ast.unparse(node.targets[0])
            loops = [one for one in run_data.source.nodes(file, ast.For) if _owner(one.iter) == owner]
            for call in (one for loop in loops for one in ast.walk(loop) if isinstance(one, ast.Call)):
                given = call.args[-1] if call.args and called_name(call) in (*_ASSIGNS, *_SETS) else None
                if isinstance(given, ast.Subscript) and ast.unparse(given.value) == name:
                    yield name, [place(file, node.lineno), place(file, call.lineno)]


def _owner(node: ast.AST) -> str:
    """``net`` of ``net.parameters_dict()``, of its ``items()``, and of a list, dictionary or comprehension of its parameters."""
    if isinstance(node, (ast.DictComp, ast.ListComp)):
        kept = node.value if isinstance(node, ast.DictComp) else node.elt
        mine = isinstance(kept, ast.Name) and kept.id in target_names(node.generators[0].target)
        return _owner(node.generators[0].iter) if mine else ""
    if not isinstance(node, ast.Call):
        return ""
    if called_name(node) in ("list", "dict", "tuple", "enumerate") and node.args:
        return _owner(node.args[0])
    if not isinstance(node.func, ast.Attribute):
        return ""
    if node.func.attr in ("items", "values"):
        return _owner(node.func.value)
    return ast.unparse(node.func.value) if node.func.attr in _PARAMETERS else ""


def _kept_once(run_data: RunData) -> Iterator[tuple]:
    """``(name, [where it is kept, where it is put back])`` of loops ``for p in …: name.setdefault(…, value of p)`` that write
    into ``p`` too, where ``name`` is made empty by no other statement than the one that made it."""
    for file, tree in run_data.source.trees.items():
        for call, parents in run_data.source.calls_to(file, ("setdefault",)):
            loops = [one for one in parents if isinstance(one, ast.For)]
            if not loops or not isinstance(call.func, ast.Attribute) or len(call.args) < 2:
                continue
            name, loop = ast.unparse(call.func.value), loops[-1]
            calls = [one for one in ast.walk(loop) if isinstance(one, ast.Call)]
            written = {_written(one) for one in calls if called_name(one) in (*_ASSIGNS, *_SETS)} - {""}
            of_written = {one.id for one in ast.walk(call.args[1]) if isinstance(one, ast.Name)} & written
            back = _put_back(tree, name, loop) if of_written and not _FIRST.search(name) else None
            if back is not None and not _emptied(tree, name):
                yield name, [place(file, call.lineno), place(file, back)]


def _emptied(tree: ast.AST, name: str) -> bool:
    """Whether what has that name is cleared, deleted, or made anew a second time."""
    made = [one for one in ast.walk(tree) if isinstance(one, (ast.Assign, ast.AnnAssign)) and name in _names_set(one)]
    emptied = [
        one
        for one in ast.walk(tree)
        if isinstance(one, ast.Call)
        and called_name(one) in ("clear", "pop", "popitem")
        and isinstance(one.func, ast.Attribute)
        and ast.unparse(one.func.value) == name
    ]
    return len(made) > 1 or bool(emptied) or any(isinstance(one, ast.Delete) for one in ast.walk(tree))


def _names_set(node) -> list:
    return [ast.unparse(one) for one in (node.targets if isinstance(node, ast.Assign) else [node.target])]


def _once(run_data: RunData, name: str, places: list) -> Finding:
    return problem(
        Text(
            "{name} 用 setdefault 保存权重，只在第一次时填入，之后从不清空：每次放回的都是第一次保存的权重，此后的训练全部丢失。",
            "{name} is filled by setdefault, which keeps the values of the first time alone, and nothing empties it: what is put "
            "back each time are those weights, and all that was learnt since is lost.",
            name=name,
        ),
        Text(
            "每次保存都直接赋值（{name}[key] = 值的副本），或在放回之后清空。",
            "Assign anew each time ({name}[key] = a copy of the values), or empty it once they are put back.",
            name=name,
        ),
        [run_data.code_at(places, Text("保存与放回之处", "Where they are kept and put back"))],
        places,
    )


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
