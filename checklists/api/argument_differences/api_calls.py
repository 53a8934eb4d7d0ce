"""The calls of a script whose arguments the table of API differences knows, and their counterparts in a reference (api.01)."""

import ast
import re
from collections.abc import Callable, Collection
from difflib import SequenceMatcher
from typing import Any, NamedTuple, Optional

from msprec.checklists.api.argument_differences.api_mapping import CallSetting, role_of, settings
from msprec.checklists.common.script.cell_arguments import recorded_arguments
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.module import Call, Module
from msprec.source.project import Project
from msprec.source.reachability import reachable
from msprec.source.signatures import Argument, arguments
from msprec.source.values import UNKNOWN, Values

#: The settings that tell which of several calls of one role is which.
_KEYS = ("output channels", "kernel size", "groups")

#: The folder of classes that MindSpore writes anew.
_REWRITTEN = "rewritten_network"


class ApiCall(NamedTuple):
    """One call with its effective settings."""

    api: str
    role: str
    file: str
    line: int
    end: int
    code: str
    settings: dict
    arguments: dict
    #: Where it stands in the source; None for a call that made cells of a network that ran.
    source: Optional[Call] = None

    @property
    def place(self) -> Fact:
        return place(self.file, self.line)

    @property
    def key(self) -> tuple:
        """What the call makes, as far as it is known: (16 channels, 3)."""
        found = [self.settings[name].value for name in _KEYS if name in self.settings]
        return tuple(None if value is UNKNOWN else value for value in found)


class SettingPair(NamedTuple):
    """A setting that differs, or that cannot be compared, between a call and its counterpart."""

    call: ApiCall
    setting: CallSetting
    other_call: ApiCall
    other: CallSetting


def calls_of(
    project: Project,
    values: Values,
    entries: list[Module],
    version: Optional[str] = None,
    ran: Collection = (),
    asked: Callable[[str, str, Call], bool] = lambda api, role, call: True,
) -> list:
    """The calls that the table knows, in files and lines, of what the entries can reach.

    Args:
        project: The files.
        values: What their expressions stand for.
        entries: The modules that are started.
        version: Of MindSpore; None: the newest.
        ran: (file, line) of what a run is known to have called; a registry of models reaches it, no name does.
        asked: Which calls of an API, of a role, are asked for: of no other are the arguments read.
    """
    reached = reachable(project, entries)
    found = []
    for call in project.calls():
        if call.scope not in reached and not call.is_at(ran):
            continue
        callee = project.callee(call.node, call.scope)
        role = role_of(callee.name) if callee is not None else None
        if callee is None or role is None or not asked(callee.name, role, call):
            continue
        if (effective := arguments(project, values, callee, call.node, call.scope, version)) is None:
            continue
        found.append(_api_call(callee.name, role, call, effective, version))
    return found


def _api_call(api: str, role: str, call, effective: dict, version: Optional[str]) -> ApiCall:
    code = ast.unparse(call.node)
    return ApiCall(
        api,
        role,
        call.scope.module.file,
        call.node.lineno,
        call.node.end_lineno or call.node.lineno,
        code if len(code) <= 120 else code[:117] + "…",
        settings(api, effective, version),
        effective,
        call,
    )


def recorded_calls(run_data: RunData, ran: Collection) -> list:
    """The calls of MindSpore of a recorded run without those that made no cell of its networks, the cells' own arguments put in.

    Calls of a kind that no network recorded (functions, optimizers, losses of a functional step) stay as they were read, and all
    of them where MindSpore wrote the network's classes anew, as ``amp.auto_mixed_precision`` does at O1.
    """
    cells = [cell for network in run_data.networks for cell in network.cells if cell.created]
    anew = any(_REWRITTEN in (cell.created.file or "").split("/") for cell in cells)
    placed: dict[tuple, list] = {}
    for cell in (cell for cell in cells if cell.builtin and not anew):
        placed.setdefault((cell.created.file, cell.class_), []).append(cell)

    def made(api: str, call: Call) -> list:
        cells = placed.get((call.scope.module.file, api.rpartition(".")[2]), [])
        first, last = call.node.lineno, call.node.end_lineno or call.node.lineno
        return [cell for cell in cells if cell.created.line is not None and first <= cell.created.line <= last]

    def asked(api: str, role: str, call: Call) -> bool:
        # a layer that made no cell is in no network that ran
        return api.startswith("mindspore.") and not (placed and _is_layer(api, role) and not made(api, call))

    version = run_data.mindspore_version
    calls = calls_of(run_data.project, run_data.values, run_data.entries, version, ran, asked)
    each = [made(call.api, call.source) for call in calls]
    return [_with_recorded(call, same, version) if same else call for call, same in zip(calls, each)]


def _is_layer(api: str, role: str) -> bool:
    """Is it a call that makes a cell of the network?"""
    layer = api.startswith(("mindspore.nn.", "mindspore.mint.nn.")) and ".functional." not in api
    return (
        layer
        and not role.endswith("loss")
        and not role.startswith("cross_entropy")
        and role not in ("adam", "sgd", "rmsprop", "adagrad", "adadelta", "adamax")
    )


