"""Ids that are evaluated and that no training sample had, so that their rows of a table were never trained (td.05)."""

from collections.abc import Iterator
from typing import NamedTuple, Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at, first_place, train_sets
from msprec.checklists.common.script.array_origin import argument_origins, array_origins
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

#: A file's rows cut without a new order: by position, or after they were sorted.
_CUTS = r"\.iloc\[|\.(sort_values|reset_index)\(|\bnp\.(split|array_split)\("


#: Ids of training run over so many at least.
_FEWEST = 10


class _Pair(NamedTuple):
    """What the ids at a ``position`` among the inputs were in training and in an evaluation, and where the latter come from."""

    position: int
    trained: Fact
    evaluated: Fact
    where: Fact
    origins: list


def untrained_ids(run_data: RunData) -> Optional[Finding]:
    """A problem where the ids by which a table of weights is looked up lie in another range in an evaluation than in training,
    with one id in common at most, as after a split of rows that are sorted by them."""
    tables = {one.input: one for one in run_data.probes.lookups}
    for pair in _pairs(run_data) if tables else ():
        table = tables.get(pair.position)
        if table is None or not _apart(pair.trained, pair.evaluated) or (pair.evaluated.max or 0) >= (table.rows or 0):
            continue
        return problem(
            Text(
                "{where} 评估的编号 {name} 在 {low} 到 {high} 之间，训练中只有 {first} 到 {last}：{table} 中这些行从未训练。",
                "At {where} the ids {name} run from {low} to {high}, and those of training from {first} to {last}: their rows in "
                "{table} were never trained.",
                where=at(pair.where),
                name=pair.evaluated.name,
                table=table.table,
                low=round(pair.evaluated.min),
                high=round(pair.evaluated.max),
                first=round(pair.trained.min),
                last=round(pair.trained.max),
            ),
            Text(
                "划分之前先打乱样本，使每个编号在训练部分都出现；若要预测新的编号，不能靠按编号查表。",
                "Put the samples into a random order before they are split, so that each id is in the training part; to predict "
                "for new ones, they need more than a row of a table.",
            ),
            [run_data.code_at([pair.where, *pair.origins], Text("评估的数据", "What is evaluated"))],
            [*run_data.find_lines(_CUTS, 3), *pair.origins[:3], pair.where],
        )
    return None


def _apart(one: Fact, other: Fact) -> bool:
    if None in (one.min, one.max, other.min, other.max):
        return False
    wide = one.max - one.min + 1 >= _FEWEST and other.max > other.min
    return bool(wide and (other.min >= one.max or other.max <= one.min))


def _pairs(run_data: RunData) -> Iterator[_Pair]:
    """Of ids among the arguments of calls, and in columns of the same name."""
    training = [one for one in run_data.inputs if one.phase == "train" and one.arguments]
    for other in run_data.inputs:
        own = next((one for one in training if one.network == other.network), None)
        if other.phase == "train" or own is None or not other.place:
            continue
        for a, b in zip(own.arguments, other.arguments):
            trained = _whole(run_data, own, a) if a.kind == b.kind == "int" and a.shape == b.shape else None
            if trained is not None:
                origins = argument_origins(run_data, other.place, b.position or 0)
                yield _Pair(a.position, trained, b, other.place, origins)
    for train in train_sets(run_data)[:1]:
        for other in run_data.datasets_of("eval", "predict"):
            for position, column in enumerate(train.columns):
                same = [one for one in other.columns if one.name == column.name and one.kind == column.kind == "int"]
                if same:
                    origins = array_origins(run_data, other, same[0])
                    yield _Pair(position, column, same[0], first_place(other), origins)


def _whole(run_data: RunData, entry: Fact, argument: Fact) -> Optional[Fact]:
    """An argument of the training steps where all of them were looked at, or the column of that name or place of the training
    set; of rows in their order the first steps alone have but the first ids."""
    if (entry.sampled or 0) >= (entry.calls or 0):
        return argument
    columns = [one for dataset in train_sets(run_data)[:1] for one in dataset.columns]
    named = [one for one in columns if one.name == argument.name] or columns[argument.position or 0 :][:1]
    return named[0] if named and named[0].kind == "int" else None
