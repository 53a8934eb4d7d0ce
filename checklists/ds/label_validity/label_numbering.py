"""Classes that two data sets, or training and score, number in different ways (ds.02).

Each check gives ``(sentence, advice, places …)``, or None where it finds nothing.
"""

from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import role_of
from msprec.checklists.common.loss.scores_at_odds import scores_at_odds
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact


def numbered_otherwise(run_data: RunData, dataset: Fact, column: Fact) -> Optional[tuple]:
    """Folders of classes that training and evaluation number differently."""
    mine = _class_numbers(dataset)
    for other in run_data.datasets_of("eval", "predict"):
        theirs = _class_numbers(other)
        moved = [name for name in mine if name in theirs and theirs[name] != mine[name]]
        if not moved or len(mine.keys() & theirs.keys()) <= 0.5 * len(theirs):
            continue
        return (
            Text(
                "{n} 个类别在训练集与{role}中的编号不同（如 {name}：{a} 与 {b}）：ImageFolderDataset 按文件夹排序编号，"
                "两边的文件夹不一致",
                "{n} classes have another number in the {role} than in training (such as {name}: {a} in training, {b} there): "
                "ImageFolderDataset numbers the sorted folders, and the two sets do not have the same ones",
                n=len(moved),
                role=role_of(other),
                name=moved[0],
                a=mine[moved[0]],
                b=theirs[moved[0]],
            ),
            Text(
                "给两个数据集传入同一个 class_indexing，或补齐空缺的类别文件夹。",
                "Pass the same class_indexing to both data sets, or make the folders the same.",
            ),
        )
    return None


def scored_otherwise(run_data: RunData, _dataset: Fact, _column: Fact) -> Optional[tuple]:
    """What was learnt is held against other labels than those that were learnt."""
    odds = scores_at_odds(run_data)
    if odds is None:
        return None
    return (
        Text(
            "训练与评估的标签对不上：{what}。网络学到的答案与评估所用的答案编号不同（例如类别相差 1），或比较本身写错了",
            "The labels of training and evaluation do not agree: {what}. What the network learnt is held against answers that "
            "are numbered otherwise (classes that are one off, for example), or the comparison itself is wrong",
            what=odds.words(),
        ),
        Text(
            "取一个样本，打印训练所用的标签、预测的 argmax 与评估时比较的标签，三者应当一致。",
            "Take one sample and print the label that is trained with, the argmax of the prediction, and the label that the "
            "evaluation compares it with: they have to be the same.",
        ),
        *([odds.place] if odds.place else []),
    )


def _class_numbers(dataset: Fact) -> dict:
    """Class name → label of a data set that reads folders of pictures; {} where it is another kind, or labels are mapped."""
    sources = [step.args.get("classes") for step in dataset.pipeline if step.op == "ImageFolderDataset"]
    known = isinstance(sources[0], dict) if len(sources) == 1 else False
    return sources[0] if known and not _renumbered(dataset) else {}


def _renumbered(dataset: Fact) -> bool:
    """Whether a map on the labels may do more than change their type."""
    maps = [step.args for step in dataset.pipeline if step.op == "map"]
    mine = [one for one in maps if dataset.label.column in several_names(one.get("input_columns"))]
    return any(not str(text).startswith("TypeCast") for one in mine for text in several_names(one.get("operations")))


def several_names(value) -> list:
    """What an argument of a map names, which is one name or a list of them."""
    return value if isinstance(value, list) else [value]
