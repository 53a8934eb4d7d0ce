"""The code that the loss of the training is really computed by (ds.03): a Dice score of the evaluation is none of it."""

import ast
import re
from typing import Optional

from msprec.checklists.common.findings import each_place_once
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.module import Scope
from msprec.source.user_code import GRADIENTS, called_name, own_nodes, target_names

_CELL_METHODS = ("__init__", "construct", "__call__")
#: Losses that count classes, not pixels, or that look at what is hard.
BY_CLASS = re.compile(r"dice|tversky|jaccard|iou_?loss|lovasz|focal", re.IGNORECASE)
_CLASS_WEIGHTS = re.compile(r"pos_?weight|class_?weight", re.IGNORECASE)
_COUNTERS = rf"{BY_CLASS.pattern}|{_CLASS_WEIGHTS.pattern}|cross_?entropy\w*\(.*\bweight\s*=\s*(?!None)"
_WEIGHTED = re.compile(r"cross_?entropy|nll|bce", re.IGNORECASE)
#: Functions whose third argument, and the fourth of the second of them, are weights.
_POSITIONAL = re.compile(r"(^|\.)(cross_entropy|nll_loss|binary_cross_entropy(_with_logits)?)$")


def counters(run_data: RunData) -> Optional[list]:
    """Places where the training's loss goes by class or weights the classes; None where that loss was not seen.

    Looked for in the loss cells and functions of the record, and in what their code names, down to the project's last function.
    """
    started = _starts(run_data)
    if not run_data.losses and not started:
        return None
    scopes = _reached(run_data, started)
    found = [one.place for one in run_data.losses if one.place and BY_CLASS.search(one.class_ or "")]
    found += [place(scope.module.file, line) for scope in scopes for line in _lines(scope)]
    weighted = _weighted_calls(run_data, scopes)
    found += [place(call.scope.module.file, call.node.lineno) for call in weighted]
    return sorted(each_place_once(found), key=lambda one: (one.file or "", one.line or 0))


def seen_weights(run_data: RunData) -> list:
    """What the losses of the training were seen to weight each class with, by the class's number (null: unknown)."""
    seen = [one.weights for one in run_data.probes.losses]
    seen += [one.behaviour.class_weights for one in run_data.probes.own_losses if one.final is not False]
    return [list(one) for one in seen if one]


#: Calls that count the samples of each class.
_COUNTING = ("bincount", "value_counts", "unique", "Counter")


def weight_origins(run_data: RunData) -> list:
    """Where the weights of classes are made, and where they are given to the loss."""
    found = []
    for call in _weighted_calls(run_data, _reached(run_data, _starts(run_data))):
        file = call.scope.module.file
        for value in _weights_given(call.node):
            # pos_weight.expand_as(t)
            while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and not value.keywords:
                value = value.func.value
            made = run_data.project.value_node(value, call.scope)
            found += [place(file, made.lineno)] if isinstance(made, ast.expr) else []
            found.append(place(file, call.node.lineno))
    return each_place_once([*found, *_made_of_counts(run_data)])


def _made_of_counts(run_data: RunData) -> list:
    """At most three statements that compute something of the numbers of samples of the classes."""
    found = []
    for file, call in run_data.source.calls_anywhere(_COUNTING):
        scope = run_data.source.scope_around(file, call.lineno)
        bound = [one for one in own_nodes(scope) if isinstance(one, ast.Assign)]
        counted = {n for one in bound if call in ast.walk(one) for t in one.targets for n in target_names(t)}
        made = [one for one in bound if counted & {n.id for n in ast.walk(one.value) if isinstance(n, ast.Name)}]
        found += [place(file, one.lineno) for one in made if call not in ast.walk(one)]
    return found[:3]


def sampler_weights(run_data: RunData) -> list:
    """Where a sampler is given a weight for each sample, and where the names in them are bound."""
    found = []
    for file in run_data.source.trees:
        for call in run_data.source.nodes(file, ast.Call):
            if called_name(call) == "WeightedRandomSampler" and call.args:
                names = {one.id for one in ast.walk(call.args[0]) if isinstance(one, ast.Name)}
                scope = run_data.source.scope_around(file, call.lineno)
                bound = [one for one in own_nodes(scope) if isinstance(one, ast.Assign)]
                lines = [one.lineno for one in bound if names & {n for t in one.targets for n in target_names(t)}]
                found += [place(file, line) for line in [*lines, call.lineno]]
    return found


def class_counters(run_data: RunData) -> list:
    """At most three of these places; where the loss was not seen, lines of the sources that look like them."""
    seen = counters(run_data)
    return (run_data.find_lines(f"(?i){_COUNTERS}", 3) if seen is None else seen)[:3]


def goes_by_class(run_data: RunData, counter: Fact) -> bool:
    """Whether such a place is that of a loss that counts classes or looks at what is hard, whatever it weights them with."""
    return run_data.matches_at(rf"(?i){BY_CLASS.pattern}", counter)


