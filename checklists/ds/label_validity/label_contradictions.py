"""Labels that equal inputs, the order of the arrays, or the trained network itself contradict (ds.02).

Each check gives ``(sentence, advice, places …)``, or None where it finds nothing.
"""

from typing import Optional

import numpy as np

from msprec.bilingual import Text, listed
from msprec.checklists.common.script.reordered_alone import reordered_alone
from msprec.checklists.common.training.training_curves import validation_scores
from msprec.checklists.common.training.training_segments import last_training_start
from msprec.checklists.ds.label_validity.label_values import CLASS_LOSS, losses_like
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact


def contradicting_samples(run_data: RunData, dataset: Fact, column: Fact) -> Optional[tuple]:
    """Identical samples with different labels; short or coarse ones coincide by chance and prove nothing."""
    found = dataset.contradictions
    if not found.samples or not found.contradicting or (found.elements or 0) < run_data.limit("ds.02.elements"):
        return None
    share = found.contradicting / found.samples
    if share < run_data.limit("ds.02.contradictions") or (found.groups or 0) < run_data.limit("ds.02.groups"):
        return None
    if (found.distinct or 0) < run_data.limit("ds.02.distinct") * found.samples:
        return None  # few different inputs: their labels are random by nature
    return (
        Text(
            "{n} 个样本（{share}）的输入与别的样本完全相同而标签不同，共 {groups} 组（例如位置 {places}，标签 {labels}）",
            "{n} samples ({share}) have the very inputs of another sample under another label, in {groups} "
            "groups (such as positions {places} "
            "with labels {labels})",
            n=found.contradicting,
            share=f"{100 * share:.3g} %",
            groups=found.groups,
            places=listed(found.examples[0].positions) if found.examples else "?",
            labels=listed(found.examples[0].labels) if found.examples else "?",
        ),
        Text(
            "核对这些样本，更正或删除标签错误的副本。",
            "Look at these samples; correct the wrong copies or take them out.",
        ),
    )


def relabelled(run_data: RunData, dataset: Fact, column: Fact) -> Optional[tuple]:
    """Samples that come under another label in each pass, as inputs and labels do that are shuffled by themselves."""
    found, counts = dataset.contradictions, list(dataset.label.counts.values())
    again = found.again
    if not again or not sum(counts) or (again.samples or 0) < run_data.limit("ds.02.predicted"):
        return None
    if last_training_start(run_data):
        return None  # another training may learn other labels of the same inputs
    if (found.distinct or 0) < run_data.limit("ds.02.distinct") * (found.samples or 0):
        return None  # few different inputs: their labels are random by nature
    chance = 1 - sum((count / sum(counts)) ** 2 for count in counts)
    if not chance or again.relabelled < run_data.limit("ds.02.relabelled") * chance * again.samples:
        return None
    reordered = run_data.once(reordered_alone)
    return (
        Text(
            "后面各遍中有 {samples} 个样本在第一遍出现过，其中 {n} 个（{share}）的标签与第一遍不同：标签不属于各自的输入",
            "Of {samples} samples of later passes that came in the first, {n} ({share}) bear another label there: labels do not "
            "belong to their inputs",
            samples=again.samples,
            n=again.relabelled,
            share=f"{100 * again.relabelled / again.samples:.3g} %",
        ),
        Text(
            "输入与标签须以同一顺序打乱：只抽取一次下标（order = rng.permutation(n)），两者都用它取值。",
            "Put inputs and labels into one order: draw the indices once (order = rng.permutation(n)) and take both by them.",
        ),
        *([reordered.place] if reordered is not None else []),
    )


def reordered(run_data: RunData, *_: Fact) -> Optional[tuple]:
    """Arrays of one sample each row, of which one was put into a new order by itself."""
    found = run_data.once(reordered_alone)
    if found is None or well_learned(run_data) is not None:
        return None
    return (
        Text(
            "{array} 的样本顺序被重新打乱，而 {partner} 保持原来的顺序：标签不再属于各自的输入",
            "{array} is put into a new order and {partner} is not put into the same: labels no longer belong to their inputs",
            array=found.array,
            partner=found.partner,
        ),
        Text(
            "用同一组下标打乱两者：{array} = {array}[order]，{partner} = {partner}[order]。",
            "Put both into one order: {array} = {array}[order] and {partner} = {partner}[order].",
            array=found.array,
            partner=found.partner,
        ),
        found.place,
    )


