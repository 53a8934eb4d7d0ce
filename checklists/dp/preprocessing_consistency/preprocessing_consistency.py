"""Is evaluation or inference data prepared as the training data were? The judgement on one run (dp.02)."""

import ast
import re
from typing import NamedTuple, Optional

from msprec.bilingual import Joined, Text, listed
from msprec.checklists.common.data.distribution_difference import (
    ColumnValues,
    DistributionDifference,
    centred_on_itself,
    comparable,
    compare,
    rearranged,
    seen_samples,
)
from msprec.checklists.common.data.transforms import Prepared, Transform, by_column, is_label
from msprec.checklists.common.findings import at, first_place, pipeline_table, plain_arrays, role_of, train_sets
from msprec.checklists.common.script.array_origin import argument_origins, array_origins, row_origins
from msprec.checklists.common.script.call_sites import calls_around
from msprec.checklists.common.script.network_chain import learnt_inputs
from msprec.checklists.common.training.training_segments import last_training_start
from msprec.checklists.dp.in_network_normalization import input_scaling
from msprec.checklists.dp.preprocessing_consistency.listed_operations import listed_operations
from msprec.checklists.dp.preprocessing_consistency.same_scaling import scaled_alike
from msprec.checklists.dp.preprocessing_consistency.scaled_by_a_number import scaled_by_a_number
from msprec.engine.finding import Finding, ok, problem, table, undecided
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact
from msprec.record.schema import INPUTS
from msprec.source.user_code import argument_names, construct_of

#: A metric of the script's own, an inverse transform, or a network that is another, or does otherwise, outside training.
_RESCALES = r"def update\(self|inverse_transform|self\.training\b|eval_network\s*="
_TTA = r"(?i)(\b|_)tta(\b|_)|test_?time_?aug"
#: Share of a column's range that some batches of it span at the least.
_PART = 0.1
#: Calls of a function that is evaluated with, of which the arguments are followed.
_CALLERS = 3
#: What to do about processing that differs.
ADVICE = Text(
    "让训练、评估和推理共用一个数据处理函数，只有随机增强在训练时才启用；归一化的常数始终用训练集的。",
    "Let one function prepare the data of training, evaluation and inference, with only the random augmentation switched on "
    "for training; normalise with the training set's constants everywhere.",
)


class PipelineFault(NamedTuple):
    """One difference; ``sure``: by itself a problem."""

    says: Text
    place: Optional[Fact]
    sure: bool


