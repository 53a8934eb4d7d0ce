"""Losses of the script's own over distances of two inputs, as a contrastive loss is: which pairs they draw together (cg.04)."""

import ast
from typing import Optional

from msprec.bilingual import Text, percent
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact


def is_distance(one: Fact) -> bool:
    """Whether the labels are two and the output has 0 for its floor and no upper end: no probability, but a distance, of which 0
    may mean either label."""
    return one.behaviour.kind == "binary" and one.output.low == 0 and one.output.high is None


def draws_alike(one: Fact, run_data: RunData) -> Optional[bool]:
    """Whether a loss of distances between two inputs brings those pairs to 0 that are alike: whose inputs are closer by
    cg.04.closer. None where that is open, or the outputs tell the labels apart better than the inputs do."""
    pairs, together = run_data.probes.compared_inputs, one.behaviour.together
    if together is None or not pairs or not pairs.equal < 1e-2 * pairs.usual:
        return None
    lead = pairs.closer - 0.5
    if abs(lead) < run_data.limit("cg.04.closer"):
        return None
    if together == int(lead > 0):
        return True
    return False if _told_apart(one, pairs) < 0.5 + abs(lead) else None


def _told_apart(one: Fact, pairs: Fact) -> float:
    """The share of comparisons in which the outputs keep the labels apart as the loss wants them."""
    return pairs.closer_outputs if one.behaviour.together == 1 else 1 - pairs.closer_outputs


def formula(one: Fact, run_data: RunData) -> list:
    """Where a loss turns its labels round, where it gives back what it computes, and where it is defined."""
    file, line = one.place.file, one.place.line
    around = run_data.source.enclosing(file, line) if file in run_data.source.trees and line else []
    functions = [node for node in around if isinstance(node, ast.FunctionDef)]
    inside = [*ast.walk(functions[-1])] if functions else []
    given = sorted(node.lineno for node in inside if isinstance(node, ast.Return))
    turned = sorted({node.lineno for node in inside if isinstance(node, ast.BinOp) and _is_rest_to_one(node)})
    return [*(place(file, number) for number in dict.fromkeys([*turned[:2], *given[-1:]])), one.place]


def _is_rest_to_one(node: ast.BinOp) -> bool:
    """``1 - label``"""
    of_one = isinstance(node.op, ast.Sub) and isinstance(node.left, ast.Constant) and node.left.value == 1
    return of_one and isinstance(node.right, (ast.Name, ast.Attribute))


def draws_together(name: Text, one: Fact) -> Text:
    """Of a loss that `draws_alike`."""
    return Text(
        "自定义的 {name} 把标签为 {alike} 的样本对的距离拉向 0、把其余的推远，而它们正是输入更接近的样本对。",
        "The script's own {name} brings the distance of pairs labelled {alike} to 0 and pushes the others apart, and the "
        "inputs of those are the closer ones.",
        name=name,
        alike=one.behaviour.together,
    )


def draws_apart(name: Text, one: Fact, pairs: Fact) -> Text:
    """Of a loss that does the opposite."""
    alike = int(pairs.closer > 0.5)
    return Text(
        "自定义的 {name} 把标签为 {far} 的样本对拉近、把标签为 {alike} 的推远，而相似的是标签为 {alike} 的："
        "{n} 对样本中，它们的输入在 {share} 的比较中更接近，网络对两个相同的输入给出距离 0。"
        "训练后的距离按 loss 的方向只在 {learnt} 的比较中分开两种标签，不如输入本身。",
        "The script's own {name} draws the pairs labelled {far} together and pushes those labelled {alike} apart, but those "
        "labelled {alike} are the alike ones: of {n} pairs, their inputs are the closer ones in {share} of all comparisons, and "
        "the network gives two equal inputs the distance 0. The distances it has learnt tell the labels apart in {learnt} of "
        "them, less well than the inputs do.",
        name=name,
        far=1 - alike,
        alike=alike,
        n=pairs.samples,
        share=percent(max(pairs.closer, 1 - pairs.closer)),
        learnt=percent(_told_apart(one, pairs)),
    )


def parts_nothing(name: Text, one: Fact) -> Text:
    """Of a loss that is least where all distances are 0."""
    return Text(
        "自定义的 {name} 把标签为 {alike} 的样本对的距离拉向 0，却不把标签为 {far} 的推远：它们的距离也为 0 时 loss 最小，"
        "所有输入可以落在同一点上。",
        "The script's own {name} brings the distance of pairs labelled {alike} to 0 and does not push those labelled {far} "
        "apart: it is least where their distance is 0 too, and all inputs may end in one point.",
        name=name,
        alike=one.behaviour.together,
        far=1 - one.behaviour.together,
    )


PART = Text(
    "核对合页项的符号：应为 relu(margin − distance)，距离小于 margin 时才有惩罚。",
    "Look at the sign of the hinge: relu(margin − distance), which counts where they are closer than the margin.",
)
EXCHANGE = Text(
    "交换公式中的 label 与 1 − label，或交换数据中的两种标签。",
    "Exchange label and 1 − label in the formula, or the two labels of the data.",
)
WHICH_LABEL = Text(
    "网络的输出从 0 起、没有上限，是距离而不是概率：0 代表哪个标签要看数据的约定。",
    "The output begins at 0 and has no upper end, as a distance does: which label a distance of 0 stands for is for the data to "
    "say.",
)
