"""Are the labels of the kind, in the range, and of a piece with their inputs? (ds.02)"""

import re
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import first_place, missing, op_place, role_of
from msprec.checklists.common.script.array_origin import array_origins
from msprec.checklists.common.script.reordered_alone import reordered_alone
from msprec.checklists.ds.class_counts import last_layer
from msprec.checklists.ds.label_validity import label_contradictions as contradictions
from msprec.checklists.ds.label_validity import label_numbering as numbering
from msprec.checklists.ds.label_validity import label_values as values
from msprec.checklists.ds.label_validity.beyond_output import always_alike, other_class, softmax_of_several_labels
from msprec.checklists.ds.label_validity.box_corners import corners_exchanged
from msprec.checklists.ds.label_validity.cached_outputs import cached_out_of_order
from msprec.checklists.ds.label_validity.compared_amounts import scored_as_classes
from msprec.checklists.ds.label_validity.compared_predictions import (
    class_over_places,
    classless_argmax,
    compared_each_with_each,
    compared_out_of_order,
    one_column_as_class,
    probability_as_class,
)
from msprec.checklists.ds.label_validity.compared_with_input import compared_with_input
from msprec.checklists.ds.label_validity.counted_share import counted_among_all
from msprec.checklists.ds.label_validity.inputs_alone import compared_with_arrays
from msprec.checklists.ds.label_validity.logits_threshold import (
    amounts_held_against_zero,
    logits_held_against_half,
    logits_rounded,
)
from msprec.checklists.ds.label_validity.lowest_first import lowest_for_best
from msprec.checklists.ds.pixel_class_balance import counts_figure
from msprec.engine.finding import Finding, figure, ok, problem, table, together, undecided
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact
from msprec.record.schema import LABEL_SHEET

#: Of the labels themselves, and of what they are compared with; each in the order in which they are asked.
_LABELS = (
    values.refused_by_kernel,
    values.out_of_range,
    values.counted_from_one,
    values.not_binary,
    values.wrong_kind,
    values.no_distribution,
    values.rows_without_class,
    values.constant_labels,
    values.cut_to_whole,
    numbering.numbered_otherwise,
    corners_exchanged,
    contradictions.contradicting_samples,
    contradictions.relabelled,
    contradictions.reordered,
    contradictions.contradicted_by_network,
    contradictions.worse_than_on_validation,
    cached_out_of_order,
)
_COMPARISONS = (
    class_over_places,
    numbering.scored_otherwise,
    classless_argmax,
    one_column_as_class,
    probability_as_class,
    always_alike,
    softmax_of_several_labels,
    other_class,
    logits_held_against_half,
    logits_rounded,
    amounts_held_against_zero,
    compared_each_with_each,
    compared_out_of_order,
    compared_with_arrays,
    compared_with_input,
    scored_as_classes,
    lowest_for_best,
    counted_among_all,
)


#: Names of labels, where no column tells them.
_LABELS_NAMED = re.compile(r"(^|_)(y|ys|labels?|targets?|class|classes|cls)(_|\d|$)", re.IGNORECASE)


def judge_labels(run_data: RunData, dataset: Fact) -> Finding:
    """The finding on the labels of one data set."""
    label = dataset.label
    column = next((one for one in dataset.columns if one.name == label.column), None)
    if column is None:
        return missing("标签列的统计", "statistics of the label column")
    place = op_place(dataset, "map") if _label_is_mapped(dataset) else None
    places = [place or first_place(dataset)]
    shown = [_contradictions(dataset), _sheet(run_data, dataset), _suspects(run_data)]
    evidence = [counts_figure(label.counts), *shown]
    found = [_first(run_data, dataset, column, checks, places, evidence) for checks in (_LABELS, _COMPARISONS)]
    wrong = [one for one in found if one is not None]
    if wrong:
        return together(wrong)
    share = contradictions.well_learned(run_data)
    if share is not None and label.kind in ("class", "one_hot"):
        return ok(
            Text(
                "标签的取值、种类都正确，没有相同输入而标签不同的样本；验证精度 {share}、训练 loss 也低，"
                "错误的标签至多占很小一部分。",
                "The labels are in range and of the right kind, and no identical inputs contradict each "
                "other; with a validation accuracy "
                "of {share} and a low training loss at most a few can be wrong.",
                share=f"{100 * share:.1f} %",
            ),
            shown,
        )
    return undecided(
        Text(
            "标签列 {column}（{kind}）的取值与种类正确，没有自相矛盾；每个标签是否正确需要人工抽查。",
            "Column {column} ({kind}) is in range, of the right kind and free of contradictions; whether "
            "each label is right takes a "
            "person to see.",
            column=label.column,
            kind=label.kind,
        ),
        Text(
            "对照下面按类别抽取的样本（图片在运行目录的 samples/ 中），逐个核对标签。",
            "Compare the samples below, drawn class by class (pictures are in samples/ of the run folder), with their labels.",
        ),
        shown,
        places,
    )


