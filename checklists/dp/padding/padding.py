"""Padding as delivered: does it agree with its mask, with the lengths, with itself? (dp.04)"""

import re
from typing import NamedTuple, Optional

from msprec.bilingual import Joined, Text, percent
from msprec.checklists.common import declared_design
from msprec.checklists.common.data.input_scale import values_in
from msprec.checklists.common.findings import SIDES, at, first_place, missing, padded_side, pipeline_table, role_of
from msprec.checklists.common.script.array_origin import array_origins
from msprec.checklists.common.training.constant_prediction import learning_outcome, learnt_well
from msprec.checklists.dp.padding.mask_polarity import hides_real_elements
from msprec.checklists.dp.padding.recurrent_reading import reads_through_padding
from msprec.checklists.dp.padding.sequence_lengths import counted_from_the_start
from msprec.engine.finding import Finding, not_applicable, ok, problem, table, undecided
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

_PADS = re.compile(
    r"(?<!def )\bpad(ded_batch|_sequences?|_to_max|End)?\s*\(|PadEnd|np\.pad\(|ops\.pad\(|padding\s*=\s*['\"]max_length"
    r"|\w\[[^\]]*\blen\([^\]]*\]\s*=[^=]",  # row[: len(tokens)] = tokens
    re.IGNORECASE,
)
#: A line that makes a mask by a comparison.
_MASK_MADE = (
    r"(?i)^\s*(self\.)?(\w*mask\w*|pad(ding|ded)?)\s*="
    r".*(!=|==|\b(ne|eq|equal|not_equal|logical_not)\(|[(=]\s*~|\b1(\.0)?\s*-)"
)
#: A comparison of places with lengths, whatever it is called.
_OF_LENGTHS = (
    r"(?i)^\s*\w+\s*=.*(([<>]=?)[^<>]*\blen(gth)?s?\b|\blen(gth)?s?\b[^<>]*[<>]).*(dims|squeeze|None|reshape|view)"
)
_MASK_NAMED = r"(?i)^\s*(self\.)?\w*mask\w*\s*=[^=]"
_WEIGHTED = r"(?i)(cross_?entropy|nll)\w*\(.*\bweight\s*=\s*(?!None)"
_ADVICE = Text(
    "把补齐的一侧、数值与长度写在一处，训练与推理共用；补齐值专用一个编号，mask 由真实长度生成，loss 忽略补齐的位置。",
    "Give side, value and length in one place that training and inference share; reserve an id for padding, "
    "build the mask from the "
    "real length, and let the loss ignore padded places.",
)


class PaddingFault(NamedTuple):
    """What is wrong with one column; ``sure``: by itself a problem; ``used``: where what was made at the place is used."""

    says: Text
    dataset: Fact
    sure: bool = True
    place: Optional[Fact] = None
    used: Optional[Fact] = None


def judge_padding(run_data: RunData) -> Finding:
    """The finding on all data sets that were used."""
    used = run_data.datasets_of("train", "eval", "predict") or run_data.datasets
    if not used:
        return missing("数据处理流程", "data pipeline")
    padded = [(dataset, pad) for dataset in used for pad in dataset.padding if pad.value is not None and pad.rows]
    places = _pad_places(run_data, used)
    if not padded:
        return _nothing_padded(run_data, used, places)
    judged = [(dataset, pad) for dataset, pad in padded if pad.kind == "int" or pad.mask or pad.length or places]
    if not judged:
        return not_applicable(
            Text(
                "没有补齐步骤、mask 或长度列；数值序列两端的重复值不视为补齐。",
                "There is no padding step, mask or length; repeated values at the ends of numeric sequences "
                "are not taken for padding.",
            )
        )
    faults = [fault for dataset, pad in judged for fault in _faults(run_data, dataset, pad)]
    faults += [
        *_between_sets(run_data, judged),
        *_padding_counts(run_data, judged),
        *_a_class_left_out(run_data, judged),
        *(
            _masked_from_the_other_end(run_data, judged)
            or _attends_padding(run_data, judged)
            or _padding_alone(run_data, judged)
        ),
        *(_mostly_padding_averaged(run_data, judged) or _padding_averaged(run_data, judged)),
    ]
    shown = [
        _table(judged),
        *(pipeline_table(dataset) for dataset in used),
        run_data.code_at(places, Text("补齐", "Padding")),
    ]
    sure = [fault for fault in faults if fault.sure]
    if sure or (faults and "padding" not in run_data.design):
        return _wrong(run_data, faults, shown, places)
    otherwise = declared_design.padding(run_data, judged, shown)
    if otherwise is not None:
        return otherwise
    if faults:
        return _wrong(run_data, faults, shown, places)
    return ok(
        Text(
            "补齐一致：{what}。",
            "The padding is consistent: {what}.",
            what=Joined([_words(*one) for one in judged[:3]], zh="；", en="; "),
        ),
        shown,
        places,
    )