def contradicted_by_network(run_data: RunData, dataset: Fact, column: Fact) -> Optional[tuple]:
    """Labels that the trained network itself is sure are others (confident learning)."""
    found = run_data.probes.labels
    if dataset.label.kind not in ("class", "one_hot") or (found.samples or 0) < run_data.limit("ds.02.predicted"):
        return None
    share = (found.suspects or 0) / found.samples
    if share < run_data.limit("ds.02.suspects") or _network_is_to_blame(run_data) is not False:
        return None
    one = found.examples[0] if found.examples else None
    return (
        Text(
            "训练后的网络认为 {samples} 个样本中 {n} 个（{share}）的标签是错的，并且很有把握{example}",
            "The trained network is sure that {n} of {samples} samples ({share}) bear a wrong label{example}",
            n=found.suspects,
            samples=found.samples,
            share=f"{100 * share:.3g} %",
            example=Text("", "")
            if one is None
            else Text(
                "（例如第 {at} 个：标签 {label}，网络以 {p} 的概率认为是 {other}）",
                " (such as number {at}: labelled {label}, by the network {other} with a probability of {p})",
                at=one.position,
                label=one.label,
                other=one.predicted,
                p=one.probability,
            ),
        ),
        Text(
            "核对列出的样本（按训练中最初的顺序编号）；检查标签的读取、排序与映射。",
            "Look at the samples listed (numbered as they first came to training); see how labels are read, ordered and mapped.",
        ),
    )


def worse_than_on_validation(run_data: RunData, dataset: Fact, column: Fact) -> Optional[tuple]:
    """Training labels that the network contradicts where it is surest, by more than it errs on all of the validation data."""
    found = run_data.probes.labels
    if dataset.label.kind not in ("class", "one_hot") or (found.samples or 0) < run_data.limit("ds.02.predicted"):
        return None
    score = max(validation_scores(run_data, r"acc|top_?1"), default=None)
    if score is None or not found.surest or found.surest_wrong is None or found.accuracy is None:
        return None
    wrong = found.surest_wrong / found.surest
    # of classes that come one after the other a network knows the last alone
    learned = found.accuracy - (found.majority or 0) >= run_data.limit("ds.02.learned") / 2 * (
        1 - (found.majority or 0)
    )
    if wrong - (1 - score) < run_data.limit("ds.02.more_wrong") or score <= found.accuracy or not learned:
        return None
    return (
        Text(
            "网络在验证数据上的精度为 {score}，而它最有把握的一半训练样本中有 {wrong} 的标签与它的预测不符：训练标签很可能有误",
            "The network is right for {score} of the validation data, and of the training samples that it is surest of {wrong} "
            "bear another label than it predicts: labels of the training set are likely wrong",
            score=f"{100 * score:.3g} %",
            wrong=f"{100 * wrong:.3g} %",
        ),
        Text(
            "抽查训练样本的标签，检查标签的读取、排序与映射是否与验证数据一致。",
            "Look at labels of the training set; see whether they are read, ordered and mapped as those of the validation data.",
        ),
    )


def _network_is_to_blame(run_data: RunData) -> Optional[bool]:
    """Whether the network may be wrong where it contradicts the labels; None where that is not known.

    It is trusted where it has learned most of what the most frequent label alone leaves open, where not all of its
    probabilities are 1 (outputs of a large scale), and where its surest predictions contradict the labels as well: errors of
    a network and of classes that overlap lie among the unsure ones.
    """
    found = run_data.probes.labels
    if None in (found.accuracy, found.majority, found.surest, found.surest_wrong, found.saturated) or not found.surest:
        return None
    limit = run_data.limit
    learned = found.accuracy - found.majority >= limit("ds.02.learned") * (1 - found.majority)
    share = found.surest_wrong / found.surest
    sure = share >= limit("ds.02.suspects") and share >= limit("ds.02.surest") * (1 - found.accuracy)
    return not (learned and sure and found.saturated < limit("ds.02.saturated"))


def well_learned(run_data: RunData) -> Optional[float]:
    """The validation accuracy, where it and the training loss are so good that few labels can be wrong; else None.

    Wrong labels that are not memorised cost training loss; memorised ones cost validation accuracy.
    """
    if not losses_like(run_data, CLASS_LOSS) or len(run_data.losses) != 1:
        return None
    best = max(validation_scores(run_data, r"acc|top_?1"), default=None)
    losses = run_data.steps().observed("loss")
    if best is None or len(losses) < run_data.limit("ds.02.steps") or not np.isfinite(losses).all():
        return None
    last = float(losses[-max(5, len(losses) // 10) :].mean())
    good = best >= run_data.limit("ds.02.accuracy") and 0 <= last <= run_data.limit("ds.02.loss")
    return best if good else None
