"""mp.02: Whether training computes in float16, and whether loss scale and optimizer agree."""

from msprec.checklists.common.findings import no_training
from msprec.checklists.common.reference.reference_findings import with_reference
from msprec.checklists.mp.loss_scale.loss_scale_settings import loss_scale_setting
from msprec.engine.finding import Finding
from msprec.engine.item import item
from msprec.engine.run_data import RunData


@item("mp.02", after=with_reference)
def loss_scale(run_data: RunData) -> Finding:
    """Whether training computes in float16, and whether loss scale and optimizer agree.

    Problem: float16 without a loss scale, a scale below mp.02.min_scale throughout, a fixed scale whose step does not
    unscale (drop_overflow_update=False) with an optimizer of another loss_scale, an optimizer that divides although the
    step unscales already or nothing was scaled, a fixed scale under which every step (mp.02.overflowing or more) overflows
    while the losses are finite. The mismatches count in float32 as well: they change the step size.
    bfloat16 has float32's range: not applicable. Details in scale_settings.py.
    """
    if run_data.trains_nothing:
        return no_training()
    return loss_scale_setting(run_data)
