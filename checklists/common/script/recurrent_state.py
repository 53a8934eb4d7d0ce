"""Is recurrent state carried from one training step to the next? Then the samples have to come in their order (dp.03, td.05)."""

import ast
import re
from typing import Optional

from msprec.checklists.common.findings import first_place, plain_arrays
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import called_name, is_data_loop, target_names

# what authors call it; the state of an optimizer, a scaler or a random generator is none
_STATE = re.compile(
    r"_?(h|c|hc|hx|cx|hs|carry|memory|mems?|past|\w*hiddens?\w*|\w*states?|\w*state_[hc]|(prev|last)_[hc])",
    re.IGNORECASE,
)
_OTHER = re.compile(r"opt|optim|train_?state|scal|rng|seed|rand|loss|sched|ema|momentum|adam", re.IGNORECASE)
_ASSIGNS = {"assign", "set_data", "assign_value", "copy_", "Assign"}
_RESETS = re.compile(r"zeros|initializer|fill|init_state|\breset")


def carried_state(run_data: RunData, dataset: Fact) -> Optional[Fact]:
    """The place where the state of one step becomes that of the next; None: no sign of it.

    Either the training loop hands a state to its step and takes the new one from it, or a parameter that is not trained,
    with the batch among its first dimensions, is assigned what the network has computed.
    """
    return through_the_loop(run_data, dataset) or _in_a_parameter(run_data, dataset)


def is_state(name: str) -> bool:
    """Whether a name is one that authors give to recurrent state."""
    return bool(_STATE.fullmatch(name)) and not _OTHER.search(name)


def holds_state(dataset: Fact) -> bool:
    """Whether the state of one step is among the plain arrays that a step is given, so that no sample comes again."""
    return plain_arrays(dataset) and any(is_state(one.name or "") for one in dataset.columns)


def through_the_loop(run_data: RunData, dataset: Fact) -> Optional[Fact]:
    """The place where the training loop hands a state to its step and takes the new one from it; None: no sign of it."""
    fed = [first_place(dataset)] if plain_arrays(dataset) else []  # where the step was given its arrays
    seen = [one for one in (dataset.iterated_at, *fed) if one and one.file]
    steps = _functions_around(run_data, seen)
    for file in sorted(run_data.source.trees):
        for loop in run_data.source.nodes(file, ast.For, ast.While):
            over_data = _iterates_data(run_data, file, loop) or (not fed and _spans(loop, file, seen))
            for statement in (node for node in loop.body if isinstance(node, ast.Assign)):
                call = statement.value
                if not isinstance(call, ast.Call):
                    continue
                bound = _handed_on(loop.body, statement, call)
                if bound is None:
                    continue
                if over_data or called_name(call) in steps or _spans(statement, file, seen):
                    return place(file, bound.lineno)
    return None


def _functions_around(run_data: RunData, seen: list) -> set:
    """The names of the functions that stand around the places where data were seen to be taken."""
    around = [node for one in seen for node in run_data.source.enclosing(one.file, one.line or 0)]
    return {node.name for node in around if isinstance(node, ast.FunctionDef) and node.name != "construct"}


def _spans(node: ast.stmt, file: str, seen: list) -> bool:
    return any(one.file == file and node.lineno <= (one.line or 0) <= (node.end_lineno or 0) for one in seen)


def _iterates_data(run_data: RunData, file: str, loop: ast.AST) -> bool:
    """A loop over batches; the loop over the elements of a sequence, inside the network, is another."""
    if not isinstance(loop, ast.For):
        return False
    names = _names(loop.iter)
    stores = run_data.source.nodes(file, ast.Assign)
    made = (node.value for node in stores if names & _names_of(node.targets))
    return is_data_loop(loop) or any("_iterator(" in ast.unparse(value) for value in made)


def _names_of(nodes: list) -> set:
    return {name for node in nodes for name in _names(node)}


def _handed_on(body: list, statement: ast.Assign, call: ast.Call) -> Optional[ast.Assign]:
    """``loss, state = step(x, y, state)``: one name goes in and comes out, at once or by what is made of the results later in the
    loop's body, with data beside it; nothing before in the body makes it anew. Gives the statement that binds it again."""
    given = [_names(argument) for argument in [*call.args, *(word.value for word in call.keywords)]]
    begins = body.index(statement)
    anew = {name for one in body[:begins] if isinstance(one, ast.Assign) for name in _names_of(one.targets)}
    taken: set = set()
    for one in (one for one in body[begins:] if isinstance(one, ast.Assign)):
        if one is not statement and not _names(one.value) & taken:
            continue
        taken |= _names_of(one.targets)
        states = {name for names in given for name in names if is_state(name)} & _names_of(one.targets) - anew
        if states and any(names and not names & states for names in given):
            return one
    return None


def _names(node: ast.AST) -> set:
    return set(target_names(node))


def _in_a_parameter(run_data: RunData, dataset: Fact) -> Optional[Fact]:
    batch = dataset.batch_size
    held = {
        (one.path or one.name or "").rsplit(".", 1)[-1]
        for one in run_data.parameters
        if one.requires_grad is False and not one.in_optimizer and batch and batch in one.shape[:2]
    }
    held = {name for name in held if is_state(name)}
    for file in sorted(run_data.source.trees) if held else []:
        for node in run_data.source.nodes(file, ast.Assign, ast.Call):
            name, value = _assigned(node)
            if name in held and value is not None and not _RESETS.search(ast.unparse(value)):
                return place(file, node.lineno)
    return None


def _assigned(node: ast.AST) -> tuple:
    """(attribute, value) of ``self.h = value``, ``ops.assign(self.h, value)`` and ``self.h.set_data(value)``."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Attribute):
        made = isinstance(node.value, ast.Call) and ast.unparse(node.value.func).endswith("Parameter")
        return node.targets[0].attr, None if made else node.value
    if not isinstance(node, ast.Call) or not isinstance(node.func, (ast.Attribute, ast.Name)):
        return None, None
    called = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
    if called not in _ASSIGNS:
        return None, None
    if len(node.args) >= 2 and isinstance(node.args[0], ast.Attribute):
        return node.args[0].attr, node.args[1]
    holder = node.func.value if isinstance(node.func, ast.Attribute) else None
    return (holder.attr, node.args[0]) if isinstance(holder, ast.Attribute) and len(node.args) == 1 else (None, None)
