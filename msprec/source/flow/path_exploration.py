"""All ways through the scripts that matter: which conditions there are, and what each of them leads to."""

import ast
import re
from collections.abc import Iterable
from typing import Optional

from msprec.source.flow.abstract_values import GRADIENT, Num, OneOf, Tup, Unknown
from msprec.source.flow.events import GIVEN, ExecutionPath
from msprec.source.flow.machine import Machine
from msprec.source.flow.mindspore_semantics import SCALE_NAME, is_step_base
from msprec.source.interpreter import Class, Exhausted, Function
from msprec.source.module import Module, Scope, last_name
from msprec.source.project import Project
from msprec.source.values import Values

#: Ways through one script; with more conditions than these allow, some combinations are not looked at.
_MOST = 48
#: Steps of the machine for all scripts together: some six seconds.
_BUDGET = 700_000
#: What only training needs, as plain words (searched for in every file) and as the calls that a word alone does not tell.
_TRAINS = ("value_and_grad", "GradOperation", "TrainOneStep", "build_train_network")
_TRAINS_BY_CALL = {"Model(": re.compile(r"\bModel\("), "grad(": re.compile(r"\bgrad\(")}


def execution_paths(project: Project, values: Values, entries: Iterable[Module], whole: bool = False) -> list:
    """For each entry the list of its ways, as `World`s; for scripts that train nothing themselves, those of the training steps
    that the files define. ``whole``: a folder, of which every training step counts, also one that no entry was seen to use.
    Never raises: what goes wrong makes a world incomplete.
    """
    entries = _training(project, list(entries))
    budget = StepBudget()
    found = [explore(project, values, lambda machine, entry=entry: machine.module(entry), budget) for entry in entries]
    trains = any(event.kind in ("gradient", "update") for worlds in found for world in worlds for event in world.events)
    if whole or not trains:
        steps = _defined_steps(project, budget.entered if trains else set())
        defined = [explore(project, values, run, budget) for run in steps]
        defined = [worlds for worlds in defined if any(world.events for world in worlds)]
        found = [*found, *defined] if trains else defined or found
    return found


def _defined_steps(project: Project, entered: set) -> list:
    """How to run each training cell and each function with gradients that nobody was seen to call."""
    runs = []
    for module in list(project.modules.values()):
        for scope in module.scopes.values():
            if scope in entered or entered & set(scope.inner):
                continue
            if scope.is_class and any(is_step_base(name) for name in project.bases(scope)):
                runs.append(lambda machine, scope=scope: _run_class(machine, scope))
            elif isinstance(scope.node, ast.FunctionDef) and scope.parent is module.scope and _has_gradients(scope):
                runs.append(lambda machine, scope=scope: _run_function(machine, scope))
    return runs[:_MOST]


def _has_gradients(scope: Scope) -> bool:
    called = {last_name(node) for node in ast.walk(scope.node) if isinstance(node, ast.Call)}
    return bool(called & {"value_and_grad", "grad", "GradOperation"})


def _run_class(machine: Machine, scope: Scope) -> None:
    env = machine.module(scope.module)
    machine.guessing = True
    init = machine.project.method(scope, "__init__")
    if init is not None:
        given = _guesses(machine, init.node.args.args[1:], init.node.args.defaults)
    else:
        given = [_guess(name) for name in ("network", "optimizer", "scale_sense")]
    made = machine.call(Class(scope, env), given, {}, scope.node)
    machine.call(made, [Num(), Num()], {}, scope.node)


def _run_function(machine: Machine, scope: Scope) -> None:
    """Parameters named like gradients are gradients of unknown degree; functions that it makes are called."""
    env = machine.module(scope.module)
    machine.guessing = True
    given = _guesses(machine, [*scope.node.args.posonlyargs, *scope.node.args.args], scope.node.args.defaults)
    made = machine.call(Function(scope, env), given, {}, scope.node)
    for part in made.parts if isinstance(made, Tup) else [made]:
        if isinstance(part, (Function, OneOf)):
            machine.call(part, [Num(), Num()], {}, scope.node)


def _guesses(machine: Machine, parameters: list, defaults: list) -> list:
    """What a caller that was not read may have given. A scale whose default is 1 may have been left so."""
    stated = dict(zip([arg.arg for arg in parameters[len(parameters) - len(defaults) :]], defaults))
    given = []
    for name in (arg.arg for arg in parameters):
        default = getattr(stated.get(name), "value", None)
        left = SCALE_NAME.match(name) and default in (1, 1.0) and default is not True
        given.append(Num(value=1.0) if left and not machine.suppose(f"{name}{GIVEN}") else _guess(name))
    return given


def _guess(name: str):
    if name in ("grad", "grads", "gradient", "gradients"):
        return Num(None, GRADIENT)
    return Num(frozenset([1.0]), "scale") if SCALE_NAME.match(name) else Tup([]) if name == "args" else Unknown(name)


class StepBudget:
    """What may still be spent on all scripts together, in steps of the machine, and what they have entered."""

    def __init__(self, steps: int = _BUDGET):
        self.steps, self.entered = steps, set()


def _training(project: Project, entries: list) -> list:
    """Of many scripts those that train: they, or what they import, name something that only training needs."""
    if len(entries) <= 1:
        return entries
    telling = {module for module in project.modules.values() if _trains(project.text_of(module.file) or "")}
    return [entry for entry in entries if telling & _closure(project, entry)]


def _trains(text: str) -> bool:
    if any(word in text for word in _TRAINS):
        return True
    return any(word in text and call.search(text) for word, call in _TRAINS_BY_CALL.items())


def _closure(project: Project, entry: Module) -> set:
    found, waiting = set(), [entry]
    while waiting:
        module = waiting.pop()
        if module in found:
            continue
        found.add(module)
        waiting += filter(None, (project.module_of(dotted, module) for dotted, _ in module.imported))
    return found


def explore(project: Project, values: Values, run, budget: StepBudget) -> list:
    """Runs once for each combination of the open conditions that the runs meet."""
    waiting, found = [{}], []
    if budget.steps <= 0:
        return [ExecutionPath({}, [], False, "many scripts")]
    while waiting and len(found) < _MOST and budget.steps > 0:
        assumed = waiting.pop()
        machine = Machine(project, values, assumed)
        why = _outcome(machine, run)
        budget.steps -= machine.steps
        budget.entered |= machine.entered
        found.append(
            ExecutionPath(
                {name: machine.assumed[name] for name in machine.consulted}, machine.events, why is None, why or ""
            )
        )
        fixed = len(assumed)
        for number in range(fixed, len(machine.consulted)):
            earlier = {name: machine.assumed[name] for name in machine.consulted[:number]}
            waiting.insert(0, {**assumed, **earlier, machine.consulted[number]: False})
    if waiting:
        found[-1] = found[-1]._replace(complete=False, why="many conditions")
    return found


def _outcome(machine: Machine, run) -> Optional[str]:
    """None where the run came to its end, else why it did not."""
    try:
        run(machine)
    except Exhausted:
        return "too long"
    except RecursionError:
        return "too deep"
    except Exception as error:  # a construct that the machine does not know must not cost the user the other items
        return f"{type(error).__name__}: {error}"
    return None
