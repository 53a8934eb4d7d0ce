"""Which weights trained, which were frozen, which were not updated: sorting the parameters of a run (cg.02)."""

import math
import re
from typing import NamedTuple, Optional

import numpy as np

from msprec.checklists.common.script.network_chain import learnt_inputs
from msprec.checklists.common.training.given_gradients import SCALE_FREE
from msprec.checklists.common.weights.pretrained_weights import modules_of
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

_MACHINERY = re.compile(
    r"(^|\.)(global_step|learning_rate|scale_sense|loss_scale|sens|moments?|moment[12]|accu?m|beta[12]_power)(\.|$)"
)


class ParameterGroups(NamedTuple):
    """The parameters of the trained network by what happened to them."""

    moved: list
    frozen: list
    left_out: list  # trainable, not in the optimizer, and not moved otherwise
    stuck: list  # trainable, in the optimizer, never updated
    excused: list  # biases and scales beside a weight that moved, sampled embeddings
    unknown: list
    shrunk: list  # only shrank in proportion, and whether a gradient reached it is not known


def sort_parameters(run_data: RunData) -> ParameterGroups:
    groups = ParameterGroups([], [], [], [], [], [], [])
    apart = [parameter for network in (*teachers(run_data), *resting_parts(run_data)) for parameter in network]
    considered = [
        parameter
        for parameter in run_data.parameters
        if is_trainable_kind(parameter) and not any(parameter is other for other in apart)
    ]
    moving_cells = {p.cell for p in considered if p.moved.any and not p.moved.proportional}
    for parameter in considered:
        getattr(groups, _group(run_data, parameter, moving_cells)).append(parameter)
    return groups


def nothing_updated(run_data: RunData) -> bool:
    """Whether updates were made and none changed any weight: what the loss does then comes from the batches alone."""
    groups = run_data.once(sort_parameters)
    return bool(groups.stuck) and not (groups.moved or groups.unknown or groups.excused or groups.shrunk)


def lacks_weights(run_data: RunData) -> bool:
    """Whether most of the trainable values are not given to any optimizer, and were not updated otherwise."""
    groups = run_data.once(sort_parameters)
    left, rest = (sum(one.size or 0 for one in part) for part in (groups.left_out, [*groups.moved, *groups.stuck]))
    return left > rest


def by_network(run_data: RunData) -> list:
    """(class, parameters) of each network: the facts list the parameters network by network, in the order of the networks, and
    others that stand in no cell."""
    sizes = [len({name for cell in network.cells for name in cell.parameters}) for network in run_data.networks]
    inside = [one for one in run_data.parameters if one.cell_class]
    if sum(sizes) != len(inside) or len(sizes) < 2:
        return []
    starts = [sum(sizes[:number]) for number in range(len(sizes))]
    return [
        (network.class_, inside[start : start + size])
        for network, start, size in zip(run_data.networks, starts, sizes)
        if size
    ]


def teachers(run_data: RunData) -> list:
    """The parameters of each network that only lends its output: none of them in an optimizer, none moved, and run in
    inference mode while another network trains, never in training mode in a step.

    Where nothing runs in training mode the mode tells nothing: a network that no checkpoint filled, and that puts out what a
    trained one is given in each step, is a part of what trains.
    """
    networks = by_network(run_data)
    still = [(name, parameters) for name, parameters in networks if untrained(parameters)]
    if len(still) == len(networks):
        return []
    lending = {
        phase.root
        for phase in run_data.phases
        if phase.root_training is False and (phase.gradient or phase.phase == "forward")
    }
    classes = [network.class_ for network in run_data.networks]
    # evaluated at the end like the rest, after it ran in training mode in each step; a student may be of its teacher's class
    trained = {phase.root for phase in run_data.phases if phase.root_training and phase.gradient}
    lending -= {name for name in trained if classes.count(name) == 1}
    chain = run_data.once(learnt_inputs)
    if not any(phase.root_training for phase in run_data.phases):
        lending -= {name for names in chain.values() for name in names} - _filled(run_data)
    # what takes the output of what trains and that no checkpoint filled is a part of it too, as a decoder is
    resting = {name for name, _ in still}
    lending -= {name for name, before in chain.items() if not resting.issuperset(before)} - _filled(run_data)
    return [parameters for name, parameters in still if name in lending]