def _starts(run_data: RunData) -> list:
    """Scopes of the recorded losses, of the functions under a gradient, and of the user's cells that were trained."""
    project, code = run_data.project, run_data.source
    spots = [one.file_class for one in run_data.losses] + [one.place for one in run_data.probes.own_losses]
    spots += [one.place for one in run_data.losses if (one.class_ or "").startswith("function")]
    found = [_scope_at(project, one) for one in spots if one and one.file]
    for scope in code.delivered_scopes():
        if scope.kind == "function":
            found.append(_scope_of(project, scope.file, scope.node.lineno))
    found += _lambdas(project)
    trained = {
        c.class_ for network in run_data.networks if network.role == "train" for c in network.cells if not c.builtin
    }
    trained |= {network.class_ for network in run_data.networks if network.role == "train"}
    trained |= {phase.root for phase in run_data.phases if phase.gradient}
    for name in sorted(filter(None, trained)):
        found += [_scope_of(project, file, node.lineno) for file, node in code.classes(name)]
    return [scope for scope in found if scope is not None and not isinstance(scope.node, ast.Module)]


def _lambdas(project) -> list:
    """``value_and_grad(lambda x, y: ...)``."""
    given = [call for call in project.calls() if called_name(call.node) in GRADIENTS and call.node.args]
    lambdas = [(call.scope.module, call.node.args[0]) for call in given if isinstance(call.node.args[0], ast.Lambda)]
    return [module.scopes.get(node) for module, node in lambdas]


def _scope_at(project, one: Fact):
    """The innermost class or function around a place."""
    module = project.module_at(one.file)
    around = [s for s in module.scopes.values() if _holds(s, one.line or 0)] if module is not None else []
    return max(around, key=lambda scope: scope.node.lineno, default=None)


def _scope_of(project, file: str, line: int):
    module = project.module_at(file)
    return (
        next((s for s in module.scopes.values() if getattr(s.node, "lineno", None) == line), None) if module else None
    )


def _holds(scope, line: int) -> bool:
    named = isinstance(scope.node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
    return named and scope.node.lineno <= line <= (scope.node.end_lineno or scope.node.lineno)


def _reached(run_data: RunData, waiting: list) -> list:
    """Those scopes and what their code names, of classes the methods that make and call a cell."""
    project, found = run_data.project, []
    waiting = list(waiting)
    while waiting:
        scope = waiting.pop()
        if scope in found:
            continue
        found.append(scope)
        if scope.is_class:
            waiting += filter(None, (project.method(scope, name) for name in _CELL_METHODS))
        elif isinstance(scope.node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            waiting += filter(None, (_named(project, node, scope) for node in ast.walk(scope.node)))
    return [scope for scope in found if not scope.is_class]


def _named(project, node: ast.AST, scope):
    """The class or function of the project that a name in a function stands for, or an object of that class."""
    if not isinstance(node, (ast.Name, ast.Attribute)) or not isinstance(node.ctx, ast.Load):
        return None
    made = project.value_node(node, scope)
    name = project.qualified(made.func if isinstance(made, ast.Call) else node, scope)
    found = project.definition(name)
    return found if found is not None and not isinstance(found.node, ast.Module) else None


def _lines(scope) -> list:
    """Lines of the function with a name or word of a loss by class, or of class weights."""
    lines = set()
    for node in ast.walk(scope.node):
        for name in _words(node):
            if BY_CLASS.search(name) or _CLASS_WEIGHTS.search(name):
                lines.add(getattr(node, "lineno", scope.node.lineno))
    return sorted(lines)


def _words(node: ast.AST) -> list:
    if isinstance(node, ast.Name):
        return [node.id]
    if isinstance(node, ast.Attribute):
        return [node.attr]
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return [node.name]
    return [node.arg] if isinstance(node, ast.keyword) and node.arg else []


def _weighted_calls(run_data: RunData, scopes: list) -> list:
    """Cross-entropies that are given ``weight``: functions called there, or the cells that were trained with, wherever made."""
    used = {one.class_ for one in run_data.losses}
    nodes = [scope.node for scope in scopes]
    found = []
    for call in run_data.project.calls():
        name = (run_data.project.qualified(call.node.func, call.scope) or "").rsplit(".", 1)[-1]
        if not _WEIGHTED.search(name) or not _weights_given(call.node):
            continue
        around: Optional[Scope] = call.scope
        while around is not None and around.node not in nodes:
            around = around.parent
        if name in used or around is not None:
            found.append(call)
    return found


def _weights_given(call: ast.Call) -> list:
    """The expressions that a call is given as ``weight`` or ``pos_weight``, by position only by the functional losses."""
    given = [word.value for word in call.keywords if word.arg in ("weight", "pos_weight")]
    if _POSITIONAL.search(ast.unparse(call.func)):
        given += reversed(call.args[2:4])
    return [value for value in given if not (isinstance(value, ast.Constant) and value.value is None)]
