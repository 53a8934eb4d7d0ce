"""Categories that the network is given as one number (td.05)."""

from typing import Optional

from msprec.bilingual import Text, percent
from msprec.checklists.common.script.array_origin import input_origins
from msprec.checklists.common.training.constant_prediction import learning_outcome
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData


def numbered_categories(run_data: RunData) -> Optional[Finding]:
    """A problem where the levels of one column of the inputs tell td.05.of_levels more of the targets' variance than a smooth
    curve over its numbers, or the levels beside, do, and the training did not come cg.03.solved below a constant prediction."""
    told, gain = run_data.probes.category_numbers, learning_outcome(run_data).gain
    if gain is None or None in (told.by_level, told.by_number) or gain >= run_data.limit("cg.03.solved"):
        return None
    if told.by_level - told.by_number < run_data.limit("td.05.of_levels"):
        return None
    places = input_origins(run_data, 0)
    return problem(
        Text(
            "输入的第 {column} 列（共 {columns} 列）有 {levels} 个等级，目标随等级而不随其数值变化：等级能说明目标方差的 "
            "{level}，数值（平滑曲线或相邻等级）只能说明 {number}。它是编号的类别，却作为一个数送入网络。",
            "Column {column} of the {columns} of the inputs has {levels} levels, and the target goes with the level, not with "
            "its number: the levels tell {level} of the targets' variance, the number (a smooth curve, or the levels beside) "
            "{number}. It is a category that was numbered, and is given to the network as one number.",
            column=(told.column or 0) + 1,
            columns=told.columns,
            levels=told.levels,
            level=percent(told.by_level),
            number=percent(told.by_number),
        ),
        Text(
            "用 one-hot 编码，或用 nn.Embedding 查表。",
            "Give it as a one-hot code, or look it up in an nn.Embedding.",
        ),
        run_data.code_at(places, Text("输入的来处", "Where the inputs are made")),
        places,
    )
