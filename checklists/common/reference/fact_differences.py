"""The facts of a run compared with those of the reference run (``--reference-run``), one kind at a time."""

import math
from typing import Any, NamedTuple, Optional

import numpy as np

from msprec.bilingual import Joined, Text, listed
from msprec.checklists.common.data.dataset_checksums import data_files, files_of, pair
from msprec.checklists.common.data.distribution_difference import ColumnValues, comparable, compare, seen_samples
from msprec.checklists.common.data.transforms import is_label
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

_SAME = 1e-3  # relative difference of settings that were recorded in float32
_LARGEST = 10**15  # no batch and no weight is larger; odd facts may be
_EXACT = 1e-6  # of statistics of the very same values


class ComparedFact(NamedTuple):
    """One kind of fact in both runs.

    ``state``: "equal"; "differs"; "other" (another draw of the same kind: random values, order of samples); "unknown".
    ``says``: what differs, as a sentence without its full stop. ``rows``: [what, in the reference, here].
    ``ratio``: here over there, where the fact is one number. ``step``: from which on it differs.
    """

    kind: str
    state: str
    says: Optional[Text] = None
    rows: tuple = ()
    ratio: Optional[float] = None
    step: Optional[int] = None

    @property
    def differs(self) -> bool:
        return self.state == "differs"


def all_compared(run_data: RunData, offset: int) -> dict:
    """`ComparedFact` by kind. ``offset`` is added to the steps of the run to get those of the reference."""
    found = [
        _rates(run_data, offset),
        _optimizer(run_data),
        _batch(run_data),
        _scale(run_data, offset),
        _loss(run_data),
        _parameters(run_data),
        _initial(run_data),
        _columns(run_data),
        _steps_of_pipeline(run_data),
        _order(run_data),
        _shuffle(run_data),
        _files(run_data),
        _length(run_data),
        _trained(run_data),
        _seeds(run_data),
        _versions(run_data),
    ]
    return {one.kind: one for one in found}


def _apart(one: Any, other: Any) -> bool:
    """Are two settings different, numbers to within their rounding?"""
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) != len(other) or any(map(_apart, one, other))
    numbers = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in (one, other))
    if numbers and math.isfinite(one) and math.isfinite(other):
        return abs(one - other) > _SAME * max(abs(one), abs(other))
    return one != other


def _used(optimizers: list) -> list:
    return [optimizer for optimizer in optimizers if optimizer.used is not False and optimizer.class_]


# --- how it was trained --------------------------------------------------------------------------------------------


def _rates(run_data: RunData, offset: int) -> ComparedFact:
    course, steps = run_data.reference_run.course, run_data.steps()
    there = {int(s): r for s, r in zip(course.step, course.lr) if s is not None and r is not None and _finite(s, r)}
    seen = steps.seen("lr") & np.isfinite(steps["lr"]) & np.isfinite(steps["step"]) if "lr" in steps else []
    here = {int(s) + offset: float(r) for s, r in zip(steps["step"][seen], steps["lr"][seen])} if len(seen) else {}
    common = sorted(there.keys() & here.keys())
    if not common:
        return _first_rates(run_data)
    differing = [step for step in common if _apart(there[step], here[step])]
    if not differing:
        return ComparedFact("rate", "equal")
    step = differing[0]
    ratios = [here[s] / there[s] for s in differing if here[s] > 0 and there[s] > 0]
    ratio = float(np.median(ratios)) if ratios else None
    says = Text(
        "学习率不同：step {step} 为 {here}，标杆运行为 {there}（{total} 个共同 step 中 {n} 个不同）",
        "the learning rate at step {step} is {here}, in the reference run {there} ({n} of {total} common steps differ)",
        step=step,
        here=here[step],
        there=there[step],
        n=len(differing),
        total=len(common),
    )
    what = Text("学习率（step {step}）", "learning rate (step {step})", step=step)
    return ComparedFact("rate", "differs", says, ([what, there[step], here[step]],), ratio, step)


def _finite(*values) -> bool:
    return all(math.isfinite(value) for value in values)


