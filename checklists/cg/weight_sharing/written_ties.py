"""Whether the source writes a tie of two weights: a statement that gives one of them the other's values (cg.01)."""

import ast
from typing import Optional

from msprec.engine.run_data import place
from msprec.engine.schema import Fact
from msprec.source.user_code import Code, called_name

#: Calls that copy values from one tensor to another, or make a parameter of given values.
_COPIES = (
    "set_data",
    "assign",
    "copy_",
    "assign_value",
    "Assign",
    "Parameter",
    "load_param_into_net",
    "init_parameter",
)
#: Arguments of layers that take the initial values of a weight.
_INITIAL = ("weight_init", "embedding_table", "bias_init", "weight")


def written_tie(source: Code, one: Fact, other: Fact) -> Optional[Fact]:
    """The place of a statement that copies, assigns or loads one of two weights from the other; None where there is none.

    Weights that are drawn with one fixed seed begin alike as well: only what is written tells that a tie was meant.
    Local variables are followed within their function, so ``table = self.embedding.embedding_table`` counts.

    Args:
        source: The user's files.
        one: A parameter of the run.
        other: The parameter that begins with the same values.
    """
    sides = (_parts(one), _parts(other))
    for file in source.trees:
        for function in [source.trees[file], *source.nodes(file, ast.FunctionDef, ast.AsyncFunctionDef)]:
            line = _in(function, sides)
            if line is not None:
                return place(file, line)
    return None


def _parts(parameter: Fact) -> tuple:
    """The attribute that holds the layer, and the weight's own name."""
    names = [name for name in (parameter.path or parameter.name).split(".") if not name.isdigit()]
    return (names[-2] if len(names) > 1 else "", names[-1])


def _in(function: ast.AST, sides: tuple) -> Optional[int]:
    known: dict = {}
    for node in _statements(function):
        words = _words(node, known)
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    known[target.id] = _words(node.value, known)
        if _names_both(words, node, sides) and _gives_values(node):
            return node.lineno
    return None


def _statements(function) -> list:
    """The simple statements of a function or module in their order, those of functions inside left out."""
    found, waiting = [], [*function.body]
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.Expr, ast.Return)):
            found.append(node)
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            inner = [getattr(node, name, []) for name in ("body", "orelse", "finalbody")]
            waiting = [*(one for part in inner if isinstance(part, list) for one in part), *waiting]
    return found


def _words(node: ast.AST, known: dict) -> set:
    """Attributes, keys and names that an expression is made of; those of local variables included."""
    found = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute):
            found.add(part.attr)
        elif isinstance(part, ast.Name):
            found |= {part.id} | known.get(part.id, set())
        elif isinstance(part, ast.keyword) and part.arg:
            found.add(f"{part.arg}=")
        elif isinstance(part, ast.Constant) and isinstance(part.value, str):
            found |= set(part.value.split("."))
    return found


def _names_both(words: set, node: ast.AST, sides: tuple) -> bool:
    (holder, leaf), (other_holder, other_leaf) = sides
    alike = leaf == other_leaf
    return all(
        (own in words and (not alike or home in words)) or (home in words and _is_made(node, home, words))
        for home, own in ((holder, leaf), (other_holder, other_leaf))
    ) and (leaf in words or other_leaf in words)


def _is_made(node: ast.AST, home: str, words: set) -> bool:
    """Whether the statement makes the layer with given initial values: ``self.head = nn.Dense(…, weight_init=table)``."""
    targets = node.targets if isinstance(node, ast.Assign) else []
    makes = any(isinstance(target, ast.Attribute) and target.attr == home for target in targets)
    return makes and any(f"{name}=" in words for name in _INITIAL)


def _gives_values(node: ast.AST) -> bool:
    """Whether a statement copies values, assigns an attribute or an entry, or makes a layer of them."""
    if isinstance(node, ast.Assign) and any(isinstance(t, (ast.Attribute, ast.Subscript)) for t in node.targets):
        return not isinstance(node.value, ast.Tuple)
    calls = [part for part in ast.walk(node) if isinstance(part, ast.Call)]
    return any(called_name(call) in _COPIES or call_copies(call) for call in calls)


def call_copies(call: ast.Call) -> bool:
    """Whether a call's name speaks of tying or copying weights, as in ``tie_weights(a, b)``."""
    name = (called_name(call) or "").lower()
    return any(word in name for word in ("tie", "copy", "share"))