class DatasetPair:
    """A training set and another set, column by column."""

    def __init__(self, run_data: RunData, train: Fact, other: Fact, settled: bool = False):
        self.run_data, self.train, self.other, self.settled = run_data, train, other, settled
        self.place = _last_place(other)
        self.columns = _matched(train, other)
        self.prepared = self._prepared()
        self.likeness = [
            compare(run_data, ColumnValues(a, seen_samples(train)), ColumnValues(b, seen_samples(other)))
            for a, b in self.columns
        ]

    def _prepared(self) -> list:
        """(training, other) transforms of the columns that both have."""
        mine, theirs = by_column(self.train), by_column(self.other)
        names = [(a.name, b.name) for a, b in self.columns]
        pairs = [(mine.get(a, []), theirs.get(b, [])) for a, b in names if a in mine or b in theirs]
        if not pairs and (mine or theirs):
            pairs = [(next(iter(mine.values()), []), next(iter(theirs.values()), []))]
        return [(Prepared(a), Prepared(b)) for a, b in pairs]

    @property
    def readable(self) -> bool:
        """Whether every step of both is known, or the very same."""
        return all(a.same_opaque(b) for a, b in self.prepared)

    @property
    def augmented(self) -> bool:
        return any(a.random for a, _ in self.prepared)

    def faults(self) -> list:
        found = [fault for pair in self.prepared for fault in self._of_transforms(*pair)]
        found += [one for one in (self._changing(), self._own_statistics(), self._of_targets()) if one is not None]
        if not self.settled:
            told = [(pair, one) for pair, one in zip(self.columns, self.likeness) if one.says is not None]
            found += [self._of_values(pair, one) for pair, one in told]
        return found + [fault for pair in self.columns for fault in self._of_shape(*pair)]

    # --- what is declared ---------------------------------------------------------------------------------------
    def _of_transforms(self, mine: Prepared, theirs: Prepared) -> list:
        found = []
        if theirs.random:
            found.append(self._kept_random(theirs.random))
        if not mine.same_opaque(theirs):
            return found + self._one_step_more(mine, theirs)
        look_alike = bool(self.likeness) and all(one.level == "close" for one in self.likeness)
        other_source = _source(self.train) != _source(self.other)
        made_up_for = (other_source and look_alike) or (self.settled and not mine.near(theirs))
        if not mine.same_values(theirs) and not made_up_for:
            found.append(self._scaled_otherwise(mine, theirs))
        # a layout that the source already has needs no step; the delivered shapes tell
        if mine.layout != theirs.layout and not self._same_layout():
            found.append(self._steps_differ(mine.operations, theirs.operations, ("HWC2CHW", "CHW2HWC", "ToTensor")))
        for kind in ("geometry", "colour", "other"):
            a, b = getattr(mine, kind), getattr(theirs, kind)
            if [one.text for one in a] == [one.text for one in b]:
                continue
            if kind == "geometry" and (mine.random_geometry or theirs.random_geometry or other_source):
                continue
            found.append(self._steps_differ(a, b, None))
        return found

    def _one_step_more(self, mine: Prepared, theirs: Prepared) -> list:
        """A function that the other set alone goes through, while all else is the same: statistics see no flip or reversal."""
        alike = mine.same_values(theirs) and mine.layout == theirs.layout
        alike = alike and [one.text for one in mine.geometry] == [one.text for one in theirs.geometry]
        if mine.opaque or not alike or not mine.operations:
            return []
        return [
            PipelineFault(
                Text(
                    "{role}另外经过 {names}，训练数据没有，其余步骤相同",
                    "the {role} goes through {names} as well, which training data do not, and through the same steps otherwise",
                    role=role_of(self.other),
                    names=listed(re.sub(r"#\w+$", "", one.name) for one in theirs.opaque),
                ),
                theirs.opaque[0].place or self.place,
                False,
            )
        ]

    def _kept_random(self, steps: list) -> PipelineFault:
        return PipelineFault(
            Text(
                "{role}保留了随机增强 {names}",
                "the {role} keeps the random augmentation {names}",
                role=role_of(self.other),
                names=listed(one.name for one in steps),
            ),
            steps[0].place or self.place,
            not self.run_data.find_lines(_TTA, 1),
        )

    def _scaled_otherwise(self, mine: Prepared, theirs: Prepared) -> PipelineFault:
        step = _first_other(mine.operations, theirs.operations)
        return PipelineFault(
            Text(
                "训练数据按 {a}·x + {b} 缩放，{role}按 {c}·x + {d}（训练：{mine}；{role}：{theirs}）",
                "training data are scaled by {a}·x + {b}, the {role} by {c}·x + {d} (training: {mine}; {role}: {theirs})",
                a=_short(mine.a),
                b=_short(mine.b),
                c=_short(theirs.a),
                d=_short(theirs.b),
                role=role_of(self.other),
                mine=_scaling_steps(mine),
                theirs=_scaling_steps(theirs),
            ),
            step.place if step else self.place,
            True,
        )

    def _steps_differ(self, mine: list, theirs: list, names: Optional[tuple]) -> PipelineFault:
        mine, theirs = ([o for o in some if names is None or o.name in names] for some in (mine, theirs))
        return PipelineFault(
            Text(
                "训练数据经过 {a}，{role}经过 {b}",
                "training data go through {a}, the {role} through {b}",
                a=_steps(mine),
                b=_steps(theirs),
                role=role_of(self.other),
            ),
            theirs[0].place if theirs else self.place,
            True,
        )

    def _same_layout(self) -> bool:
        pictures = [(a, b) for a, b in self.columns if len(a.shape) == len(b.shape) == 3]
        return bool(pictures) and all(_layout_kept(a.shape, b.shape) for a, b in pictures)

    # --- what is delivered --------------------------------------------------------------------------------------
    def _changing(self) -> Optional[PipelineFault]:
        """The same labels in the same places and other data: an augmentation that draws anew."""
        for entry in self.other.order.passes:
            share = entry.common_share
            limit, compared = self.run_data.limit, entry.compared_samples or 0
            if not entry.same_order_as_first or share is None or compared < limit("dp.02.compared"):
                continue
            if share < limit("dp.02.redrawn"):
                return PipelineFault(
                    Text(
                        "{role}每次的标签及顺序相同，但只有 {share} 的样本数据与第一次相同：处理中有随机步骤",
                        "the {role} delivers the same labels in the same order each time, but only {share} of its samples are "
                        "the data of the first time: something random is in its processing",
                        role=role_of(self.other),
                        share=f"{100 * share:.0f} %",
                    ),
                    self.place,
                    not self.run_data.find_lines(_TTA, 1),
                )
        return None

    def _own_statistics(self) -> Optional[PipelineFault]:
        whole = self.other.samples_per_pass and (self.other.scanned.share or 0) >= 1
        for a, b in self.columns if whole else []:
            if len(b.shape) == 1 and centred_on_itself(
                ColumnValues(a, seen_samples(self.train)), ColumnValues(b, seen_samples(self.other))
            ):
                return PipelineFault(
                    Text(
                        "{role}的列 {name} 每个特征的均值恰为 0、标准差恰为 1：它是用自己的统计量标准化的，而不是用训练集的",
                        "every feature of column {name} of the {role} has a mean of exactly 0 and a standard deviation of 1: it "
                        "was standardised by its own statistics, not by the training set's",
                        name=b.name,
                        role=role_of(self.other),
                    ),
                    self.place,
                    True,
                )
        return None

    def _of_targets(self) -> Optional[PipelineFault]:
        """Targets of a regression on another scale, where ``Model`` holds what the network gives against them as they are.

        Not where a metric of the script's own or the network itself may bring the two to one scale, and not where the inputs
        differ as well: then the samples do.
        """
        mine, theirs = (
            next(
                (one for one in entry.columns if one.name == entry.label.column and entry.label.kind == "regression"),
                None,
            )
            for entry in (self.train, self.other)
        )
        by_model = any((one.via or "").startswith("Model.") for one in self.run_data.evaluations)
        if mine is None or theirs is None or mine.shape != theirs.shape or not by_model:
            return None
        if any(one.level in ("apart", "doubtful") for one in self.likeness) or self.run_data.find_lines(_RESCALES, 1):
            return None
        one = compare(
            self.run_data, ColumnValues(mine, seen_samples(self.train)), ColumnValues(theirs, seen_samples(self.other))
        )
        return self._of_values((mine, theirs), one) if one.level == "apart" else None

    def _of_values(self, pair: tuple, one: DistributionDifference) -> PipelineFault:
        return PipelineFault(
            Text(
                "列 {name} 的取值与训练数据不同（训练对{role}：{what}）",
                "column {name} does not have the values of training (training against the {role}: {what})",
                name=pair[1].name,
                role=role_of(self.other),
                what=one.says,
            ),
            self.place,
            one.level == "apart",
        )

    def _of_shape(self, a: Fact, b: Fact) -> list:
        if a.varying_shape or b.varying_shape or not a.shape or a.shape == b.shape or None in a.shape + b.shape:
            return []
        if not comparable(a):
            return []
        swapped = len(a.shape) == len(b.shape) and sorted(a.shape) == sorted(b.shape)
        if not swapped and len(a.shape) == len(b.shape) and any(p.random_geometry for p, _ in self.prepared):
            return []
        return [
            PipelineFault(
                Text(
                    "列 {name} 每个样本的形状，训练为 {a}，{role}为 {b}",
                    "a sample of column {name} has the shape {a} in training and {b} in the {role}",
                    name=b.name,
                    a=_times(a.shape),
                    b=_times(b.shape),
                    role=role_of(self.other),
                ),
                self.place,
                swapped,
            )
        ]

    def statistics(self):
        rows = [
            [role_of(dataset), c.name, c.dtype, _times(c.shape), c.min, c.max, c.mean, c.std, seen_samples(dataset)]
            for pair in self.columns
            for dataset, c in zip((self.train, self.other), pair)
        ]
        return _statistics_table(Text("送入网络的数据", "Data as delivered"), rows)