def _first_rates(run_data: RunData) -> ComparedFact:
    """Where the steps hold no rates: as the optimizers were given them."""
    here, there = _used(run_data.optimizers), _used(run_data.reference_run.optimizers)
    if len(here) != 1 or len(there) != 1:
        return ComparedFact("rate", "unknown")
    a, b = there[0].learning_rate.first, here[0].learning_rate.first
    if a is None or b is None or not _apart(a, b):
        return ComparedFact("rate", "unknown")
    says = Text(
        "初始学习率不同：{here}，标杆运行为 {there}",
        "the first learning rate is {here}, in the reference run {there}",
        here=b,
        there=a,
    )
    row = [Text("初始学习率", "first learning rate"), a, b]
    return ComparedFact("rate", "differs", says, (row,), b / a if a > 0 and b > 0 else None, 1)


def _optimizer(run_data: RunData) -> ComparedFact:
    here, there = _used(run_data.optimizers), _used(run_data.reference_run.optimizers)
    if not here or len(here) != len(there):
        return ComparedFact("optimizer", "unknown")
    rows = []
    for a, b in zip(there, here):
        if a.class_ != b.class_:
            rows.append([Text("优化器", "optimizer"), a.class_, b.class_])
        for name in ("momentum", "weight_decay"):
            one, other = getattr(a, name), getattr(b, name)
            if one is not None and other is not None and _apart(one, other):
                rows.append([name, one, other])
    return _settings("optimizer", Text("优化器的设置不同", "the optimizer is set otherwise"), rows)


def _settings(kind: str, head: Text, rows: list) -> ComparedFact:
    """Settings that were read on both sides; ``rows`` are those that differ."""
    if not rows:
        return ComparedFact(kind, "equal")
    parts = [
        Text(
            "{what} 为 {here}，标杆运行为 {there}",
            "{what} is {here}, in the reference run {there}",
            what=what,
            here=_shown(here),
            there=_shown(there),
        )
        for what, there, here in rows[:4]
    ]
    says = Text("{head}：{parts}", "{head}: {parts}", head=head, parts=Joined(parts, zh="；", en="; "))
    return ComparedFact(kind, "differs", says, tuple(rows))


def _shown(value: Any) -> Any:
    return value if value is None or isinstance(value, (bool, int, float, Text)) else str(value)[:120]