def _with_recorded(call: ApiCall, cells: list, version: Optional[str]) -> ApiCall:
    """The arguments that the cells tell of themselves (``keep_prob=0.9``), where all of them agree."""
    told = [recorded_arguments(cell) for cell in cells]
    effective = dict(call.arguments)
    for name in told[0]:
        values = [entry.get(name) for entry in told]
        before = effective.get(name)
        if before is None or any(value != values[0] for value in values):
            continue
        effective[name] = Argument(values[0], before.given, f"{name}={values[0]}", before.line)
        if name == "p" and "keep_prob" in effective and values[0] is not None:
            effective["keep_prob"] = effective["keep_prob"]._replace(value=UNKNOWN)
        if name == "keep_prob":
            effective["p"] = effective["p"]._replace(value=None)
    return call._replace(arguments=effective, settings=settings(call.api, effective, version), source=None)


def matched(calls: list, others: list) -> tuple:
    """([(call, its counterpart)], calls without one): by role, by what is made, and in order.

    A function stands for the layer of the same name where the other side has no such layer (``ops.dropout``).
    """
    pairs, alone = [], []
    for role in dict.fromkeys(call.role for call in calls):
        here = [call for call in calls if call.role == role]
        there = [other for other in others if other.role == role] or [
            other for other in others if _kin(other.role, role)
        ]
        found = _aligned(here, there)
        taken = {id(call) for call, _ in found}
        pairs += found
        alone += [call for call in here if id(call) not in taken]
    return pairs, alone


def _kin(one: str, other: str) -> bool:
    return one.replace("functional_", "") == other.replace("functional_", "")


def _aligned(here: list, there: list) -> list:
    if len(here) == len(there) and (
        _agree(here, there) or sorted(map(_sortable, here)) != sorted(map(_sortable, there))
    ):
        return list(zip(here, there))
    if len(here) == len(there):
        return list(zip(sorted(here, key=_sortable), sorted(there, key=_sortable)))
    matcher = SequenceMatcher(None, [call.key for call in here], [call.key for call in there], autojunk=False)
    return [(here[b.a + n], there[b.b + n]) for b in matcher.get_matching_blocks() for n in range(b.size)]


def _agree(here: list, there: list) -> bool:
    return all(one.key == other.key for one, other in zip(here, there))


def _sortable(call: ApiCall) -> str:
    return repr(call.key)


class ComparedCalls(NamedTuple):
    """Settings that differ, settings that cannot be known (both `SettingPair`s), calls without counterpart, and what is equal."""

    differ: list
    unclear: list
    alone: list
    equal: int


_INITIALISES = re.compile(
    r"\bnn\.init\.|\binit\.\w+_\(|\.weight\.data\b|init_weights|\binitializer\(|\.set_data\(|weight_init"
)


def initialises_itself(project: Project) -> bool:
    """Do the files set initial values of their own? Then those of the layers' defaults say nothing."""
    return project.mentions(_INITIALISES)


def without_initial_values(calls: list) -> list:
    """The calls less the settings that speak of initial values."""
    return [
        call._replace(
            settings={name: entry for name, entry in call.settings.items() if entry.row.kind != "initialiser"}
        )
        for call in calls
    ]


def compared(calls: list, others: list) -> ComparedCalls:
    """The calls of a script held against those of its reference."""
    pairs, alone = matched(calls, others)
    result = ComparedCalls([], [], [], 0)
    equal = 0
    for call, other in pairs:
        equal += _compare(call, other, call.settings, result)
    for call in alone:
        common = _common(call, [other for other in others if _kin(other.role, call.role)])
        equal += sum(_compare(call, other, [name], result) for name, other in common.items())
        if not common:
            result.alone.append(call)
    return result._replace(equal=equal)


def _common(call: ApiCall, others: list) -> dict:
    """{setting: a call of the reference}: settings that all calls of the role agree on there, so that any stands for them."""
    found = {}
    for name in call.settings:
        values = [other.settings[name].value for other in others if name in other.settings]
        shaped = name in (*_KEYS, "stride", "padding", "dilation")
        if values and not shaped and UNKNOWN not in values and all(value == values[0] for value in values):
            found[name] = next(other for other in others if name in other.settings)
    return found


def _compare(call: ApiCall, other: ApiCall, names, result: ComparedCalls) -> int:
    """Notes what differs or cannot be known; gives the number of equal settings."""
    equal = 0
    for name in names:
        setting, counterpart = call.settings[name], other.settings.get(name)
        if counterpart is None:
            continue
        if UNKNOWN in (setting.value, counterpart.value):
            if not _same_text(setting, counterpart) and (setting.row.ask or setting.row.kind == "meaning"):
                result.unclear.append(SettingPair(call, setting, other, counterpart))
        elif name == "axis" and (setting.value < 0) != (counterpart.value < 0):
            continue  # -1 and 1 are the same of a matrix
        elif _differs(setting.value, counterpart.value):
            result.differ.append(SettingPair(call, setting, other, counterpart))
        else:
            equal += 1
    return equal


def _same_text(one: CallSetting, other: CallSetting) -> bool:
    """Both frameworks are given the same expression (``momentum=args.momentum``) with the same meaning."""
    same_meaning = one.conversion == other.conversion
    return one.given and other.given and one.code == other.code and one.code != "" and same_meaning


def _differs(one: Any, other: Any) -> bool:
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return abs(one - other) > 1e-9 * max(abs(one), abs(other))
    return one != other
