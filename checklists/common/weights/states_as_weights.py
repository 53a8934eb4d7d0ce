"""States of an optimizer that were loaded in the place of weights (wi.02)."""

import re
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

#: How MindSpore's optimizers name their states of a weight: before its name.
_STATES = re.compile(r"^(moments?|moment[12]|accum|accumulation|stats?|mean_square|mean_gradient|linear)\.")


def states_as_weights(run_data: RunData) -> Optional[Finding]:
    """A problem where more parameters of a network were loaded than the given ones have its names, and optimizers' states are
    among the others; None elsewhere.

    ``load_param_into_net(strict_load=False)`` looks for what is missing behind a prefix that all such names have in common, and
    takes ``moments.fc.weight`` for ``fc.weight`` once that is left out.
    """
    for load in run_data.loads:
        if load.function != "load_param_into_net" or load.optimizer or None in (load.loaded, load.parameters):
            continue
        others = list(load.not_in_network or [])
        more = load.loaded + len(others) - load.parameters
        states = [name for name in others if _STATES.match(name)]
        if 0 < more <= len(states):
            return _finding(run_data, load, more, states)
    return None


def _finding(run_data: RunData, load: Fact, more: int, states: list) -> Finding:
    read = [one.place for one in run_data.loads if one.function == "load_checkpoint" and one.file == load.file]
    places = [load.place, *read]
    return problem(
        Text(
            "{where} 载入网络 {network} 的 {loaded} 个参数中，有 {more} 个在给出的参数里并没有这个名称：MindSpore 去掉前缀后，"
            "用优化器的状态（如 {state}）代替了它们，这些权重是错的。",
            "Of the {loaded} parameters of {network} that were loaded at {where}, {more} are not among the given ones by their "
            "names: MindSpore left a prefix out and took states of the optimizer (such as {state}) in their place, so these "
            "weights are wrong.",
            where=at(load.place),
            network=load.network,
            loaded=load.loaded,
            more=more,
            state=states[-1],
        ),
        Text(
            "检查哪些权重没有读入（如 load_checkpoint 的 filter_prefix 会丢弃以它开头的参数），并设 strict_load=True。",
            "See which weights were not read: load_checkpoint's filter_prefix drops all that begin with it. Set "
            "strict_load=True.",
        ),
        [run_data.code_at([one for one in places if one], Text("读取与载入", "Where they are read and loaded"))],
        [one for one in places if one],
    )
