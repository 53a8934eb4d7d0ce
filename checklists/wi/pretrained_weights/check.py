"""wi.02: What each load put into which network, what it left out, and what was still there when training began."""

from msprec.checklists.common.findings import missing
from msprec.checklists.common.reference.reference_findings import judged_with_reference
from msprec.checklists.common.weights.pretrained_weights import judge_loads, nothing_to_load
from msprec.checklists.wi.pretrained_weights.reference_weights import judge_reference_weights
from msprec.engine.finding import Finding
from msprec.engine.item import item
from msprec.engine.run_data import RunData


@item("wi.02", after=judged_with_reference(judge_reference_weights))
def pretrained(run_data: RunData) -> Finding:
    """What each load put into which network, what it left out, and what was still there when training began.

    Problem: loading failed and the script went on; what is loaded after td.07.updates updates lies in the network's own
    memory, or was kept as NumPy views of it; nothing was loaded; weights went into an instance that never runs; names that do
    not match though shapes do; more layers of another shape than a new head has (wi.02.head); layers in the middle that got
    nothing; values overwritten before the first step (a new last layer excepted); initial weights other than ``--reference-
    weights``. OK: filled whole, or but for a new last part. States of optimizers and adapters are not counted.
    """
    if not run_data.has("weights_loaded") and not run_data.has("reference_weights"):
        known = nothing_to_load(run_data) if run_data.was_run else None
        return known or missing("检查点加载情况", "loading of checkpoints")
    return judge_loads(run_data)
