"""dp.03: The order in which training samples were delivered, pass by pass; flags only where a single pass was seen."""

from msprec.checklists.common import declared_design
from msprec.checklists.common.findings import (
    missing,
    no_training,
    train_sets,
)
from msprec.checklists.common.reference.reference_findings import with_reference
from msprec.checklists.dp.shuffling.sample_order import Order
from msprec.engine.finding import Finding, worst
from msprec.engine.item import item
from msprec.engine.rank_merge import WORST
from msprec.engine.run_data import RunData


@item("dp.03", ranks=WORST, after=with_reference)
def shuffled(run_data: RunData) -> Finding:
    """The order in which training samples were delivered, pass by pass; flags only where a single pass was seen.

    Problem: passes repeat the order of the first (dp.03.repeated), samples come grouped by label (few label changes, or
    labels that depend on the position), most samples keep their position (dp.03.equal), or the only shuffle buffer is
    smaller than one batch. One mixed order that nothing shuffles, without overfitting, is undecided: gradient descent converges
    in it at the same rate. OK: passes differ and labels are mixed, or one mixed pass with an effective means of
    shuffling; or unshuffled samples of a training whose recurrent state is carried from step to step. A set of one batch a
    pass: not applicable. One mixed pass without any means is left open.
    """
    if run_data.trains_nothing:
        return no_training()
    sets = train_sets(run_data)
    if not sets:
        return missing("训练数据集的迭代", "iteration of a training data set")
    return declared_design.not_shuffled(run_data) or worst([Order(run_data, dataset).finding() for dataset in sets])