def _statistics_table(title: Text, rows: list):
    heads = [
        Text("数据集", "data set"),
        Text("列", "column"),
        "dtype",
        Text("形状", "shape"),
        Text("最小", "min"),
        Text("最大", "max"),
        Text("均值", "mean"),
        Text("标准差", "std"),
        Text("样本数", "samples"),
    ]
    return table(title, heads, rows) if rows else None


def judge_pair(run_data: RunData, train: Fact, other: Fact, settled: bool) -> Finding:
    """The finding on one evaluation or inference set beside the training set.

    ``settled``: what the network was called with is known to agree, so delivered values that differ are scaled later.
    """
    pair = DatasetPair(run_data, train, other, settled)
    faults = pair.faults()
    shown = [pipeline_table(train), pipeline_table(other), pair.statistics()]
    sure = [fault for fault in faults if fault.sure]
    if sure:
        places = [fault.place for fault in sure]
        places += [at for fault in sure if fault.place for at in listed_operations(run_data, fault.place)]
        places += [at for _, theirs in pair.columns[:1] for at in array_origins(run_data, other, theirs)]
        places += [at for ours, _ in pair.columns[:1] for at in array_origins(run_data, train, ours)]
        shown.append(run_data.code_at(places, Text("数据处理", "The data processing")))
        says = Joined([fault.says for fault in sure], zh="；", en="; ")
        return problem(
            Text(
                "{role}的处理与训练不一致：{says}。",
                "The {role} is not prepared as in training: {says}.",
                role=role_of(other),
                says=says,
            ),
            ADVICE,
            shown,
            places,
        )
    if faults:
        return _doubtful(other, faults, shown)
    if not pair.columns and not (pair.prepared and pair.readable):
        return _not_comparable(other, shown, first_place(other))
    return _alike(pair, shown)


