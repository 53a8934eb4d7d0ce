"""hp.02: The course of the validation metrics and of the training loss."""

from msprec.checklists.common.findings import no_training
from msprec.checklists.common.reference.reference_findings import with_reference
from msprec.checklists.hp.epochs.epochs import judge_epochs
from msprec.engine.finding import Finding
from msprec.engine.item import item
from msprec.engine.run_data import RunData


@item("hp.02", after=with_reference)
def epochs(run_data: RunData) -> Finding:
    """The course of the validation metrics and of the training loss.

    Too many: a validation metric was best before hp.02.before of the training and has been clearly worse since (hp.02.rise,
    hp.02.drop, and four times its noise), unless a score went on improving, or the script keeps the best weights. Too few:
    the training loss falls steeply to the end (hp.02.falling, hp.02.share, three standard errors) and the validation is not
    flat; or the last weights, trained on, gain hp.02.onward; or random weights
    had fewer than hp.02.updates updates in all. A run cut short (hp.02.epochs, hp.02.steps), a schedule that was
    lowering the learning rate, or at most hp.02.rest of what there was to learn left, leaves it open. Fewer than four
    evaluations are no curve. Overfitting without a turn: the training loss is down at hp.02.memorised of a constant
    prediction's, and hp.02.gap of the way is lost on the validation data. A training that learnt nothing is never ok.
    """
    if run_data.trains_nothing:
        return no_training()
    return judge_epochs(run_data)
