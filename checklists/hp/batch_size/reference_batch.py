"""The global batch compared with that of a reference run (``--reference-run``)."""

from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import first_place, op_place
from msprec.checklists.common.reference.loss_divergence import ReferenceComparison
from msprec.checklists.common.reference.reference_findings import Capital, ends_apart
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData


def judge_reference_batch(run_data: RunData, against: ReferenceComparison, finding: Finding) -> Optional[Finding]:
    """A batch that has grown beyond the safe range without its learning rate, in a run far behind."""
    batch, rate = against.facts["batch"], against.facts["rate"]
    if finding.conclusion == "not_applicable" or not batch.differs or (batch.ratio or 0) < 2 or not against.far_worse:
        return None
    total = batch.rows[0][2]
    grown = rate.ratio if rate.differs else 1.0 if rate.state == "equal" else None
    if total <= run_data.limit("hp.03.safe") or grown is None or grown > run_data.limit("hp.03.grown"):
        return None
    return problem(
        Text(
            "{says}，学习率却没有随之增大；{ends}。",
            "{says}, yet the learning rate has not grown with it; {ends}.",
            says=Capital(batch.says),
            ends=ends_apart(against),
        ),
        Text(
            "用标杆运行的 batch 训练，或把学习率按比例增大并加预热。",
            "Train with the reference run's batch, or raise the learning rate in proportion and warm it up.",
        ),
        finding.evidence,
        [
            op_place(dataset, "batch", "padded_batch") or first_place(dataset)
            for dataset in run_data.datasets_of("train")
        ],
    )