def _doubtful(other: Fact, faults: list, shown: list) -> Finding:
    return undecided(
        Text(
            "{role}可能与训练的处理不一致：{says}。",
            "The {role} may not be prepared as in training: {says}.",
            role=role_of(other),
            says=Joined([fault.says for fault in faults], zh="；", en="; "),
        ),
        Text(
            "取同一个原始样本分别经过两个数据处理流程，比较得到的数组；若数据本身就不同，则没有问题。",
            "Send one raw sample through both pipelines and compare the arrays; if the data themselves differ, all is well.",
        ),
        shown,
        [fault.place for fault in faults],
    )


def _not_comparable(other: Fact, shown: list, place) -> Finding:
    return undecided(
        Text(
            "{role}没有可与训练数据比较的数值列。",
            "The {role} has no column of numbers that could be compared with the training data.",
            role=role_of(other),
        ),
        Text(
            "取同一个原始样本分别经过训练与推理的处理，比较结果。",
            "Send one raw sample through the processing of training and of inference, and compare.",
        ),
        shown,
        [place],
    )


def _alike(pair: DatasetPair, shown: list) -> Finding:
    if pair.readable and pair.prepared:
        how = Text("各步骤相同", "the steps are the same")
    elif pair.settled:
        how = Text("送入网络的数据一致", "what enters the network agrees")
    else:
        how = Text(
            "送入网络的数据范围、均值与标准差一致", "the delivered data agree in range, mean and standard deviation"
        )
    but = (
        Text("（训练中的随机增强除外）", ", but for the random augmentation of training")
        if pair.augmented
        else Text("", "")
    )
    return ok(
        Text(
            "{role}与训练的处理一致：{how}{but}。",
            "The {role} is prepared as in training: {how}{but}.",
            role=role_of(pair.other),
            how=how,
            but=but,
        ),
        shown,
    )


