"""What the declared design (``msprec.toml``) decides: sharing, freezing, layers, loss, shuffling, padding, batch size."""

from collections import Counter
from fnmatch import fnmatchcase
from typing import Optional

from msprec.bilingual import Joined, Text, listed
from msprec.checklists.common.findings import SIDES, first_place, note, padded_side, role_of
from msprec.engine.finding import Evidence, Finding, ok, problem, table, undecided
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

_PADDING = ("side", "value", "length")
_ADVICE = Text(
    "让脚本与 {file} 中声明的设计一致；若设计已改变，修改该文件。",
    "Make the script agree with the design declared in {file}, or change that file where the design has changed.",
)


def matches(name: str, patterns: list) -> bool:
    """Whether a name is one of the patterns, which may hold ``*`` and ``?``."""
    return any(fnmatchcase(name, str(pattern)) for pattern in patterns)


def _problem(run_data: RunData, summary: Text, evidence, places) -> Finding:
    return problem(
        summary, Text(_ADVICE.zh, _ADVICE.en, file=run_data.design.file), [_shown(run_data), *evidence], places
    )


def _shown(run_data: RunData) -> Evidence:
    design = run_data.design
    rows = [
        [key, str(value)]
        for key, value in (
            ("frozen_parameters", design.frozen_parameters),
            ("shared_parameters", design.shared_parameters),
            ("layers", design.layers),
            ("loss", design.loss),
            ("shuffle", design.shuffle),
            ("batch_size", design.batch_size),
            ("padding", ", ".join(f"{k} = {getattr(design.padding, k)}" for k in _PADDING if k in design.padding)),
        )
        if key in design
    ]
    shown = table(Text("声明的设计", "The declared design"), [Text("键", "key"), Text("值", "value")], rows)
    shown.source = "design"
    return shown


# --- cg.01 ---------------------------------------------------------------------------------------------------------
def sharing(run_data: RunData) -> Optional[Finding]:
    """cg.01 where ``shared_parameters`` is declared."""
    if "shared_parameters" not in run_data.design:
        return None
    declared = [set(group) for group in run_data.design.shared_parameters]
    actual = [_names_of(one) for network in run_data.networks for one in network.shared_parameters]
    cells = [one for network in run_data.networks for one in network.shared_cells if one.parameters]
    everything = [{p.name, p.path} for p in run_data.parameters]
    actual += [names for cell in cells for names in _of_cell(cell, everything)]
    missing = [group for group in declared if not _is_shared(group, actual, everything)]
    places = [cell.created for cell in cells]
    if missing:
        names = set().union(*missing)
        places = [
            p.created for p in run_data.parameters if any(matches(n, list(names)) for n in (p.name, p.path))
        ] + places
        summary = Text(
            "设计中共享的 {names} 在网络中是各自独立的参数。",
            "The design shares {names}, which are separate parameters in the network.",
            names=listed(" = ".join(sorted(group)) for group in missing),
        )
        return _problem(run_data, summary, [], places or [network.place for network in run_data.networks])
    extra = [names for names in actual if not any(_covers(group, names) for group in declared)]
    if extra:
        summary = Text(
            "{names} 共享权重，而设计中没有声明。",
            "{names} share weights, which the design does not declare.",
            names=listed(" = ".join(sorted(names)[:4]) for names in extra),
        )
        return _problem(run_data, summary, [], places or [network.place for network in run_data.networks])
    return ok(
        Text("共享的权重与声明的设计一致。", "The weights are shared as the declared design has it."),
        [_shown(run_data)],
    )


def _covers(group: set, names: set) -> bool:
    """Whether each name or pattern of a declared group is among the names of one shared weight."""
    return all(any(fnmatchcase(name, str(pattern)) for name in names) for pattern in group)


def _is_shared(group: set, actual: list, everything: list) -> bool:
    """Whether some shared weight has all names of the group, and no parameter that its patterns mean stands outside."""
    covered = [names for names in actual if _covers(group, names)]
    meant = [names for names in everything if any(matches(str(name), list(group)) for name in names)]
    return bool(covered) and all(any(names & shared for shared in covered) for names in meant)


