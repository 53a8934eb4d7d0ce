"""cg.04: The loss of one captured batch: what it was given, what it gave, and what NumPy makes of the same arrays."""

from msprec.bilingual import Text, listed
from msprec.checklists.cg.loss_function.loss_inputs import judge_loss
from msprec.checklists.common import declared_design
from msprec.checklists.common.findings import at, missing
from msprec.checklists.common.probe_status import skipped
from msprec.checklists.common.reference.reference_findings import with_reference
from msprec.engine.finding import Finding, not_applicable, table, undecided
from msprec.engine.item import item
from msprec.engine.run_data import RunData


@item("cg.04", after=with_reference)
def loss_function(run_data: RunData) -> Finding:
    """The loss of one captured batch: what it was given, what it gave, and what NumPy makes of the same arrays.

    Problem: softmax or another activation twice or not at all, or beside targets that do not add up to 1, a single class,
    labels outside [0, 1], shapes that broadcast to N×N, no reduction, a function of the script's own that disagrees with the
    loss that its name promises, and one of features and class numbers that is no smaller with classes apart than with all of
    them at one point, or mixed.
    """
    if run_data.trains_nothing:
        return not_applicable(Text("没有训练，因而没有 loss。", "Nothing was trained, so there is no loss."))
    judged = declared_design.loss(run_data) or judge_loss(run_data)
    if judged is not None:
        return judged
    if not run_data.losses and run_data.probes.graph.cells:
        return _no_known_loss(run_data)
    if not run_data.losses:
        return missing("loss 函数", "loss function")
    rows = [[loss.class_, loss.builtin, loss.args, at(loss.place)] for loss in run_data.losses]
    heads = [Text("loss", "loss"), Text("内置", "built in"), Text("参数", "arguments"), Text("位置", "place")]
    return undecided(
        Text(
            "所用的 loss 为 {names}，没有在捕获的 batch 上核对：{why}。",
            "The loss is {names}; it has not been checked on a captured batch: {why}.",
            names=listed(loss.class_ for loss in run_data.losses),
            why=skipped(run_data, "graph"),
        ),
        Text(
            "对照设计确认 loss 的种类与参数，并用 NumPy 版本在同一 batch 上比较结果（自定义 loss）。",
            "Compare kind and arguments with the design; compute a custom loss in NumPy on the same batch and compare.",
        ),
        [
            table(Text("loss 函数", "Loss functions"), heads, rows),
            run_data.code_at([loss.place for loss in run_data.losses], Text("loss 的设置", "Where the loss is set")),
        ],
        [loss.place for loss in run_data.losses],
    )


def _no_known_loss(run_data: RunData) -> Finding:
    """A step was run again and no loss that is known came up in it: the script computes its own, of its outputs alone."""
    places = [step.place for step in run_data.train_steps if step.count != 0]
    return undecided(
        Text(
            "训练步中没有内置的 loss，也没有以输出和标签为输入的自定义 loss：loss 由脚本自行计算，没有可对照的内置版本。",
            "The training step has no built-in loss, and no function of the script's own that takes an output and its "
            "labels: the script computes its loss by itself, and there is no built-in one to compare it with.",
        ),
        Text(
            "用 NumPy 按设计的公式在同一 batch 上计算并比较。",
            "Compute the designed formula in NumPy on the same batch and compare.",
        ),
        [run_data.code_at(places, Text("训练步", "The training step"))],
        places,
    )