def _wrong(run_data: RunData, faults: list, shown: list, places: list) -> Finding:
    sure = [fault for fault in faults if fault.sure]
    told = sure or faults
    own = [one for fault in told for one in (fault.place, fault.used) if one]
    places = [*own, *places, *(first_place(fault.dataset) for fault in told)]
    places += [place for fault in told for place in _origins(run_data, fault)]
    says = Joined([fault.says for fault in told[:4]], zh="；", en="; ")
    if sure:
        return problem(Text("补齐有误：{says}。", "The padding is wrong: {says}.", says=says), _ADVICE, shown, places)
    return undecided(
        Text("补齐可能有误：{says}。", "The padding may be wrong: {says}.", says=says),
        Text("对照设计确认补齐的一侧、数值与长度。", "Compare side, value and length of the padding with the design."),
        shown,
        places,
    )


def _origins(run_data: RunData, fault: PaddingFault) -> list:
    """Where the padded arrays were filled."""
    padded = [pad.column for pad in fault.dataset.padding]
    columns = [column for column in fault.dataset.columns if column.name in padded]
    return array_origins(run_data, fault.dataset, columns[0]) if columns else []


def _nothing_padded(run_data: RunData, used: list, places: list) -> Finding:
    sequences = [
        column for dataset in used for column in dataset.columns if len(column.shape) in (1, 2) and column.kind == "int"
    ]
    if "padding" in run_data.design and sequences:
        return declared_design.unpadded(run_data, sequences)
    if places and sequences:
        return ok(
            Text(
                "脚本有补齐步骤，但送入网络的数据中没有补齐的元素。",
                "The script can pad, but nothing that was delivered is padded.",
            ),
            [run_data.code_at(places, Text("补齐", "Padding"))],
            places,
        )
    if any(dataset.columns for dataset in used):
        return not_applicable(Text("送入网络的数据中没有补齐。", "Nothing that was delivered is padded."))
    return missing("各列的统计", "statistics of the columns")


def _pad_places(run_data: RunData, used: list) -> list:
    """Where sequences are padded, as the pipelines and the source tell; convolutions and pictures do not count."""
    found = [
        step.place
        for dataset in used
        for step in dataset.pipeline
        if step.place
        and (step.op in ("padded_batch", "bucket_batch_by_length") or "PadEnd" in str(step.args.get("operations", "")))
    ]
    return found + run_data.find_lines(_PADS.pattern, 3)


# --- what is wrong -------------------------------------------------------------------------------------------------


def _faults(run_data: RunData, dataset: Fact, pad: Fact) -> list:
    found = []
    if not _real_at_its_ends(run_data, dataset, pad):
        found = [_mask(run_data, dataset, pad), _length(run_data, dataset, pad), _side(run_data, dataset, pad)]
    found += [
        _from_the_start(run_data, dataset, pad),
        _read_through(run_data, dataset, pad),
        _hides_real(run_data, dataset, pad),
        _in_the_loss(run_data, dataset, pad),
    ]
    # a mask or length of another column's tells the real places of this one too
    told = any(one.mask or one.length for one in dataset.padding if one.lengths == pad.lengths)
    if not told:
        found.append(_value(run_data, dataset, pad))
    return [fault for fault in found if fault is not None]


def _real_at_its_ends(run_data: RunData, dataset: Fact, pad: Fact) -> bool:
    """Whether values like its padding are real ones of this column, as the tag of most words: they stand within rows too, its
    mask hides nothing real, and another column agrees with that mask, or with the lengths, throughout."""
    limit, mask = run_data.limit("dp.04.contradicts"), pad.mask
    if not pad.inside or (mask and (mask.real_off or 0) > limit * max(1, mask.real or 0)):
        return False
    others = [one for one in dataset.padding if one.column != pad.column]
    if not mask:
        least = 1 - run_data.limit("dp.04.wrong_lengths")
        lengths = [one.length for one in others if pad.length and one.length.column == pad.length.column]
        return any((one.agrees or 0) >= least for one in lengths)
    masks = [one.mask for one in others if one.mask and one.mask.column == mask.column]
    return any(one.padded and not one.padded_on and not one.real_off for one in masks)