def _filled(run_data: RunData) -> set:
    """The classes of the networks that a checkpoint was loaded into; of all, where into which is not known."""
    loads = [one for one in run_data.loads if not one.optimizer]
    if any(not one.network for one in loads):
        return {network.class_ for network in run_data.networks}
    return {one.network for one in loads}


def resting_parts(run_data: RunData) -> list:
    """The parameters of each part of a network that rests in inference mode at every training step, and of which no optimizer
    has a weight: a teacher inside the training cell."""
    resting: dict[str, list] = {}
    for phase in run_data.phases:
        if phase.phase == "train" or phase.gradient:
            resting.setdefault(phase.network, []).append(set(phase.resting))
    paths = set().union(*[set.intersection(*seen) for seen in resting.values()])
    parts = [[p for p in run_data.parameters if f"{p.path}.".startswith(f"{path}.")] for path in sorted(paths)]
    return [part for part in parts if part and untrained(part)]


def untrained_roots(run_data: RunData) -> set:
    """The classes of networks of which nothing trained, beside one that did."""
    networks = by_network(run_data)
    still = [name for name, parameters in networks if untrained(parameters)]
    return set(still) if len(still) < len(networks) else set()


def lends_features(run_data: RunData, groups: ParameterGroups) -> bool:
    """Whether what the optimizer was not given are whole parts that a checkpoint filled, beside a part that it did not fill
    and that trains: features of a pretrained network under a new head."""
    left, moved = ([p.path.split(".") for p in group] for group in (groups.left_out, groups.moved))
    tops = {path[0] for path in left}
    for load in run_data.loads:
        parts = {name: (count, loaded) for name, count, loaded in modules_of(load)} if not load.optimizer else {}
        filled = {name for name, (count, loaded) in parts.items() if count and loaded == count}
        if tops <= filled and any(path[0] in parts and not parts[path[0]][1] for path in moved):
            return True
        # loaded into the part itself
        whole = len(filled) == len(parts) and load.loaded == len(left)
        inside = len(tops) == 1 and {path[1] for path in left if len(path) > 1} == filled
        if whole and inside and any(path[0] not in tops for path in moved):
            return True
    return False


def untrained(parameters: list) -> bool:
    """Whether none of these parameters is in an optimizer and changed, its statistics aside."""
    return not any(
        (parameter.in_optimizer and parameter.requires_grad is not False) or parameter.moved.any
        for parameter in parameters
        if parameter.kind != "statistic"
    )


def decayed_alone(run_data: RunData, parameter: Fact) -> Optional[bool]:
    """Whether a weight that shrank in proportion did so by weight decay alone: its optimizer decays, and no gradient came.

    A weight that trains with tiny gradients under strong regularisation shrinks in proportion too, to within what can be
    told from its values. None where the gradient was not seen, neither in a step that was run again nor in a sampled one.
    """
    came = gradients_came(run_data, parameter)
    if True in came:
        return False
    used = [optimizer for optimizer in run_data.optimizers if optimizer.used is not False]
    holding = [optimizer for optimizer in used if parameter.name in optimizer.parameter_names] or used
    if holding and all(optimizer.weight_decay == 0 for optimizer in holding):
        return False
    return True if came else None


def decays_without_gradient(run_data: RunData, parameter: Fact) -> bool:
    """Whether no gradient of a weight came, in two looks at the least of which one is late, and its optimizer decays and
    normalises its steps, as Adam does, which moves such a weight, and not in proportion. Behind a last layer that starts at zero
    none comes at first."""
    holding = [one for one in run_data.optimizers if parameter.name in one.parameter_names]
    decays = [one.weight_decay for one in holding if SCALE_FREE.search(one.class_ or "")]
    known = any((one or 0) > 0 for one in decays) and _seen_late(run_data, parameter)
    return known and len(gradients_came(run_data, parameter)) > 1 and decayed_alone(run_data, parameter) is True


def _seen_late(run_data: RunData, parameter: Fact) -> bool:
    """Whether its gradient was sampled in the second half of the training."""
    steps = [step for step, _ in run_data.once(_sampled_norms).get(parameter.name, ())]
    return max(steps, default=0) > run_data.training_steps / 2


