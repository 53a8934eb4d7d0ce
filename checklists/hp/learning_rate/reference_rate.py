"""The learning rate compared with that of a reference run (``--reference-run``)."""

from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.reference.loss_divergence import ReferenceComparison
from msprec.checklists.common.reference.reference_findings import Capital, ends_apart
from msprec.checklists.hp.learning_rate.loss_course import course
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData


def judge_reference_rate(run_data: RunData, against: ReferenceComparison, finding: Finding) -> Optional[Finding]:
    """Another rate, the same optimizer, and a run that falls far behind from where the rates differ."""
    rate, batch = against.facts["rate"], against.facts["batch"]
    if finding.conclusion == "not_applicable" or not rate.differs or against.facts["optimizer"].differs:
        return None
    factor = run_data.limit("hp.01.reference_ratio")
    if rate.ratio is None or 1 / factor < rate.ratio < factor or not against.far_worse:
        return None
    if (
        batch.differs
        and batch.ratio
        and 1 / run_data.limit("hp.01.in_proportion")
        <= rate.ratio / batch.ratio
        <= run_data.limit("hp.01.in_proportion")
    ):
        return None  # the rate follows the batch
    from_the_start = against.case in ("second", "later") and rate.step is not None and rate.step <= against.step
    stuck = course(run_data).kind in ("diverged", "swings", "still")
    if not (from_the_start or stuck):
        return None
    large = rate.ratio > 1
    return problem(
        Text(
            "{says}；{ends}：学习率过{size}。",
            "{says}; {ends}: it is too {size}.",
            says=Capital(rate.says),
            ends=ends_apart(against),
            size=Text("大", "large") if large else Text("小", "small"),
        ),
        Text(
            "改用标杆运行的学习率再运行；若有意使用另一个学习率，先用 `msprec lr SCRIPT` 求出它的范围。",
            "Run again with the reference run's rate; where another is intended, find its range with `msprec lr SCRIPT` first.",
        ),
        finding.evidence,
        [optimizer.place for optimizer in run_data.optimizers if optimizer.used is not False],
    )
