"""Optimizer and initial weights compared with those of a reference run (``--reference-run``)."""

from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.reference.loss_divergence import ReferenceComparison
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData


def judge_reference_settings(run_data: RunData, against: ReferenceComparison, finding: Finding) -> Optional[Finding]:
    """An optimizer set otherwise where the first losses are equal, or weights that start from another distribution
    where the first losses differ; not in a run that keeps up with the reference."""
    if against.keeps_up:
        return None
    optimizer, initial = against.facts["optimizer"], against.initial
    if optimizer.differs and against.case in ("second", "later"):
        says, places = optimizer.says, [o.place for o in run_data.optimizers if o.used is not False]
    elif initial is not None and against.case == "first" and not (against.loaded_here or against.loaded_there):
        names = {row[0].values["name"] for row in initial.rows}
        made = [parameter.created for parameter in run_data.parameters if parameter.name in names and parameter.created]
        says, places = initial.says, made or [network.place for network in run_data.networks if network.role == "train"]
    else:
        return None
    return problem(
        Text(
            "与标杆运行相比，{says}，loss 从那里分开。",
            "Compared with the reference run, {says}, and the loss curves diverge there.",
            says=says,
        ),
        Text(
            "把这些参数明确写成标杆脚本的值（默认值在两个框架中可能不同），再运行比较。",
            "Write these arguments out with the benchmark's values (defaults may differ between frameworks), and compare again.",
        ),
        finding.evidence,
        [place for place in places if place],
    )
