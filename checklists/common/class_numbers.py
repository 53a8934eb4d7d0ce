"""Numbers of classes given to a loss that takes them for amounts (cg.04)."""

from typing import TYPE_CHECKING, Optional

from msprec.bilingual import Text, percent
from msprec.checklists.common.custom_loss import Wrong
from msprec.engine.run_data import RunData

if TYPE_CHECKING:
    from msprec.checklists.common.loss_rules import LossWithInputs


def taken_for_amounts(one: "LossWithInputs", run_data: RunData) -> Optional[Wrong]:
    """The targets are as many separate classes, and their numbers stand in no order that the inputs know."""
    facts, targets = run_data.probes.class_numbers, one.fact.targets
    if one.takes != "values" or None in (facts.input, facts.closer, facts.agreement) or targets.input != facts.input:
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
            name=one.name,
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
        one.fact.place,
    )