# --- what the network was called with ------------------------------------------------------------------------------


def judge_inputs(run_data: RunData) -> Optional[Finding]:
    """The finding on what the networks were given outside training, beside what they were given in it; or None."""
    found = [one for pair in _input_pairs(run_data) if (one := _of_input(run_data, *pair)) is not None]
    order = ("problem", "undecided", "ok")
    return min(found, key=lambda finding: order.index(finding.conclusion), default=None)


#: Names of samples of another kind than those of training, which an anomaly detector is to tell.
_OTHER_KIND = r"(?i)anomal|outlier|novel(?!l)|abnormal|(?<![a-z])ood(?![a-z])|out_of_dist|adversarial|intrus"


def _input_pairs(run_data: RunData) -> list:
    """(training entry, other entry) of one network, the training entry as near to the network as there is; of samples that the
    line calls ones of another kind there is none."""
    training = [one for one in run_data.inputs if one.phase == "train"]
    pairs = []
    learnt = run_data.once(learnt_inputs)  # they change as the networks before do
    for other in run_data.inputs:
        if other.phase == "train" or not other.arguments or _makes_its_data(run_data, other) or other.network in learnt:
            continue
        if other.place and run_data.matches_at(_OTHER_KIND, other.place):
            continue
        own = [one for one in training if one.arguments and _same_network(run_data, one, other)]
        near = [one for one in own if one.level == "network"]
        far = [one for one in own if one.level != "network" and not _scales_inside(run_data)]
        if near and other.level == "network":
            pairs.append((near[0], other))
        elif far:
            pairs.append((far[0], other))
    return pairs


def _makes_its_data(run_data: RunData, other: Fact) -> bool:
    """Whether calls outside the gradient make what the training is given, as in reinforcement learning: the network is called
    before the first step, and the steps are given arrays that never come again. Then its inputs follow from its outputs."""
    sets = train_sets(run_data)
    anew = sets and all(plain_arrays(dataset) and len(dataset.order.passes) < 2 for dataset in sets)
    before = any(
        phase.phase == "forward" and phase.root == other.network and phase.first_step == 0 and (phase.calls or 0) > 1
        for phase in run_data.phases
    )
    return bool(anew and before and other.phase == "forward")


def _same_network(run_data: RunData, train: Fact, other: Fact) -> bool:
    """Whether both entries are of one network: also a loss cell's, that hands its first argument to that network as it is."""
    if train.network == other.network:
        return True
    if not other.arguments or train.arguments[0].shape != other.arguments[0].shape:
        return False
    held = {
        cell.path
        for network in run_data.networks
        if network.class_ == train.network
        for cell in network.cells
        if cell.class_ == other.network and cell.path and "." not in cell.path
    }
    return len(held) == 1 and _hands_on(run_data, train.network, held.pop())


def _hands_on(run_data: RunData, class_: Optional[str], attribute: str) -> bool:
    """Does ``construct`` of that class call ``self.attribute`` once, with its own first argument, untouched before?"""
    for _, node in run_data.source.classes(class_ or ""):
        function = construct_of(node)
        names = argument_names(function) if function is not None else []
        if function is None or not names:
            continue
        walked = list(ast.walk(function))
        calls = [one for one in walked if isinstance(one, ast.Call) and ast.unparse(one.func) == f"self.{attribute}"]
        set_anew = any(
            isinstance(one, ast.Name) and one.id == names[0] and isinstance(one.ctx, ast.Store) for one in walked
        )
        given = [ast.unparse(call.args[0]) for call in calls if call.args]
        return given == [names[0]] and not set_anew
    return False