def _names_of(parameter: Fact) -> set:
    return {parameter.name, *parameter.paths}


def _of_cell(cell: Fact, everything: list) -> list:
    """The names of each weight of a shared cell: its own, and one for each way to the cell.

    A parameter keeps the name of one way, which a container may have numbered several times (``blocks.2.1.0.weight``); its
    path in the network says which weight of the cell it is. ``everything``: the names and the path of each parameter.
    """
    found = []
    for name in cell.parameters:
        ways = [one for one in everything if name in one] or [{name}]
        tails = {
            way[len(path) + 1 :] for one in ways for way in one for path in cell.paths if way.startswith(f"{path}.")
        }
        found += [{name, *(f"{path}.{tail}" for path in cell.paths)} for tail in tails]
    return found


# --- cg.02 ---------------------------------------------------------------------------------------------------------
def freezing(run_data: RunData, groups) -> Optional[Finding]:
    """cg.02 where ``frozen_parameters`` is declared; ``groups``: `weight_updates.ParameterGroups`."""
    if "frozen_parameters" not in run_data.design:
        return None
    patterns = run_data.design.frozen_parameters
    still = [*groups.frozen, *groups.left_out, *groups.stuck]
    moved = [p for p in groups.moved if matches(p.name, patterns)]
    undeclared = [p for p in still if not matches(p.name, patterns)]
    if moved:
        summary = Text(
            "{n} 个设计中冻结的权重在训练中有变化：{names}。",
            "{n} weights that the design freezes were updated in the training: {names}.",
            n=len(moved),
            names=listed(p.name for p in moved),
        )
        return _problem(run_data, summary, [], _freezing_places(run_data, moved))
    if undeclared:
        summary = Text(
            "{n} 个设计中要训练的权重没有变化：{names}。",
            "{n} weights that the design trains were not updated: {names}.",
            n=len(undeclared),
            names=listed(p.name for p in undeclared),
        )
        return _problem(run_data, summary, [], _freezing_places(run_data, undeclared))
    if groups.unknown or not groups.moved:
        return None
    return ok(
        Text(
            "冻结的 {n} 个权重与声明的设计一致，其余 {rest} 个都有变化。",
            "The {n} frozen weights are those of the declared design; the other {rest} were updated.",
            n=len(still),
            rest=len(groups.moved) + len(groups.excused),
        ),
        [_shown(run_data)],
    )


def _freezing_places(run_data: RunData, parameters: list) -> list:
    optimizers = [o.place for o in run_data.optimizers if o.used is not False]
    return [*[p.created for p in parameters[:3]], *optimizers, *[network.place for network in run_data.networks]]


# --- cg.03 ---------------------------------------------------------------------------------------------------------
def layers(run_data: RunData) -> Optional[Finding]:
    """A problem of cg.03 where a declared layer is absent; None otherwise."""
    if "layers" not in run_data.design:
        return None
    graph = run_data.probes.graph.cells
    cells = [c for c in graph if c.calls] or [c for n in run_data.networks if n.role == "train" for c in n.cells]
    lacking = Counter(run_data.design.layers) - Counter(cell.class_ for cell in cells)
    if not lacking:
        return None
    summary = Text(
        "设计中的层在网络中缺少：{names}。",
        "Layers of the design are missing in the network: {names}.",
        names=listed(f"{name} x {n}" for name, n in lacking.items()),
    )
    return _problem(run_data, summary, [], [network.place for network in run_data.networks])


# --- cg.04 ---------------------------------------------------------------------------------------------------------
def loss(run_data: RunData) -> Optional[Finding]:
    """A problem of cg.04 where the loss is another than the one declared; None otherwise."""
    wanted = run_data.design.loss
    used = [one.name for one in (*run_data.probes.losses, *run_data.probes.own_losses)]
    used += [one.class_ or "" for one in run_data.losses]
    if not wanted or not used or any(wanted.lower() in name.lower() for name in used):
        return None
    places = [one.place for one in (*run_data.probes.losses, *run_data.losses)]
    summary = Text(
        "使用的 loss 是 {used}，设计中是 {wanted}。",
        "The loss is {used}; the design has {wanted}.",
        used=listed(dict.fromkeys(used)),
        wanted=wanted,
    )
    return _problem(run_data, summary, [], places)