def _mask(run_data: RunData, dataset: Fact, pad: Fact) -> Optional[PaddingFault]:
    mask = pad.mask
    if not mask:
        return None
    padded, real = max(1, mask.padded or 0), max(1, mask.real or 0)
    on, off = (mask.padded_on or 0) / padded, (mask.real_off or 0) / real
    if on > run_data.limit("dp.04.contradicts"):
        return PaddingFault(
            Text(
                "{role}的 {mask} 把 {column} 中 {n}（{share}）个补齐的元素标为真实",
                "{mask} of the {role} marks {n} ({share}) of the padded elements of {column} as real",
                role=role_of(dataset),
                mask=mask.column,
                column=pad.column,
                n=mask.padded_on,
                share=f"{100 * on:.3g} %",
            ),
            dataset,
        )
    # a pad value that is also a real one makes real places look padded, and not the other way round
    if off > run_data.limit("dp.04.contradicts"):
        return PaddingFault(
            Text(
                "{role}的 {mask} 遮住了 {column} 中 {n}（{share}）个真实的元素",
                "{mask} of the {role} hides {n} ({share}) of the real elements of {column}",
                role=role_of(dataset),
                mask=mask.column,
                column=pad.column,
                n=mask.real_off,
                share=f"{100 * off:.3g} %",
            ),
            dataset,
        )
    return None


def _length(run_data: RunData, dataset: Fact, pad: Fact) -> Optional[PaddingFault]:
    agrees = pad.length.agrees
    if agrees is None or 1 - agrees <= run_data.limit("dp.04.wrong_lengths"):
        return None
    return PaddingFault(
        Text(
            "{role}的长度列 {length} 只在 {share} 的样本中与 {column} 的真实长度一致",
            "the lengths in {length} of the {role} agree with {column} in only {share} of the samples",
            role=role_of(dataset),
            length=pad.length.column,
            column=pad.column,
            share=f"{100 * agrees:.3g} %",
        ),
        dataset,
        sure=agrees < run_data.limit("dp.04.right_lengths"),
    )


def _side(run_data: RunData, dataset: Fact, pad: Fact) -> Optional[PaddingFault]:
    right, left = pad.right_only or 0, pad.left_only or 0
    least = max(3, run_data.limit("dp.04.mixed") * pad.rows)
    if min(right, left) < least:
        return None
    return PaddingFault(
        Text(
            "{role}的 {column} 有 {right} 个样本补在右侧、{left} 个补在左侧",
            "in {column} of the {role} {right} samples are padded on the right and {left} on the left",
            role=role_of(dataset),
            column=pad.column,
            right=right,
            left=left,
        ),
        dataset,
        sure=_is_told(run_data, dataset, pad),
    )


def _is_told(run_data: RunData, dataset: Fact, pad: Fact) -> bool:
    """Whether a mask, a length or a step that pads says that this is padding; runs at the ends of rows alone are a guess."""
    return bool(pad.mask or pad.length or _pad_places(run_data, [dataset]))


def _from_the_start(run_data: RunData, dataset: Fact, pad: Fact) -> Optional[PaddingFault]:
    """Padded in front, while the network is told how many elements to read from the start."""
    left, right = pad.left_only or 0, pad.right_only or 0
    if pad.length.agrees is None or left < 3 or right > run_data.limit("dp.04.mixed") * left:
        return None
    places = counted_from_the_start(run_data)
    if not places:
        return None
    return PaddingFault(
        Text(
            "{role}的 {column} 补在左侧，而 {where} 按 {length} 从第一个元素数起：读到的是补齐值，真实的元素被丢掉",
            "{column} of the {role} is padded on the left, while the call at {where} counts {length} from the first element on: "
            "it reads padding and leaves out real elements",
            role=role_of(dataset),
            column=pad.column,
            where=at(places[0]),
            length=pad.length.column,
        ),
        dataset,
        place=places[0],
    )