def reordered_labels(run_data: RunData) -> Optional[Finding]:
    """Of data without a label column: one of two arrays of samples and labels, by their names, that is put into another order;
    None."""
    found, wrong = run_data.once(reordered_alone), contradictions.reordered(run_data)
    if found is None or wrong is None or not any(_LABELS_NAMED.search(one) for one in (found.array, found.partner)):
        return None
    says, advice, where = wrong
    return problem(
        Text("{says}。", "{says}.", says=says),
        advice,
        [run_data.code_at([where], Text("标签的来处", "Where the labels come from"))],
        [where],
    )


def _first(
    run_data: RunData, dataset: Fact, column: Fact, checks: tuple, places: list, evidence: list
) -> Optional[Finding]:
    """The problem of the first of the checks that finds one."""
    for check in checks:
        wrong = check(run_data, dataset, column)
        if wrong is not None:
            says, advice, *where = wrong
            # labels that begin at 0 are counted as they should: the outputs may be too few
            few = check in (values.refused_by_kernel, values.out_of_range) and column.min == 0
            head = last_layer(run_data) if few else None
            origins = array_origins(run_data, dataset, column)
            places = [*where, *places, *([head] if head is not None else []), *origins]
            code = run_data.code_at(places, Text("标签的来处", "Where the labels come from"))
            return problem(
                Text("{says}。", "{says}.", says=says),
                advice,
                [*evidence, code],
                places,
            )
    return None


def _label_is_mapped(dataset: Fact) -> bool:
    names = [step.args.get("input_columns") for step in dataset.pipeline if step.op == "map"]
    return any(dataset.label.column in numbering.several_names(one) for one in names)


def _contradictions(dataset: Fact):
    found = dataset.contradictions
    if not found.examples:
        return None
    rows = [[", ".join(map(str, one.positions)), ", ".join(map(str, one.labels))] for one in found.examples]
    heads = [Text("样本在第一遍中的位置", "positions in the first pass"), Text("标签", "labels")]
    title = Text(
        "{role}中输入相同而标签不同的样本",
        "Identical inputs with different labels in the {role}",
        role=role_of(dataset),
    )
    return table(title, heads, rows)


def _suspects(run_data: RunData):
    """What the trained network says of the labels it was trained with."""
    found = run_data.probes.labels
    if not found.examples:
        return None
    rows = [[one.position, one.label, one.predicted, one.probability, one.own] for one in found.examples]
    heads = [
        Text("训练中的序号", "number in training"),
        Text("标签", "label"),
        Text("网络的判断", "by the network"),
        Text("其概率", "its probability"),
        Text("标签的概率", "probability of the label"),
    ]
    says = None
    if found.accuracy is not None and found.majority is not None:
        says = Text(
            "网络对这些样本的训练精度为 {accuracy}，只猜最常见的标签为 {majority}；最有把握的 {surest} 个预测中有 {wrong} "
            "个与标签不符。类别重叠或网络没有学好时，错的可能是网络而不是标签。",
            "On these samples the network agrees with {accuracy} of the labels, and the most frequent label alone with "
            "{majority}; of its {surest} surest predictions {wrong} do not agree. Where classes overlap, or little was "
            "learned, the network may be wrong and not the label.",
            accuracy=f"{100 * found.accuracy:.1f} %",
            majority=f"{100 * found.majority:.1f} %",
            surest=found.surest,
            wrong=found.surest_wrong,
        )
    return table(Text("网络不认同的标签", "Labels that the network contradicts"), heads, rows, says)


def _sheet(run_data: RunData, dataset: Fact):
    """The sample for a person to look at."""
    sheet = run_data.file("label_sheet", LABEL_SHEET)
    if not sheet.samples or sheet.dataset not in (None, dataset.id):
        return None
    title = Text("按类别抽取的样本", "Samples drawn class by class")
    if any(one.file for one in sheet.samples):
        return figure(title, "label_sheet", {"samples": [_shown(one, run_data.rank) for one in sheet.samples]})
    rows = [[one.position, one.label, one.text or _values(one)] for one in sheet.samples]
    return table(
        title,
        [Text("第一遍中的位置", "position in the first pass"), Text("标签", "label"), Text("样本", "sample")],
        rows,
    )


def _shown(one: Fact, rank: int) -> dict:
    """A sample as the report's sheet takes it; files of rank 0 lie in the run folder itself, others in their rank's."""
    what = {"file": f"rank_{rank}/{one.file}" if rank else one.file} if one.file else {"text": one.text or _values(one)}
    return {"label": "" if one.label is None else f"{one.label:g}", "note": f"#{one.position}", **what}


def _values(one: Fact) -> str:
    return ", ".join(f"{v:.4g}" for v in one.values if v is not None)