# --- dp.04 ---------------------------------------------------------------------------------------------------------
def padding(run_data: RunData, judged: list, shown: list) -> Optional[Finding]:
    """dp.04 where ``padding`` is declared; ``judged``: (data set, padding) of each padded column; ``shown``: evidence.

    None where the delivered padding does not contradict it.
    """
    declared = run_data.design.padding
    if "padding" not in run_data.design or not judged:
        return None
    faults = [
        fault
        for dataset in dict.fromkeys(d for d, _ in judged)
        for fault in _padded_otherwise(declared, dataset, [pad for d, pad in judged if d is dataset])
    ]
    if not faults:
        return None
    summary = Text(
        "补齐与声明的设计不同：{what}。",
        "The padding is not that of the declared design: {what}.",
        what=Joined(faults[:4], zh="；", en="; "),
    )
    return _problem(run_data, summary, shown, [first_place(dataset) for dataset, _ in judged])


def unpadded(run_data: RunData, sequences: list) -> Finding:
    """dp.04 where ``padding`` is declared and nothing delivered is padded; ``sequences``: columns of whole numbers."""
    length = run_data.design.padding.length
    if length and all(column.shape[-1:] == [length] for column in sequences):
        summary = Text(
            "所有序列的长度已是设计中的 {n}，无需补齐。",
            "Every sequence has the design's length of {n} as it is: nothing had to be padded.",
            n=length,
        )
        return ok(summary, [_shown(run_data)])
    return undecided(
        Text(
            "设计声明了补齐，而送入网络的数据中没有补齐。", "The design pads, and nothing that was delivered is padded."
        ),
        Text(
            "确认补齐是否在网络内部进行，或各 batch 是否长度相同。",
            "Check whether the network pads by itself, or whether the sequences of each batch are of one length.",
        ),
        [_shown(run_data)],
    )


def _padded_otherwise(declared: Fact, dataset: Fact, pads: list) -> list:
    """What contradicts the design in one data set. Labels may be padded with a value of their own beside the declared one."""
    if "value" in declared:
        named = [pad for pad in pads if pad.value == declared.value]
        if not named:
            return [_differs(dataset, pad, pad.value, declared.value) for pad in pads[:2]]
        pads = named
    found = []
    for pad in pads:
        side = padded_side(pad)
        if "side" in declared and side != declared.side:
            found.append(_differs(dataset, pad, SIDES[side], SIDES[declared.side]))
        if "length" in declared and pad.lengths and set(pad.lengths) != {declared.length}:
            found.append(
                _differs(
                    dataset,
                    pad,
                    Text("长度 {n}", "length {n}", n="–".join(map(str, sorted(set(pad.lengths))))),
                    declared.length,
                )
            )
    return found


def _differs(dataset: Fact, pad: Fact, seen, wanted) -> Text:
    return Text(
        "{role}的 {column} 为 {seen}，设计为 {wanted}",
        "{column} of the {role} has {seen}, the design {wanted}",
        role=role_of(dataset),
        column=pad.column,
        seen=seen,
        wanted=wanted,
    )


# --- dp.03, hp.03 ----------------------------------------------------------------------------------------------------
def not_shuffled(run_data: RunData) -> Optional[Finding]:
    """dp.03 where the design wants the order kept; None otherwise."""
    if run_data.design.shuffle is not False:
        return None
    return ok(
        Text("设计声明不混洗数据。", "The declared design does not shuffle the data."),
        [_shown(run_data), note("未检查数据的顺序。", "The order of the data was not judged.")],
    )


def batch_size(run_data: RunData, seen: Optional[float], places: list) -> Optional[Finding]:
    """A problem of hp.03 where the global batch is another than the one declared; None otherwise."""
    wanted = run_data.design.batch_size
    if not wanted or not seen or int(seen) == wanted:
        return None
    summary = Text(
        "全局 batch 为 {seen}，设计中是 {wanted}。",
        "The global batch is {seen}; the design has {wanted}.",
        seen=int(seen),
        wanted=wanted,
    )
    return _problem(run_data, summary, [], places)