def _read_through(run_data: RunData, dataset: Fact, pad: Fact) -> Optional[PaddingFault]:
    """Padded behind, and the recurrent layer's state after all the padding is what the network goes on with."""
    places = reads_through_padding(run_data, pad)
    if dataset.role != "train" or not places:
        return None
    return PaddingFault(
        Text(
            "{role}的 {column} 补在右侧（占 {share}），而循环层不知道真实长度，只取最后一步：那是读完全部补齐之后的状态，"
            "训练也没有学到东西",
            "{column} of the {role} is padded on the right ({share} of it), the recurrent layer is not told the lengths, and its "
            "last step alone is used: that is its state after all the padding, and the training learnt nothing",
            role=role_of(dataset),
            column=pad.column,
            share=f"{100 * pad.share:.0f} %",
        ),
        dataset,
        place=places[0],
    )


def _in_the_loss(run_data: RunData, dataset: Fact, pad: Fact) -> Optional[PaddingFault]:
    """Targets that are filled up, and a cross-entropy that was given the filling and averages over it; rarely meant."""
    if dataset.role != "train" or pad.column != dataset.label.column or pad.kind != "int" or pad.inside:
        return None
    if (pad.share or 0) < run_data.limit("dp.04.counted") or run_data.find_lines(_WEIGHTED, 1):
        return None
    places = (dataset.batch_size or 0) * (pad.lengths[1] if len(pad.lengths) == 2 else 0)
    for one in run_data.probes.losses:
        given = values_in(one.labels.shape) or 0
        whole = one.settings.get("reduction") in ("mean", "sum") and places and 0.8 * places <= given <= places
        if one.kind != "softmax_cross_entropy" or not whole or one.labels.min != pad.value or one.labels.distinct == 1:
            continue
        if one.settings.get("ignore_index") != pad.value:
            return PaddingFault(
                Text(
                    "{name}（{where}）把 {column} 中的补齐值 {value}（占 {share}）也当作目标计算：ignore_index 没有设为它",
                    "{name} at {where} counts the padding of {column} too: {value} fills up {share} of its elements, and "
                    "ignore_index is another",
                    name=one.name,
                    where=at(one.place),
                    column=pad.column,
                    value=pad.value,
                    share=f"{100 * (pad.share or 0):.3g} %",
                ),
                dataset,
                sure=False,
                place=one.place,
            )
    return None


def _padding_counts(run_data: RunData, judged: list) -> list:
    """The gradient of the loss reaches the padded places: these alone, or more of them than real ones."""
    facts, train = run_data.probes.loss_places, [dataset for dataset, _ in judged if dataset.role == "train"]
    real = (facts.places or 0) - (facts.padded or 0)
    if not train or not facts.padded or real < 1 or None in (facts.padded_counted, facts.real_counted):
        return []
    counted = Text("{n} / {all}", "{n} of {all}", n=facts.padded_counted, all=facts.padded)
    seldom = facts.padded_counted < run_data.limit("dp.04.reached") * facts.padded
    if not seldom and facts.real_counted <= run_data.limit("dp.04.contradicts") * real:
        says = Text(
            "loss 只计算补齐的位置：补齐位置中的 {counted} 个有梯度，而 {real} 个真实位置中只有 {n} 个；mask 在 {where} 处用反了",
            "the loss counts the padding alone: {counted} padded places have a gradient, and {n} of {real} real ones; the mask "
            "at {where} is the wrong way round",
            counted=counted,
            n=facts.real_counted,
            real=real,
            where=at(facts.place),
        )
        return [PaddingFault(says, train[0], place=facts.place)]
    share = facts.padded_counted / max(facts.padded_counted + facts.real_counted, 1)
    if share < run_data.limit("dp.04.mostly_padding"):
        return []
    says = Text(
        "loss 也计算补齐的位置，而且它们占多数（{share}：补齐 {padded}，真实 {n}，位于 {where}）：只要预测补齐，loss 就很低",
        "the loss at {where} counts the padding too, and that is the most of it ({share}: {padded} padded places and {n} real "
        "ones): it comes down by predicting padding",
        share=f"{100 * share:.0f} %",
        padded=facts.padded_counted,
        n=facts.real_counted,
        where=at(facts.place),
    )
    return [PaddingFault(says, train[0], place=facts.created or facts.place)]


