"""What several families need: wording of recurring answers, places of data sets, figures of the run."""

from collections.abc import Iterable
from typing import Optional

from msprec.bilingual import Text
from msprec.engine.finding import Evidence, Finding, figure, not_applicable, table, text, undecided
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

RUN_AGAIN = Text(
    "用 `msprec run` 把训练完整运行一遍（至少一个 epoch，dataset_sink_mode=False），再作判断。",
    "Run the training to its end (one epoch at least, dataset_sink_mode=False) with `msprec run`.",
)
EVIDENCE = Text("说明", "Observation")


def missing(zh: str, en: str) -> Finding:
    """Undecided for want of a fact: what was not observed, in both languages."""
    return undecided(Text("运行记录中没有{what}。", "The run recorded no {what}.", what=Text(zh, en)), RUN_AGAIN)


def no_training() -> Finding:
    return not_applicable(
        Text("脚本已正常结束，其中没有任何训练步。", "The script ran to its end without a single training step.")
    )


def train_sets(run_data: RunData) -> list:
    return run_data.datasets_of("train")


def label_column(dataset: Fact) -> Optional[Fact]:
    """The column of a data set that is its label; None where there is none."""
    return next((one for one in dataset.columns if one.name == dataset.label.column), None)


def first_place(dataset: Fact) -> Fact:
    """Where the data set is created, or else where it is iterated."""
    for step in dataset.pipeline:
        if step.place:
            return step.place
    return dataset.iterated_at


def callers_of(dataset: Fact) -> list:
    """The calls around the place where the data set is created, the innermost first."""
    return next((list(step.callers) for step in dataset.pipeline if step.place), [])


def plain_arrays(dataset: Fact) -> bool:
    """Whether the training loop takes its batches from arrays, without a data set."""
    return [step.op for step in dataset.pipeline] == ["arguments of the training step"]


def named(cell: Fact) -> str:
    """A cell by path and class; the root cell, which has no path, by its class."""
    return f"{cell.path} ({cell.class_})" if cell.path else f"{cell.class_}"


def op_place(dataset: Fact, *names: str) -> Optional[Fact]:
    """The place of the last pipeline step of one of these names."""
    return next((step.place for step in reversed(dataset.pipeline) if step.op in names and step.place), None)


def role_of(dataset: Fact) -> Text:
    names = {
        "train": Text("训练集", "training set"),
        "eval": Text("评估集", "evaluation set"),
        "predict": Text("推理集", "inference set"),
    }
    return names.get(dataset.role, Text("用途未知的数据集", "data set of unknown use"))


#: Where a sequence is filled up.
SIDES = {"right": Text("右侧", "right"), "left": Text("左侧", "left"), "both": Text("两侧", "both sides")}


def padded_side(pad: Fact) -> str:
    """The side on which most rows of a column are padded: a key of `SIDES`."""
    counts = {"right": pad.right_only or 0, "left": pad.left_only or 0, "both": pad.both or 0}
    return max(counts, key=lambda name: counts[name])


def pipeline_table(dataset: Fact) -> Optional[Evidence]:
    """The steps of a data set with their arguments and places."""
    if not dataset.pipeline:
        return None
    rows = [
        [step.op, ", ".join(f"{key}={value}" for key, value in step.args.items()), at(step.place)]
        for step in dataset.pipeline
    ]
    columns = [Text("步骤", "step"), Text("参数", "arguments"), Text("位置", "place")]
    return table(Text("{role}的处理流程", "Pipeline of the {role}", role=role_of(dataset)), columns, rows)


def each_place_once(places: Iterable) -> list:
    """The places without those that come again."""
    return list({(one.file, one.line): one for one in places}.values())


def at(place: Optional[Fact]) -> str:
    return f"{place.file}:{place.line}" if place and place.file and place.line else ""


def loss_figure(run_data: RunData) -> Optional[Evidence]:
    if "loss" not in run_data.steps():
        return None
    return figure(Text("训练 loss 曲线", "Training loss"), "loss", {"steps": True})


def scale_figure(run_data: RunData) -> Optional[Evidence]:
    if "scale" not in run_data.steps():
        return None
    return figure(Text("loss scale 与溢出", "Loss scale and overflow"), "loss_scale", {"steps": True})


def rate_figure(run_data: RunData) -> Optional[Evidence]:
    """The learning rate's course, where it was recorded and is more than one number."""
    rates = run_data.steps().observed("lr")
    if len(rates) < 2 or rates.min() == rates.max():
        return None
    return figure(Text("学习率变化", "Learning rate by step"), "learning_rate", {"steps": True})


def gradients_figure(run_data: RunData) -> Optional[Evidence]:
    """Where gradients were sampled: drawn from ``gradients.csv``."""
    if not run_data.has_gradients:
        return None
    return figure(
        Text("梯度范数与 float16 下溢", "Gradient norm and underflow in float16"), "gradients", {"steps": True}
    )


def validation_figure(run_data: RunData) -> Optional[Evidence]:
    """Where something was evaluated: drawn from ``evaluation.json`` and ``steps.csv``."""
    if not any(run_data.evaluations):
        return None
    title = Text("训练与验证曲线（★ 为最好的一次）", "Training and validation (★: the best)")
    return figure(title, "validation", {"steps": True})


def note(zh: str, en: str, **values) -> Evidence:
    return text(EVIDENCE, Text(zh, en, **values))
