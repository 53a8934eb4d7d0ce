"""Methods of a script's callbacks that look like hooks and that nothing calls."""

import ast
import re

from msprec.engine.run_data import RunData, place

#: The methods of ``mindspore.train.Callback`` that `Model` calls (MindSpore 2.7 to 2.10).
_HOOKS = {
    *("begin", "step_begin", "step_end", "epoch_begin", "epoch_end", "end"),
    *(f"on_{what}_{when}" for what in ("train", "eval") for when in ("begin", "end")),
    *(
        f"on_{what}_{part}_{when}"
        for what in ("train", "eval")
        for part in ("step", "epoch")
        for when in ("begin", "end")
    ),
}
_LIKE_HOOKS = re.compile(r"^(on_)?\w*(step|batch|epoch|train|eval|validation|iteration)\w*_(begin|start|end)$|^on_\w+$")


def is_callback(node: ast.AST) -> bool:
    """Whether a class is made of a Callback."""
    return isinstance(node, ast.ClassDef) and any("Callback" in ast.unparse(base) for base in node.bases)


def never_called(run_data: RunData) -> list:
    """The places of methods of callbacks whose names look like those of hooks, are none, and stand nowhere else."""
    found = []
    for file in sorted(run_data.source.trees):
        for node in run_data.source.nodes(file, ast.ClassDef):
            if not is_callback(node):
                continue
            methods = [one for one in node.body if isinstance(one, ast.FunctionDef) and one.name not in _HOOKS]
            found += [
                place(file, one.lineno)
                for one in methods
                if _LIKE_HOOKS.match(one.name) and not run_data.find_lines(rf"(?<!def )\b{one.name}\b", 1)
            ]
    return found
