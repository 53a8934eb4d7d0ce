"""How many pixels or positions each class has, where a sample carries a class for each of its places (ds.03)."""

import ast
import re
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import first_place
from msprec.checklists.ds.imbalance_mitigation import class_counters
from msprec.engine.finding import Finding, figure, ok, problem, table, undecided
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

_IGNORED = r"\bignore_index\s*=\s*(-?\d{1,9})\b"
#: The customary label of places without a class.
_VOID = "255"


def judge_places(run_data: RunData, dataset: Fact, column: Fact) -> Optional[Finding]:
    """The finding on the counts of the classes by place; None where they tell nothing.

    The most frequent class is nearly always a background, larger than any object by nature. Classes are unbalanced where one
    of the others is rare beside another of them, or where nothing in the loss makes up for a background that is
    ds.03.background times as frequent; below that it is left to the reader.
    """
    counts = _counts(run_data, column)
    if len(counts) < 2 or len(column.shape) < 2:
        return None
    shown = [counts_figure(counts), _table(counts), run_data.code(first_place(dataset), _WHERE)]
    order = sorted(counts, key=lambda one: counts[one])
    limit = run_data.limit("ds.03.ratio")
    if counts[order[-1]] < limit * counts[order[0]]:
        return ok(_counted(column, counts, order), shown)
    among_others = len(order) > 2 and counts[order[-2]] >= limit * counts[order[0]]
    counter = class_counters(run_data)
    if not among_others and counter:
        text = Text(
            "{counted}背景（{most}）远多于其他，但 loss 按类别计算或带权重（{where}）。",
            "{counted} The background ({most}) prevails, but the loss goes by class or by weight ({where}).",
            counted=_counted(column, counts, order),
            most=order[-1],
            where=f"{counter[0].file}:{counter[0].line}",
        )
        return ok(text, shown, counter)
    large = counts[order[-1]] >= run_data.limit("ds.03.background") * counts[order[0]]
    return (problem if among_others or large else undecided)(
        _counted(column, counts, order),
        Text(
            "给稀少的类别加权，或用 Dice/focal 之类按类别计算的 loss，并多采样含有它们的图像；评估时按类别分别看精度。",
            "Weight the rare classes, or use a loss that goes by class (Dice, focal), and draw pictures with them more often; "
            "look at the score of each class.",
        ),
        shown,
        [first_place(dataset)],
    )


_WHERE = Text("训练集的创建", "Where the training set is created")


def _counts(run_data: RunData, column: Fact) -> dict:
    left_out = {str(number) for number in ignored_labels(run_data)}
    counts = {key: count for key, count in column.element_values.items() if count and key not in left_out}
    if _VOID in counts and len(counts) > 2 and sum(key.isdigit() and int(key) > 200 for key in counts) == 1:
        del counts[_VOID]
    # a picture in 0 and 255, and other codes, are no numbers of classes
    numbers = [int(key) for key in counts if re.fullmatch(r"\d{1,3}", key)]
    return counts if len(numbers) == len(counts) and (not numbers or max(numbers) < 2 * len(numbers) + 8) else {}


def _counted(column: Fact, counts: dict, order: list) -> Text:
    total = sum(counts.values())
    return Text(
        "{column} 的 {k} 个类别按像素/位置计数：最多的类 {most} 占 {high}，最少的类 {least} 占 {low}，比值 {ratio}。",
        "Counted by pixel or position, {column} holds {k} classes: {high} are of the most frequent ({most}), {low} of the rarest "
        "({least}), ratio {ratio}.",
        column=column.name,
        k=len(counts),
        most=order[-1],
        least=order[0],
        high=f"{100 * counts[order[-1]] / total:.3g} %",
        low=f"{100 * counts[order[0]] / total:.3g} %",
        ratio=round(counts[order[-1]] / counts[order[0]], 2),
    )


def _table(counts: dict):
    total = sum(counts.values())
    rows = [[key, count, f"{100 * count / total:.3g} %"] for key, count in sorted(counts.items(), key=lambda p: -p[1])]
    heads = [Text("类别", "class"), Text("像素/位置", "pixels or positions"), Text("占比", "share")]
    return table(Text("各类的像素/位置数", "Pixels or positions by class"), heads, rows)


def ignored_labels(run_data: RunData) -> set:
    """The labels that a loss leaves out: ``ignore_index`` of loss cells and in the code, and MindSpore's default of -100."""
    given = {-100, *(int(number) for loss in run_data.losses for number in re.findall(_IGNORED, loss.args))}
    for file, tree in run_data.source.trees.items():
        values = [
            keyword.value
            for node in run_data.source.nodes(file, ast.Call)
            for keyword in node.keywords
            if keyword.arg == "ignore_index"
        ]
        given |= {number for value in values for number in _whole_numbers(tree, value)}
    return given


def _whole_numbers(tree: ast.AST, node: ast.expr) -> list:
    """The number that an expression is, or those that a name is given in the file."""
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else None
    values = [node]
    if name is not None:
        values = [
            entry.value
            for entry in ast.walk(tree)
            if isinstance(entry, ast.Assign)
            for target in entry.targets
            if name in (getattr(target, "id", None), getattr(target, "attr", None))
        ]
    found = []
    for value in values:
        try:
            number = ast.literal_eval(value)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            continue
        found += [number] if isinstance(number, int) and not isinstance(number, bool) else []
    return found


def counts_figure(counts: dict):
    if not counts or len(counts) > 1000:
        return None
    return figure(Text("各类样本数", "Samples per class"), "class_counts", {"counts": counts})