def _a_class_left_out(run_data: RunData, judged: list) -> list:
    """What fills the targets up is left out of the loss, and is the class of most of the real places as well.

    The network has an output for that class. Targets that are the tokens themselves, most of which a masked language model
    leaves out on purpose, are none of these: there are as many classes as tokens.
    """
    facts, train = run_data.probes.loss_places, [one for one in judged if one[0].role == "train"]
    real, losses = (facts.places or 0) - (facts.padded or 0), run_data.probes.losses
    if not train or real < 1 or facts.padded_counted or facts.real_counted is None or len(losses) != 1:
        return []
    ignored, classes = facts.left_out, (losses[0].predicted.shape or [0, 0])[-1]
    if ignored is None:  # no batch of the probe holds both kinds of places
        ignored = losses[0].settings.get("ignore_index")
    tokens = [
        column.max
        for dataset, pad in train
        for column in dataset.columns
        if column.name == pad.column and column.name != dataset.label.column and pad.kind == "int"
    ]
    judges = facts.real_counted <= run_data.limit("dp.04.left_out") * real
    if ignored is None or not 0 <= ignored < classes or not judges or not tokens or max(tokens) < 2 * classes:
        return []
    says = Text(
        "补齐标签所用的 {value} 也是真实的类别：{how}，因此 {real} 个真实位置中只有 {n} 个计入 loss，网络从未学到这个类别",
        "{value}, which fills the labels up, is a real class as well: with {how} only {n} of {real} real places "
        "count in the loss, and the network never learns that class",
        value=int(ignored),
        how=Text("ignore_index={value}", "ignore_index={value}", value=int(ignored))
        if losses[0].settings.get("ignore_index") == ignored
        else Text("{where} 处的掩码", "the mask at {where}", where=at(facts.place)),
        real=real,
        n=facts.real_counted,
    )
    return [PaddingFault(says, train[0][0], place=facts.created or facts.place)]


def _attends_padding(run_data: RunData, judged: list) -> list:
    """Attention gives all its weight to the padding of padded samples, and none to their real elements."""
    train = [dataset for dataset, _ in judged if dataset.role == "train"]
    found = [
        one
        for one in run_data.probes.attended_padding.softmaxes
        if one.least is not None and one.least >= run_data.limit("dp.04.attended")
    ]
    if not train:
        return []
    if not found:
        return _hidden_real(run_data, train[0])
    says = Text(
        "{operator}（{where}）把补齐样本的全部权重（至少 {least}）给了补齐的位置：掩码遮住的是真实元素",
        "{operator} at {where} gives all the weight of padded samples (at least {least}) to their padding: the mask hides the "
        "real elements",
        operator=found[0].operator,
        where=at(found[0].place),
        least=percent(found[0].least),
    )
    return [PaddingFault(says, train[0], place=_mask_place(run_data, found[0].place), used=found[0].place)]


def _hidden_real(run_data: RunData, dataset: Fact) -> list:
    """Scores that a mask takes far below at all real places and at no padded one, whatever the softmax makes of them."""
    limit = run_data.limit("dp.04.attended")
    found = [
        one
        for one in run_data.probes.attended_padding.hiding
        if None not in (one.real, one.padding) and one.real >= limit and one.padding <= 1 - limit
    ]
    if not found:
        return []
    says = Text(
        "{where} 的打分在 {real} 的真实位置被压到极低，而补齐的位置没有：掩码遮住的是真实元素",
        "the scores at {where} are taken far below all others at {real} of the real places, and at none of the padded ones: the "
        "mask hides the real elements",
        where=at(found[0].place),
        real=percent(found[0].real),
    )
    return [PaddingFault(says, dataset, place=_mask_place(run_data, found[0].place), used=found[0].place)]


def _masked_from_the_other_end(run_data: RunData, judged: list) -> list:
    """What marks as many places of each sample as are real marks mostly padding, or is the right mask of the sequences turned
    round; one that marks the real ones beside it is the mask, and the other may be meant for sequences turned round."""
    train = [dataset for dataset, _ in judged if dataset.role == "train"]
    found, limit = run_data.probes.attended_padding.masks, run_data.limit("dp.04.other_end")
    wrong = [one for one in found if one.on_padding and (one.turned or one.on_padding >= limit)]
    if not found or not train or len(wrong) < len(found):
        return []
    says = Text(
        "网络中的掩码（{where}）按长度标记了与真实元素同样多的位置，但其中 {share} 是补齐：补齐与掩码从序列的不同一端数起",
        "the mask in the network ({where}) marks as many places as are real, and {share} of these are padding: padding and "
        "mask count from different ends of the sequence",
        where=at(found[0].place),
        share=percent(found[0].on_padding),
    )
    return [PaddingFault(says, train[0], place=_mask_place(run_data, found[0].place))]