def gradients_came(run_data: RunData, parameter: Fact) -> list:
    """Whether a gradient came, for each cell of the step that was run again that may hold the weight, and each sampled step."""
    replayed = run_data.once(_replayed_gradients).get(parameter.cell, [])
    sampled = [norm for _, norm in run_data.once(_sampled_norms).get(parameter.name, ())]
    return replayed + [norm != 0 for norm in sampled if norm is not None]


def _sampled_norms(run_data: RunData) -> dict:
    """``{parameter: [(step, norm of its gradient), …]}`` of the sampled steps."""
    norms: dict[str, list] = {}
    for row in run_data.gradients():
        norms.setdefault(row.get("parameter"), []).append((row.get("step") or 0, row.get("norm")))
    return norms


def _replayed_gradients(run_data: RunData) -> dict:
    """``{path: whether a gradient came}`` of the cells of the networks that the step which was run again calls; a list for each
    path, as networks may share it."""
    networks: list[list] = []
    for cell in run_data.probes.graph.cells:
        if not networks or not cell.path:
            networks.append([])
        networks[-1].append(cell)
    found: dict[str, list] = {}
    for cell in (cell for network in networks if any(one.calls for one in network) for cell in network):
        if cell.gradient is not None:
            found.setdefault(cell.path, []).append(cell.gradient)
    return found


def _group(run_data: RunData, parameter: Fact, moving_cells: set) -> str:
    if parameter.requires_grad is False:
        return "frozen"
    moved = parameter.moved.any
    shrank = moved and parameter.moved.proportional
    alone = decayed_alone(run_data, parameter) if shrank else decays_without_gradient(run_data, parameter) or False
    # what no optimizer has and moved all the same, the script updates itself
    if moved and (alone is False or parameter.in_optimizer is False):
        return "moved"
    if parameter.in_optimizer is False:
        # a vector that stands in no cell may be a constant of the loss, as weights of classes are
        return "excused" if not parameter.cell_class and len(parameter.shape) < 2 else "left_out"
    if moved is None:
        return "unknown"
    if parameter.kind in ("bias", "norm") and parameter.cell in moving_cells:
        return "excused"
    if parameter.compared == "sample" and "embed" in (parameter.cell_class + parameter.name).lower():
        return "excused"
    return "shrunk" if shrank and alone is None else "stuck"


def is_trainable_kind(parameter: Fact) -> bool:
    """Weights proper: no statistics, no counters, nothing that belongs to optimizer or loss scale."""
    if parameter.kind == "statistic" or parameter.size == 0:
        return False
    if re.match(r"(u?int|bool)", parameter.dtype.lower()):
        return False
    machinery = (
        _MACHINERY.search(parameter.name)
        or "LossScale" in parameter.cell_class
        or "TrainOneStep" in parameter.cell_class
    )
    return not (parameter.kind == "other" and machinery)


def applied_updates(run_data: RunData) -> int:
    """Steps that changed the weights: neither skipped for overflow nor made with a learning rate of zero."""
    steps = run_data.steps()
    if not len(steps):
        return run_data.training_steps
    overflow = np.nan_to_num(steps["overflow"]) > 0
    # the rate of a row is that of the first group: other groups may move when it is zero
    grouped = any(optimizer.learning_rate.kind == "groups" for optimizer in run_data.optimizers)
    still = steps.seen("lr") & (steps["lr"] == 0) & (not grouped)
    return int(np.count_nonzero(~overflow & ~still))


def largest_rate(run_data: RunData):
    """The largest learning rate that was seen, or None."""
    rates = [rate for rate in run_data.steps().observed("lr").tolist() if rate == rate]
    for optimizer in run_data.optimizers:
        if optimizer.used is not False:
            rate = optimizer.learning_rate
            known = [rate.value, rate.first, rate.last, *(end for group in rate.groups for end in group)]
            rates += [one for one in known if one is not None]
    return max(rates) if rates else None


def usual_size(weight: Fact) -> float:
    """The root mean square with which a matrix of weights is usually drawn, 1 / √fan_in; 0 of anything else."""
    shape = weight.shape or []
    return 1 / math.sqrt(math.prod(shape[1:])) if len(shape) > 1 and math.prod(shape[1:]) else 0.0