def _scales_inside(run_data: RunData) -> bool:
    """Whether a function between the training step and the network scales the input: then the two are not comparable."""
    for scaling in input_scaling(run_data, 0, ""):
        around = run_data.source.enclosing(scaling.place.file or "", scaling.place.line or 0)
        inner = [node for node in around if isinstance(node, (ast.For, ast.FunctionDef, ast.AsyncFunctionDef))]
        if inner and not isinstance(inner[-1], ast.For):
            return True
    return False


def _of_input(run_data: RunData, train: Fact, other: Fact) -> Optional[Finding]:
    a, b = train.arguments[0], other.arguments[0]
    if not comparable(a) or not comparable(b) or a.position != b.position:
        return None
    one = compare(run_data, ColumnValues(a, train.samples or 0), ColumnValues(b, other.samples or 0))
    rows = [
        [who, c.name, c.dtype, _times(c.shape), c.min, c.max, c.mean, c.std, entry.samples]
        for who, entry, c in ((Text("训练", "training"), train, a), (Text("推理", "inference"), other, b))
    ]
    shown = [
        _statistics_table(Text("网络 {net} 的输入", "Inputs of the network {net}", net=other.network), rows),
        run_data.code_at([other.place], Text("训练之外的调用", "The call outside training")),
    ]
    if one.says is None or _as_the_whole_set(run_data, train, other):
        return ok(
            Text(
                "网络 {net} 在训练之外（{where}）收到的输入与训练时一致。",
                "Outside training ({where}) the network {net} is given inputs as in training.",
                net=other.network,
                where=at(other.place),
            ),
            shown,
        )
    says = Text(
        "网络 {net} 在 {where} 收到的输入与训练时不同（训练对推理：{what}）",
        "the network {net} is given other inputs at {where} than in training (training against inference: {what})",
        net=other.network,
        where=at(other.place),
        what=one.says,
    )
    apart = one.level == "apart" or scaled_by_a_number(run_data, a, b)
    sure = apart and (other.samples or 0) >= 4
    sure = sure and not _part_of_a_rank(run_data, train) and not _of_several_trainings(run_data, train, b)
    if sure and not scaled_alike(run_data, other.place, b.position or 0, b.shape):
        wrong = Text(
            "推理的数据处理与训练不一致：{says}。", "Inference is not prepared as training is: {says}.", says=says
        )
        mixed = (
            rearranged(run_data, ColumnValues(a, train.samples or 0), ColumnValues(b, other.samples or 0)) is not None
        )
        reshapes = run_data.find_lines(r"\breshape\(.*,.*,") if mixed else []
        ways = [(), *([caller] for caller in calls_around(run_data, other.place)[:_CALLERS])]
        made = [one for way in ways for one in argument_origins(run_data, other.place, b.position or 0, way)[:3]]
        places = [*(reshapes if len(reshapes) == 1 else []), other.place, *made, train.place]
        places += row_origins(run_data, [other.place, *made])
        return problem(wrong, ADVICE, shown, places)
    return undecided(
        Text(
            "推理的数据处理可能与训练不一致：{says}。",
            "Inference may not be prepared as training is: {says}.",
            says=says,
        ),
        Text(
            "打印同一个样本在训练与推理时送入网络的张量并比较。",
            "Print the tensor that enters the network for one sample in training and in inference, and compare.",
        ),
        shown,
        [other.place],
    )


def _of_several_trainings(run_data: RunData, train: Fact, given: Fact) -> bool:
    """Whether networks of one class were trained one after the other, as for a task with many samples and one with few, so that
    what they were given is counted together; and all features taken together are alike, so that the scale is the same."""
    alike = [one for one in run_data.networks if one.role == "train" and one.class_ == train.network]
    own = train.arguments[0]
    if len(alike) < 2 or not last_training_start(run_data) or None in (own.mean, own.std, given.mean, given.std):
        return False
    near = run_data.limit("dp.02.near_shift") * max(own.std, given.std)
    ratio = run_data.limit("dp.02.near_ratio")
    return abs(own.mean - given.mean) <= near and max(own.std, given.std) <= ratio * min(own.std, given.std)


