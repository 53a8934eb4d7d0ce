"""Numbers of classes given to a loss that takes them for amounts (cg.04)."""

from typing import Optional

from msprec.bilingual import Text, percent
from msprec.checklists.common.loss.wrong_loss import Wrong
from msprec.checklists.common.training.constant_prediction import learning_outcome
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


def squared_one_hot(loss: Fact, name: Text, run_data: RunData) -> Optional[Wrong]:
    """The targets are one-hot vectors of three classes or more under a loss of values, and nothing was learnt with it.

    A network may well learn classes by squared errors; but far from the targets their gradient is flat where that of a cross
    entropy is not, so that it is the first to change where nothing was learnt.
    """
    classes = loss.targets.shape[-1] if loss.targets.shape else 0
    reconstructed = (loss.targets.inputs or 0) < 2
    if not loss.targets.one_hot or not classes or classes < 3 or reconstructed or not list(loss.predicted.shape or ()):
        return None
    if not _taught_nothing(run_data):
        return None
    return Wrong(
        Text(
            "{name} 把 {n} 个类别的 one-hot 标签当作数值来拟合，而训练没有学到东西：分类应使用交叉熵。",
            "{name} fits the one-hot vectors of {n} classes as amounts, and nothing was learnt: classes want a cross entropy.",
            name=name,
            n=classes,
        ),
        Text(
            "网络末层给出 {n} 个输出（不加激活），用交叉熵（nn.CrossEntropyLoss）。",
            "Let the last layer give {n} outputs without an activation, and use a cross entropy (nn.CrossEntropyLoss).",
            n=classes,
        ),
        loss.place,
    )


def squared_marks(loss: Fact, name: Text, run_data: RunData) -> Optional[Wrong]:
    """The targets are the marks 0 and 1 of two classes under a loss of values, of one output each, and nothing was learnt.

    As of `squared_one_hot`: two classes may be learnt by squared errors, which are the first to change where nothing was.
    """
    targets, output = loss.targets, loss.output
    marks = targets.distinct == 2 and targets.whole and (targets.min, targets.max) == (0, 1)
    one_each = list(loss.predicted.shape or ())[1:] in ([], [1]) and (targets.inputs or 0) > 1
    if not marks or not one_each or not _taught_nothing(run_data):
        return None
    clipped = output.low == 0 and output.high is None
    return Wrong(
        Text(
            "{name} 把两个类别的标记 0 与 1 当作数值来拟合{clipped}，而训练没有学到东西：二分类应使用二元交叉熵。",
            "{name} fits the marks 0 and 1 of two classes as amounts{clipped}, and nothing was learnt: two classes want a binary "
            "cross entropy.",
            name=name,
            clipped=Text(
                "，输出还经过 {operator}（停在 0 处便没有梯度）",
                ", of an output that goes through {operator} (and gets no gradient where it stands at 0)",
                operator=output.operator,
            )
            if clipped
            else Text("", ""),
        ),
        Text(
            "去掉末层的激活，用 nn.BCEWithLogitsLoss；预测为 logits 大于 0。",
            "Take the last activation away and use nn.BCEWithLogitsLoss; the prediction is a logit above 0.",
        ),
        loss.place,
        *([output.place] if clipped and output.place else []),
    )


def _taught_nothing(run_data: RunData) -> bool:
    """Whether nothing was learnt in a training that was long enough to tell."""
    outcome = learning_outcome(run_data)
    return outcome.verdict == "nothing" and outcome.steps >= run_data.limit("td.01.whole_steps")