def _batch(run_data: RunData) -> ComparedFact:
    other = run_data.reference_run
    a = _global(_set_batch(other.datasets) or other.batch, other.run.rank_size, other.train_steps)
    seen = run_data.steps().observed("batch")
    sizes = sorted(value for value in seen.tolist() if 1 <= value < 1e12)
    usual = int(sizes[len(sizes) // 2]) if sizes else None
    b = _global(_set_batch(run_data.datasets_of("train")) or usual, run_data.run.rank_size, run_data.train_steps)
    if not a or not b:
        return ComparedFact("batch", "unknown")
    if a == b:
        return ComparedFact("batch", "equal")
    says = Text(
        "全局 batch 为 {here}，标杆运行为 {there}",
        "the global batch is {here}, in the reference run {there}",
        here=b,
        there=a,
    )
    return ComparedFact("batch", "differs", says, ([Text("全局 batch", "global batch"), a, b],), b / a)


def _set_batch(datasets: list) -> Optional[int]:
    return next((dataset.batch_size for dataset in datasets if dataset.role == "train" and dataset.batch_size), None)


def _global(batch: Optional[int], ranks: Optional[int], steps: list) -> Optional[int]:
    """Samples that an update takes."""
    return batch and min(
        batch * (ranks or 1) * max([step.accumulation or 1 for step in steps if step.count] or [1]), _LARGEST
    )


def _scale(run_data: RunData, offset: int) -> ComparedFact:
    here, there = _scale_of(run_data.train_steps), _scale_of(run_data.reference_run.train_steps)
    if here is None or there is None:
        return ComparedFact("scale", "unknown")
    rows = [
        [name, getattr(there, key), getattr(here, key)]
        for key, name in (
            ("kind", "loss scale"),
            ("initial", Text("loss scale 初值", "first loss scale")),
            ("factor", Text("loss scale 的调整比例", "factor of the loss scale")),
            ("window", Text("loss scale 的调整窗口", "window of the loss scale")),
            ("drop_overflow_update", "drop_overflow_update"),
        )
        if getattr(there, key) is not None and getattr(here, key) is not None
        if _apart(getattr(there, key), getattr(here, key))
    ]
    at = _first_other_scale(run_data, offset)
    if not rows and at is not None:
        rows.append([Text("step {step} 的 loss scale", "loss scale at step {step}", step=at[0]), *at[1:]])
    a, b = run_data.reference_run.half_compute, run_data.precision.half_compute
    if a is not None and b is not None and a != b:
        rows.append([Text("使用 float16 计算", "computes in float16"), a, b])
    return _settings("scale", Text("精度与 loss scale 的设置不同", "precision or loss scale is set otherwise"), rows)


def _first_other_scale(run_data: RunData, offset: int) -> Optional[tuple]:
    """(step, loss scale in the reference, here) of the first common step where they differ; None where there is none."""
    course, steps = run_data.reference_run.course, run_data.steps()
    there = {int(s): v for s, v in zip(course.step, course.scale) if s is not None and v is not None and _finite(s, v)}
    if "scale" not in steps or not there:
        return None
    for step, value in zip(steps["step"], steps["scale"]):
        if _finite(step, value) and int(step) + offset in there and _apart(there[int(step) + offset], float(value)):
            return int(step) + offset, there[int(step) + offset], float(value)
    return None


def _scale_of(steps: list) -> Optional[Fact]:
    return next((step.loss_scale for step in steps if step.count and step.loss_scale.kind), None)


def _loss(run_data: RunData) -> ComparedFact:
    here = sorted({(one.class_ or "", one.args) for one in run_data.losses if one.class_})
    there = sorted({(one.class_ or "", one.args) for one in run_data.reference_run.losses if one.class_})
    if not here or not there:
        return ComparedFact("loss", "unknown")
    if here == there:
        return ComparedFact("loss", "equal")
    words = [", ".join(f"{name}({args})" for name, args in side) for side in (there, here)]
    return _settings("loss", Text("loss 函数不同", "the loss function is another"), [["loss", *words]])


def _length(run_data: RunData) -> ComparedFact:
    """Training steps, and passes over the training set."""
    a, b = run_data.reference_run.run.training_steps, run_data.run.training_steps
    passes = [(there.passes, here.passes) for there, here in _train_pairs(run_data) if there.passes and here.passes]
    rows = [
        [what, there, here]
        for what, there, here in (
            (Text("训练步数", "training steps"), a, b),
            (Text("epoch 数", "epochs"), *(passes[0] if passes else (None, None))),
        )
        if there and here and there != here
    ]
    if not a or not b:
        return ComparedFact("length", "unknown")
    if not rows:
        return ComparedFact("length", "equal")
    says = Text(
        "训练了 {here} 步，标杆运行为 {there} 步",
        "it trained {here} steps, the reference run {there}",
        here=b,
        there=a,
    )
    if a == b:
        says = Text(
            "训练了 {here} 个 epoch，标杆运行为 {there} 个",
            "it went over its data {here} times, the reference run {there} times",
            here=rows[0][2],
            there=rows[0][1],
        )
    return ComparedFact("length", "differs", says, tuple(rows), b / a)


def _seeds(run_data: RunData) -> ComparedFact:
    here, there = (
        [f"{seed.function}({seed.value})" for seed in run.seeds] for run in (run_data.run, run_data.reference_run.run)
    )
    if not run_data.reference_run.run:
        return ComparedFact("seeds", "unknown")
    if here == there:
        return ComparedFact("seeds", "equal" if here else "unknown")
    return _settings(
        "seeds",
        Text("种子不同", "the seeds are others"),
        [[Text("随机种子", "seeds"), ", ".join(there) or "—", ", ".join(here) or "—"]],
    )


def _versions(run_data: RunData) -> ComparedFact:
    a, b = run_data.reference_run.run.versions.get("mindspore"), run_data.run.versions.get("mindspore")
    if not a or not b:
        return ComparedFact("versions", "unknown")
    return _settings("versions", Text("版本不同", "the version is another"), [["MindSpore", a, b]] if a != b else [])


# --- the network ---------------------------------------------------------------------------------------------------


def _named(parameters: list) -> dict:
    return {parameter.name: parameter for parameter in parameters if parameter.name and parameter.shape}


def _parameters(run_data: RunData) -> ComparedFact:
    """Parameters that only one of the two networks has, where most have the same names."""
    here, there = _named(run_data.parameters), _named(run_data.reference_run.parameters)
    common = [name for name in here if name in there]
    if not common or len(common) < 0.5 * max(len(here), len(there)):
        return ComparedFact("parameters", "unknown")
    only_here, only_there = [n for n in here if n not in there], [n for n in there if n not in here]
    shapes = [n for n in common if here[n].shape != there[n].shape]
    rows = [
        [what, len(theirs), len(mine)]
        for what, theirs, mine in (
            (Text("只有一方有的参数", "parameters that only one has"), only_there, only_here),
            (Text("形状不同的参数", "parameters of another shape"), shapes, shapes),
        )
        if theirs or mine
    ]
    if not rows:
        return ComparedFact("parameters", "equal")
    parts = [
        text
        for text in (
            _names(only_there, "标杆运行有而这里没有：{names}", "only the reference run has {names}"),
            _names(only_here, "这里有而标杆运行没有：{names}", "only this run has {names}"),
            _names(shapes, "形状不同：{names}", "of another shape: {names}"),
        )
        if text is not None
    ]
    says = Text(
        "网络的参数不同（{parts}）",
        "the parameters of the network differ ({parts})",
        parts=Joined(parts, zh="；", en="; "),
    )
    return ComparedFact("parameters", "differs", says, tuple(rows))


def _names(names: list, zh: str, en: str) -> Optional[Text]:
    return Text(zh, en, names=listed(names, 4)) if names else None


def _trained(run_data: RunData) -> ComparedFact:
    """Parameters of one name that train in one run only."""
    here, there = _named(run_data.parameters), _named(run_data.reference_run.parameters)
    both = [(here[n], there[n]) for n in here if n in there and _trains(here[n]) is not None is not _trains(there[n])]
    if not both:
        return ComparedFact("trained", "unknown")
    differing = [a.name for a, b in both if _trains(a) != _trains(b)]
    if not differing:
        return ComparedFact("trained", "equal")
    fewer = [a.name for a, b in both if _trains(b) and not _trains(a)]
    says = Text(
        "{n} 个参数只在一方训练（{names}）",
        "{n} of the parameters train in one of the runs only ({names})",
        n=len(differing),
        names=listed(fewer or differing, 4),
    )
    counts = [sum(map(bool, map(_trains, side))) for side in zip(*[(b, a) for a, b in both])]
    return ComparedFact("trained", "differs", says, ([Text("训练的参数个数", "parameters that train"), *counts],))


def _trains(parameter: Fact) -> Optional[bool]:
    if parameter.kind == "statistic" or parameter.requires_grad is None:
        return None
    return parameter.requires_grad and parameter.in_optimizer is not False


def _initial_pairs(run_data: RunData) -> list:
    """(parameter here, in the reference run) of one name and shape, both with their initial values."""
    here, there = _named(run_data.parameters), _named(run_data.reference_run.parameters)
    pairs = [(here[n], there[n]) for n in here if n in there and here[n].shape == there[n].shape]
    pairs = [(a, b) for a, b in pairs if a.kind != "statistic" and a.initial and b.initial]
    return [(a, b) for a, b in pairs if None not in (a.initial.std, b.initial.std, a.initial.mean, b.initial.mean)]


def share_of_other_values(run_data: RunData) -> Optional[float]:
    """The share of the varying parameters that start with other values than in the reference run; None: not known."""
    pairs = [(a, b) for a, b in _initial_pairs(run_data) if a.initial.std or b.initial.std]
    return sum(not _same_values(a.initial, b.initial) for a, b in pairs) / len(pairs) if pairs else None


def _initial(run_data: RunData) -> ComparedFact:
    """Statistics of the initial values: the same, another draw of the same distribution, or another distribution."""
    pairs = _initial_pairs(run_data)
    if not pairs:
        return ComparedFact("initial", "unknown")
    sigma = run_data.limit("api.01.initial")
    apart = [(a, b) for a, b in pairs if _beyond_chance(a, b, sigma)]
    if not apart:
        same = all(_same_values(a.initial, b.initial) for a, b in pairs)
        return ComparedFact("initial", "equal" if same else "other")
    apart.sort(key=lambda one: one[0].kind != "weight")
    a, b = apart[0]
    says = Text(
        "{n} 个（{total} 个中）参数的初始值分布不同，例如 {name}：标准差 {s1}，标杆运行为 {s2}；均值 {m1}，标杆运行为 {m2}",
        "{n} of {total} parameters start from another distribution, such as {name}: standard deviation {s1}, in the reference "
        "run {s2}; mean {m1}, in the reference run {m2}",
        n=len(apart),
        total=len(pairs),
        name=a.name,
        s1=a.initial.std,
        s2=b.initial.std,
        m1=a.initial.mean,
        m2=b.initial.mean,
    )
    rows = [
        [Text("初始标准差：{name}", "initial standard deviation: {name}", name=x.name), y.initial.std, x.initial.std]
        for x, y in apart[:8]
    ]
    return ComparedFact("initial", "differs", says, tuple(rows))


def _same_values(a: Fact, b: Fact) -> bool:
    width = max(abs(a.max - a.min) if None not in (a.max, a.min) else 0.0, abs(a.mean), 1e-30)
    pairs = ((a.min, b.min), (a.max, b.max), (a.mean, b.mean), (a.std, b.std))
    return all(x is not None and y is not None and abs(x - y) <= _EXACT * width for x, y in pairs)


def _beyond_chance(a: Fact, b: Fact, sigma: float) -> bool:
    """Whether two samples of initial values come from other distributions: by more than ``sigma`` standard errors, and
    plainly. The relative standard error of a standard deviation is at most 1/√(2n) for uniform and normal values.
    """
    mine, theirs = a.initial, b.initial
    size = min(a.size or math.prod(one or 1 for one in a.shape), _LARGEST)
    if not all(map(math.isfinite, (mine.std, theirs.std, mine.mean, theirs.mean))) or min(mine.std, theirs.std) < 0:
        return False
    wide = max(mine.std, theirs.std)
    if wide == 0:
        return abs(mine.mean - theirs.mean) > _EXACT * max(abs(mine.mean), abs(theirs.mean))
    if min(mine.std, theirs.std) <= 1e-6 * wide:
        return size >= 4
    if size < 64:
        return False
    ratio = wide / min(mine.std, theirs.std)
    shift = abs(mine.mean - theirs.mean) / wide
    return ratio > max(1.1, math.exp(sigma / math.sqrt(size))) or shift > max(0.1, sigma * math.sqrt(2 / size))


# --- the data ------------------------------------------------------------------------------------------------------


def _train_pairs(run_data: RunData) -> list:
    """(reference's training set, this run's) of the same columns, or in order."""
    there = [dataset for dataset in run_data.reference_run.datasets if dataset.role == "train"]
    pairs = []
    for number, here in enumerate(run_data.datasets_of("train")):
        names = [column.name for column in here.columns]
        same = [one for one in there if [column.name for column in one.columns] == names]
        pairs += [(one, here) for one in (same or there[number : number + 1])[:1]]
    return pairs


def _columns(run_data: RunData) -> ComparedFact:
    """What the training sets deliver, column by column."""
    states: list[str] = []
    rows: list = []
    parts: list[Text] = []
    for there, here in _train_pairs(run_data):
        known = {column.name: column for column in there.columns}
        for column in here.columns:
            other = known.get(column.name)
            if other is None or is_label(here, column.name or ""):
                continue
            one = _column(run_data, other, column, there, here)
            states.append(one.state)
            rows += one.rows
            parts += [one.says] if one.says is not None else []
    if not states:
        return ComparedFact("columns", "unknown")
    if not parts:
        return ComparedFact("columns", "equal" if set(states) == {"equal"} else "unknown")
    says = Text(
        "送入网络的训练数据不同：{parts}",
        "the delivered training data differ: {parts}",
        parts=Joined(parts[:3], zh="；", en="; "),
    )
    return ComparedFact("columns", "differs", says, tuple(rows))


def _column(run_data: RunData, other: Fact, column: Fact, there: Fact, here: Fact) -> ComparedFact:
    fixed = not (column.varying_shape or other.varying_shape) and column.shape and other.shape
    if fixed and column.shape != other.shape:
        a, b = ("×".join(map(str, one.shape)) for one in (other, column))
        says = Text(
            "列 {name} 的形状为 {b}，标杆运行为 {a}",
            "column {name} has the shape {b}, in the reference run {a}",
            name=column.name,
            a=a,
            b=b,
        )
        row = [Text("列 {name} 的形状", "shape of column {name}", name=column.name), a, b]
        return ComparedFact("columns", "differs", says, (row,))
    if not comparable(column) or not comparable(other):
        return ComparedFact("columns", "unknown")
    likeness = compare(
        run_data, ColumnValues(other, seen_samples(there)), ColumnValues(column, seen_samples(here))
    )  # the reference stands where training stands
    if likeness.level != "apart":
        same = all(abs(getattr(column, k) - getattr(other, k)) <= 1e-4 * max(other.std, 1e-30) for k in ("mean", "std"))
        return ComparedFact("columns", "equal" if same else "unknown")
    says = Text(
        "列 {name}（标杆运行对本次运行：{what}）",
        "column {name} (the reference run against this run: {what})",
        name=column.name,
        what=likeness.says,
    )
    words = {"mean": Text("均值", "mean"), "std": Text("标准差", "standard deviation")}
    what = {
        key: Text("列 {name} 的{stat}", "{stat} of column {name}", name=column.name, stat=word)
        for key, word in words.items()
    }
    rows = [[what[key], getattr(other, key), getattr(column, key)] for key in words]
    return ComparedFact("columns", "differs", says, tuple(rows))


def _steps_of_pipeline(run_data: RunData) -> ComparedFact:
    """The transforms of the training pipelines, as texts."""
    found = [(_operations(there), _operations(here)) for there, here in _train_pairs(run_data)]
    known = [(a, b) for a, b in found if a is not None and b is not None]
    if not known:
        return ComparedFact("processing", "unknown")
    differing = [(a, b) for a, b in known if a != b]
    if not differing:
        return ComparedFact("processing", "equal")
    a, b = differing[0]
    rows = [[Text("数据处理的步骤", "steps of the data processing"), ", ".join(a) or "—", ", ".join(b) or "—"]]
    says = Text(
        "训练数据的处理步骤不同：这里为 {here}，标杆运行为 {there}",
        "the training data go through other steps: here {here}, in the reference run {there}",
        here=listed([one for one in b if one not in a], 4) if set(b) - set(a) else listed(b, 4),
        there=listed([one for one in a if one not in b], 4) if set(a) - set(b) else listed(a, 4),
    )
    return ComparedFact("processing", "differs", says, tuple(rows))


def _operations(dataset: Fact) -> Optional[list]:
    """The operations of a pipeline's maps in order; None where there is no pipeline."""
    if not dataset.pipeline:
        return None
    found = []
    for step in dataset.pipeline:
        if step.op == "map":
            listed_ = step.args.get("operations")
            texts = listed_ if isinstance(listed_, list) else [listed_]
            # the checksum of a lambda depends on the version of Python
            found += [str(text).partition("#")[0] for text in texts if text]
    return found


def _order(run_data: RunData) -> ComparedFact:
    """Whether the first samples of the training are the same: by fingerprints of what was delivered."""
    known = []
    for there, here in _train_pairs(run_data):
        firsts = [dataset.order.passes[0].first_keys if dataset.order.passes else [] for dataset in (there, here)]
        if not all(firsts) or any(None in keys for keys in firsts):
            continue
        count = min(map(len, firsts))
        known.append(firsts[0][:count] == firsts[1][:count])
    if not known:
        return ComparedFact("order", "unknown")
    if all(known):
        return ComparedFact("order", "equal")
    row = [
        Text("最先送出的样本", "first samples delivered"),
        "",
        Text("与标杆运行不同", "others than in the reference run"),
    ]
    return ComparedFact("order", "other", None, (row,))


def _shuffle(run_data: RunData) -> ComparedFact:
    pairs = [(there.shuffle.declared, here.shuffle.declared) for there, here in _train_pairs(run_data)]
    rows = [
        [Text("声明了混洗", "declares shuffling"), a, b] for a, b in pairs if a is not None and b is not None and a != b
    ]
    if not pairs:
        return ComparedFact("shuffle", "unknown")
    return _settings("shuffle", Text("混洗的设置不同", "shuffling is set otherwise"), rows)


def _files(run_data: RunData) -> ComparedFact:
    """The data files by name and MD5."""
    here, there = files_of(run_data, 0), data_files(run_data.reference_run.files)
    if not here or not there:
        return ComparedFact("files", "unknown")
    pairs = pair(here, there)
    if pairs.differing or pairs.absent:
        names = [one.path for one, _ in pairs.differing] + [one.name for one in pairs.absent]
        says = Text(
            "{n} 个数据文件不同：{names}", "{n} of the data files differ: {names}", n=len(names), names=listed(names, 3)
        )
        row = [Text("不同的数据文件", "data files that differ"), len(names), len(names)]
        return ComparedFact("files", "differs", says, (row,))
    whole = pairs.equal and not (pairs.unknown or pairs.extra or pairs.unread)
    return ComparedFact("files", "equal" if whole else "unknown")
