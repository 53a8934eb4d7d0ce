"""All ways through the scripts that matter: which conditions there are, and what each of them leads to."""

from collections.abc import Iterable
from typing import Optional

from msprec.source.flow.domain import GRADIENT, Func, Num, Tup, Unknown
from msprec.source.flow.events import World
from msprec.source.flow.library import SCALE_NAME
from msprec.source.flow.machine import Exhausted, Machine
from msprec.source.module import Module, Scope
from msprec.source.project import Project
from msprec.source.values import Values

#: Ways through one script; with more conditions than these allow, some combinations are not looked at.
_MOST = 24


def worlds(project: Project, values: Values, entries: Iterable[Module]) -> list:
    """The ways through each entry, as `World`s. Never raises: what goes wrong makes a world incomplete."""
    found = []
    for entry in entries:
        found += explore(project, values, lambda machine, entry=entry: machine.module(entry))
    return found


def worlds_of_function(project: Project, values: Values, scope: Scope) -> list:
    """The ways through one function whose caller was not read; parameters named like gradients are gradients of unknown degree."""

    def run(machine: Machine) -> None:
        env = machine.module(scope.module)
        names = [arg.arg for arg in (*scope.node.args.posonlyargs, *scope.node.args.args)]
        machine.call(Func(scope, env), [_guess(name) for name in names], {}, scope.node)

    return explore(project, values, run)


def _guess(name: str):
    if name.startswith("grad"):
        return Num(None, GRADIENT)
    return Num(frozenset([1.0]), "scale") if SCALE_NAME.match(name) else Tup([]) if name == "args" else Unknown(name)


def explore(project: Project, values: Values, run) -> list:
    """Runs once for each combination of the open conditions that the runs meet."""
    waiting, found = [{}], []
    while waiting and len(found) < _MOST:
        assumed = waiting.pop()
        machine = Machine(project, values, assumed)
        why = _outcome(machine, run)
        found.append(World({name: machine.assumed[name] for name in machine.consulted}, machine.events, why is None, why or ""))
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
