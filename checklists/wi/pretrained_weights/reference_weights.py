"""The loaded weights compared with those of a reference run (``--reference-run``)."""

from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.reference.fact_differences import share_of_other_values
from msprec.checklists.common.reference.loss_divergence import ReferenceComparison
from msprec.checklists.common.reference.reference_findings import loaded_file
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData


def judge_reference_weights(run_data: RunData, against: ReferenceComparison, finding: Finding) -> Optional[Finding]:
    """The reference starts from weights that were loaded, and most of this run's start with other values."""
    if not against.loaded_there:
        return None
    loads = [load for load in run_data.loads if not load.optimizer]
    # a new head is drawn at random in each of the runs
    if (share_of_other_values(run_data) or 0.0) <= 0.5:
        return None
    places = [load.place for load in loads] or [
        network.place for network in run_data.networks if network.role == "train"
    ]
    return problem(
        Text(
            "标杆运行从加载的权重（{file}）开始训练，{here}。",
            "The reference run starts from weights that it loaded ({file}); {here}.",
            file=loaded_file(against.reference.loads),
            here=_instead(against),
        ),
        Text(
            "加载与标杆运行相同的权重（比较两个文件：`msprec compare weights`），并确认训练开始前没有被改写。",
            "Load the weights of the reference run (compare the files with `msprec compare weights`), and make sure that nothing "
            "changes them before training.",
        ),
        finding.evidence,
        places,
    )


def _instead(against: ReferenceComparison) -> Text:
    if not against.loaded_here:
        return Text("这里没有加载任何权重", "this run loaded none")
    if against.initial is not None:
        return Text("这里加载的不同：{says}", "those loaded here are others: {says}", says=against.initial.says)
    return Text("这里加载的值与之不同", "those loaded here have other values")
