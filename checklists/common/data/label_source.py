"""Is the label of a data set known, or only taken to be its last column? (ds.02, ds.03, dp.03)"""

from itertools import permutations
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.data.input_scale import values_in
from msprec.checklists.common.findings import note
from msprec.checklists.common.loss.target_columns import column_of
from msprec.engine.finding import Finding, undecided
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

#: Columns whose ways to be the arguments of a call are gone through.
_MOST = 6


def is_known(run_data: RunData, dataset: Fact) -> Optional[bool]:
    """Whether the label of a data set is one: True, False (the loss takes another column, or the network this one), or None.

    A name tells it (``label.guess`` is not set). Else the targets of the captured losses decide, where they are one column;
    else the arguments of the network in training: a column that is the only one which fits an argument is an input (lengths
    of sequences, an adjacency), unless the network takes all columns and computes its own loss.
    """
    label = dataset.label
    if not label.guess:
        return True
    targets = _targets(run_data, dataset)
    if targets:
        return label.column in targets
    enters = _enters(run_data, dataset, label.column)
    return None if enters is None else not enters


def is_open(run_data: RunData, dataset: Fact) -> bool:
    """Whether nothing may depend on which column is the label: it is none, or a guess among more than an input and a target."""
    known = is_known(run_data, dataset)
    return known is False or (known is None and len(dataset.columns) > 2)


def _targets(run_data: RunData, dataset: Fact) -> set:
    """Names of the columns that the captured losses compare with."""
    found = [column_of(run_data, loss.targets) for loss in run_data.probes.losses if loss.targets.shape]
    return {one[1].name for one in found if one is not None and one[0].id == dataset.id}


def _enters(run_data: RunData, dataset: Fact, name: str) -> Optional[bool]:
    """Whether the network is called with that column; None where that cannot be told."""
    calls = [one for one in run_data.inputs if one.phase == "train" and one.level == "network" and one.arguments]
    if not calls:
        return None
    by_call = [
        [[column.name for column in dataset.columns if _fits(column, argument)] for argument in one.arguments]
        for one in calls
    ]
    if any(_may_take_all(fits, [column.name for column in dataset.columns]) for fits in by_call):
        return None
    fits = [names for of_call in by_call for names in of_call]
    told = {names[0] for names in fits if len(names) == 1}
    label = next((column for column in dataset.columns if column.name == name), None)
    if not all(fits) and name in told and label is not None:
        # what fits none was changed on its way, and may fit another by chance where that has as many values
        size = values_in(label.shape)
        return True if [values_in(one.shape) for one in dataset.columns].count(size) == 1 and size != 1 else None
    if not all(fits) or len(told) == len(dataset.columns):
        return None
    outside = [
        column.name
        for column in dataset.columns
        if label is not None and column.shape == label.shape and not any(column.name in names for names in fits)
    ]
    if name in outside and len(outside) > 1:
        return None  # the loss may take any of them, as actions, rewards and ends of a replay buffer
    return name in told


def _may_take_all(fits: list, names: list) -> bool:
    """Whether each column may be an argument of its own of one call, as a user, an item and another item drawn for it are."""
    if len(fits) != len(names) or len(names) > _MOST or all(len(one) == 1 for one in fits):
        return False
    return any(all(name in one for name, one in zip(order, fits)) for order in permutations(names))


def _fits(column: Fact, argument: Fact) -> bool:
    """Whether the values of an argument, of some batches, may be those of a column."""
    if None in (column.min, column.max, argument.min, argument.max):
        return False
    if values_in(column.shape) != values_in(argument.shape):
        return False
    slack = 1e-3 * max(column.max - column.min, abs(column.max), 1e-9)
    return column.min - slack <= argument.min and argument.max <= column.max + slack


def unless_open(run_data: RunData, dataset: Fact, found: Finding) -> Finding:
    """The finding on a label: left open where nothing may depend on the guess of its column, with a word where it is one."""
    if not is_open(run_data, dataset):
        if is_known(run_data, dataset) is None:
            found.evidence.append(
                note(
                    "列 {column} 按位置（最后一列）视为标签，没有看到它进入 loss。",
                    "Column {column} is taken for the label by its place, the last of the columns; it was not seen to enter "
                    "the loss.",
                    column=dataset.label.column,
                )
            )
        return found
    if found.conclusion == "undecided":
        return found
    made = undecided(
        Text(
            "无法得知哪一列是标签：{column} 只是按位置猜测的{seen}。",
            "Which column is the label is not known: {column} is a guess by its place{seen}.",
            column=dataset.label.column,
            seen=Text(
                "，而训练中它送入网络，或 loss 比较的是另一列",
                ", and in training it enters the network, or the loss compares with another column",
            )
            if is_known(run_data, dataset) is False
            else Text("", ""),
        ),
        Text(
            "把标签列命名为 label 或 target，再运行一次。",
            "Name the column of the labels label or target, and run again.",
        ),
        found.evidence,
    )
    made.locations = found.locations
    return made