def _padding_alone(run_data: RunData, judged: list) -> list:
    """The loss changes with the padding and not with the real tokens, and the training has not learnt."""
    train, facts = [dataset for dataset, _ in judged if dataset.role == "train"], run_data.probes.token_use
    if not facts.padding_alone or not train or learnt_well(run_data):
        return []
    says = Text(
        "loss 只取决于补齐的位置：把真实元素换成别的，loss 不变；把补齐换成真实元素，loss 改变（embedding 位于 {where}）。"
        "掩码遮住的是真实元素",
        "the loss depends on the padding alone: with other real tokens in the place of these it stays the same, with real tokens "
        "in the place of the padding it changes (the embedding is at {where}); the mask hides the real tokens",
        where=at(facts.place),
    )
    return [PaddingFault(says, train[0], place=_mask_place(run_data, facts.place))]


def _mostly_padding_averaged(run_data: RunData, judged: list) -> list:
    """A mean over the places of sequences is for the most part one of the padding, and the training learnt next to nothing."""
    means, train = run_data.probes.attended_padding.means, [dataset for dataset, _ in judged if dataset.role == "train"]
    found = [one for one in means if (one.share or 0) >= run_data.limit("dp.04.after")]
    if not found or not train or learning_outcome(run_data).verdict not in ("nothing", "hardly"):
        return []
    says = Text(
        "{where} 对序列各位置取平均时把补齐也算在内（占 {share}），真实元素被淹没，训练几乎没有学到东西：只对真实位置求和，再除以"
        "它们的个数",
        "the mean over the places at {where} counts the padding, which is {share} of it: the real elements drown, and the "
        "training learnt next to nothing; add up the real places alone and divide by their number",
        where=at(found[0].place),
        share=percent(found[0].share),
    )
    return [PaddingFault(says, train[0], place=found[0].place)]


def _padding_averaged(run_data: RunData, judged: list) -> list:
    """A mean over the places of sequences divides by a length of which dp.04.averaged and more is padding, and the training did
    not come cg.03.solved below a constant prediction."""
    means, train = run_data.probes.attended_padding.means, [one for one in judged if one[0].role == "train"]
    padded, gain = max((pad.share or 0.0 for _, pad in train), default=0.0), learning_outcome(run_data).gain
    unsolved = gain is not None and gain < run_data.limit("cg.03.solved")
    if not means or not train or not unsolved or padded < run_data.limit("dp.04.averaged"):
        return []
    says = Text(
        "{where} 对序列的全部位置取平均，其中 {share} 是补齐：除数是补齐后的长度，而不是样本自己的长度，短样本的结果被缩小；"
        "只对真实位置求和，再除以它们的个数",
        "the mean at {where} goes over all places, {share} of which are padding: it divides by the padded length and not by the "
        "sample's own, and makes little of short samples; add up the real places alone and divide by their number",
        where=at(means[0].place),
        share=percent(padded),
    )
    return [PaddingFault(says, train[0][0], place=means[0].place)]


def _mask_place(run_data: RunData, otherwise: Optional[Fact]) -> Optional[Fact]:
    """The first line that makes a mask by a comparison, or at all; where there is none, ``otherwise``."""
    found = (run_data.find_lines(one, 1) for one in (_MASK_MADE, _OF_LENGTHS, _MASK_NAMED))
    return next((one[0] for one in found if one), otherwise)


def _hides_real(run_data: RunData, dataset: Fact, pad: Fact) -> Optional[PaddingFault]:
    """The mask is right as delivered, and the network takes it for its opposite."""
    if dataset.role != "train":
        return None
    where = hides_real_elements(run_data, dataset, pad)
    if where is None:
        return None
    return PaddingFault(
        Text(
            "{role}的 {mask} 用 {real} 标记 {column} 的真实元素，而 {where} 遮住的正是这些元素，留下的是补齐",
            "{mask} of the {role} marks the real elements of {column} by {real}, and the code at {where} hides just those and "
            "leaves the padding",
            role=role_of(dataset),
            mask=pad.mask.column,
            column=pad.column,
            where=at(where),
            real=0 if pad.mask.inverted else 1,
        ),
        dataset,
        place=where,
    )


