"""Numbers of classes given to a loss that takes them for amounts (cg.04)."""

from typing import Optional

from msprec.bilingual import Text, percent
from msprec.checklists.common.custom_loss import Wrong
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact


def taken_for_amounts(loss: Fact, name: Text, run_data: RunData) -> Optional[Wrong]:
    """The targets are as many separate classes, and their numbers stand in no order that the inputs know.

    Args:
        loss: An entry of ``losses`` or ``own_losses`` whose loss takes values.
        name: What it is called.
    """
    facts = run_data.probes.class_numbers
    if None in (facts.input, facts.closer, facts.agreement) or loss.targets.input != facts.input:
        return None
    if facts.agreement < run_data.limit("cg.04.separate") or facts.closer < run_data.limit("cg.04.renumbered"):
        return None
    return Wrong(
        Text(
            "{name} 把标签当作数量，而它们是 {n} 个类别的编号：最近的不同类样本，编号平均相差 {apart}，随机重新编号后为 {again}，"
            "编号的先后与输入无关；而同类样本聚在一起（最近邻同类的占 {agreement}）。",
            "{name} takes the targets for amounts, and they are the numbers of {n} classes: the nearest sample of another class "
            "is {apart} numbers off on average, and {again} with classes numbered at random, so that their order says nothing; "
            "samples of one class do lie together ({agreement} have a nearest neighbour of their own).",
            name=name,
            n=facts.classes,
            apart=round(facts.apart, 2),
            again=round(facts.renumbered, 2),
            agreement=percent(facts.agreement),
        ),
        Text(
            "网络末层给出 {n} 个输出，用交叉熵（nn.CrossEntropyLoss，标签为整数）；预测取 argmax。",
            "Let the last layer give {n} outputs and use a cross entropy with whole numbers as labels (nn.CrossEntropyLoss); the "
            "prediction is the argmax.",
            n=facts.classes,
        ),
        loss.place,
    )