def _part_of_a_rank(run_data: RunData, train: Fact) -> bool:
    """Whether another rank trained the same network on inputs that differ from this one's as well, as where each rank holds data
    of another origin: what is given outside training may be like all of them together."""
    own = train.arguments[0]
    for rank in run_data.ranks[1:]:
        for one in run_data.file("inputs", INPUTS, rank).inputs:
            same = one.phase == "train" and one.level == train.level and one.network == train.network and one.arguments
            if not same or not comparable(one.arguments[0]) or one.arguments[0].position != own.position:
                continue
            theirs = ColumnValues(one.arguments[0], one.samples or 0)
            if compare(run_data, ColumnValues(own, train.samples or 0), theirs).says is not None:
                return True
    return False


def _as_the_whole_set(run_data: RunData, train: Fact, other: Fact) -> bool:
    """Whether only some training calls were looked at, of data that may come sorted, and what the network is given outside
    training is like the whole of the column that it was trained with."""
    a, b = train.arguments[0], other.arguments[0]
    if (train.sampled or 0) >= (train.calls or 0) or None in (a.min, a.max):
        return False
    for dataset in train_sets(run_data):
        for column in dataset.columns:
            same = column.shape == a.shape and column.kind == a.kind and None not in (column.min, column.max)
            if not same or not column.min <= a.min <= a.max <= column.max:
                continue
            if a.max - a.min < _PART * (column.max - column.min):  # scaled on its way, not a part of it
                continue
            if (
                compare(run_data, ColumnValues(column, seen_samples(dataset)), ColumnValues(b, other.samples or 0)).says
                is None
            ):
                return True
    return False


# --- helpers -------------------------------------------------------------------------------------------------------


def _matched(train: Fact, other: Fact) -> list:
    """Pairs of input columns: by name, else by position among the inputs."""
    mine = [c for c in train.columns if not is_label(train, c.name or "") and comparable(c)]
    theirs = [c for c in other.columns if not is_label(other, c.name or "") and comparable(c)]
    by_name = [(c, o) for c in mine for o in theirs if c.name == o.name]
    if by_name:
        return by_name
    return list(zip(mine, theirs)) if len(mine) == len(theirs) else list(zip(mine[:1], theirs[:1]))


def _source(dataset: Fact) -> tuple:
    """What the data are made from, as far as the pipeline tells; arguments that choose another part do not count."""
    if not dataset.pipeline:
        return ()
    step = dataset.pipeline[0]
    return step.op, str(step.args.get("source")), str(step.args.get("decode")), str(step.args.get("column_names"))


def _last_place(dataset: Fact) -> Fact:
    maps = [step.place for step in dataset.pipeline if step.op == "map" and step.place]
    return maps[-1] if maps else first_place(dataset)


def _first_other(mine: list, theirs: list) -> Optional[Transform]:
    """The first step of theirs that is not among mine."""
    texts = [one.text for one in mine]
    return next((one for one in theirs if one.text not in texts), theirs[-1] if theirs else None)


def _layout_kept(a: list, b: list) -> bool:
    """Whether two pictures have their channels on the same side."""
    first, second = ([shape[0] in (1, 3, 4), shape[-1] in (1, 3, 4)] for shape in (a, b))
    return first == second


def _short(values: list) -> str:
    shown = [f"{v:.4g}" for v in values[:4]]
    return shown[0] if len(values) == 1 else f"({', '.join(shown)})"


def _scaling_steps(prepared: Prepared) -> Text:
    names = ("Rescale", "ToTensor", "Normalize", "NormalizePad")
    return _steps([one for one in prepared.operations if one.name in names])


def _steps(operations: list) -> Text:
    if not operations:
        return Text("无", "nothing")
    return listed(re.sub(r"\s+", " ", one.text)[:90] for one in operations)


def _times(shape: list) -> str:
    return "×".join("?" if size is None else str(size) for size in shape) or "1"