def _value(run_data: RunData, dataset: Fact, pad: Fact) -> Optional[PaddingFault]:
    rows = pad.inside_rows or 0
    if rows < max(3, run_data.limit("dp.04.inside") * pad.rows):
        return None
    if pad.column == dataset.label.column and isinstance(pad.value, (int, float)) and pad.value < 0:
        return None  # no number of a class: places that a loss leaves out may stand anywhere
    return PaddingFault(
        Text(
            "补齐值 {value} 在{role}的 {column} 中也是真实的取值（{n} 个样本，{inside} 处），又没有 mask 或长度可以区分",
            "the pad value {value} is a real value of {column} as well (in {n} samples of the {role}, "
            "{inside} places), and no mask or "
            "length tells them apart",
            role=role_of(dataset),
            value=pad.value,
            column=pad.column,
            n=rows,
            inside=pad.inside,
        ),
        dataset,
        sure=_is_told(run_data, dataset, pad),
    )


def _between_sets(run_data: RunData, judged: list) -> list:
    """Training and evaluation or inference that pad alike columns otherwise."""
    first = {pad.column: (dataset, pad) for dataset, pad in reversed(judged) if dataset.role == "train"}
    found = []
    for dataset, pad in judged:
        if dataset.role == "train" or pad.column not in first:
            continue
        mine = first[pad.column][1]
        if pad.value != mine.value:
            found.append(
                PaddingFault(
                    Text(
                        "{column} 在训练中用 {a} 补齐，在{role}中用 {b}",
                        "{column} is padded with {a} in training and with {b} in the {role}",
                        column=pad.column,
                        a=mine.value,
                        b=pad.value,
                        role=role_of(dataset),
                    ),
                    dataset,
                )
            )
        sides = {padded_side(mine), padded_side(pad)}
        if sides == {"left", "right"}:
            # generating text from a batch of prompts is padded in front by design
            found.append(
                PaddingFault(
                    Text(
                        "{column} 在训练中补在{a}，在{role}中补在{b}",
                        "{column} is padded on the {a} in training and on the {b} in the {role}",
                        column=pad.column,
                        a=SIDES[padded_side(mine)],
                        b=SIDES[padded_side(pad)],
                        role=role_of(dataset),
                    ),
                    dataset,
                    sure=dataset.role == "eval",
                )
            )
    return found


def _words(dataset: Fact, pad: Fact) -> Text:
    with_mask = Text("，与 {mask} 一致", ", as {mask} says", mask=pad.mask.column) if pad.mask else Text("", "")
    return Text(
        "{role}的 {column} 以 {value} 补在{side}，占 {share}{mask}",
        "{column} of the {role} with {value} on the {side}, {share} of its elements{mask}",
        role=role_of(dataset),
        column=pad.column,
        value=pad.value,
        side=SIDES[padded_side(pad)],
        share=f"{100 * (pad.share or 0):.3g} %",
        mask=with_mask,
    )


def _table(judged: list):
    rows = [
        [
            role_of(dataset),
            pad.column,
            pad.value,
            pad.share,
            pad.right_only,
            pad.left_only,
            pad.both,
            pad.rows,
            "–".join(map(str, pad.lengths)),
            pad.inside_rows,
            pad.mask.column,
            pad.mask.padded_on,
            pad.mask.real_off,
        ]
        for dataset, pad in judged
    ]
    heads = [
        Text("数据集", "data set"),
        Text("列", "column"),
        Text("补齐值", "pad value"),
        Text("补齐占比", "share padded"),
        Text("右侧", "right"),
        Text("左侧", "left"),
        Text("两侧", "both"),
        Text("样本数", "samples"),
        Text("长度", "length"),
        Text("其中真实取此值", "where it is real"),
        "mask",
        Text("补齐而标为真实", "padded, marked real"),
        Text("真实而被遮住", "real, hidden"),
    ]
    return table(Text("送入网络的补齐", "Padding as delivered"), heads, rows)
