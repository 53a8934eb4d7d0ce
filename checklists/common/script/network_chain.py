"""Which networks of a training step are given what other networks of the step put out (cg.02, dp.02)."""

from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact


def learnt_inputs(run_data: RunData) -> dict:
    """``{class: classes called before it}`` of the networks that training steps call after others, with values that neither the
    data sets deliver nor the step is called with: what the networks before put out.

    Empty where two networks have one class, which the inputs do not tell apart.
    """
    order = {phase.network: phase.root for phase in run_data.phases if phase.gradient}
    classes = list(order.values())
    if len(set(classes)) < len(classes):
        return {}
    given = [one for one in run_data.inputs if one.phase == "train" and one.arguments]
    delivered = [one for entry in given if entry.level == "step" for one in entry.arguments]
    delivered += [one for dataset in run_data.datasets for one in dataset.columns]
    own = [entry for entry in given if entry.level == "network"]
    return {
        name: classes[:number]
        for number, name in enumerate(classes)
        if number
        and any(entry.network == name for entry in own)
        and not any(_alike(entry.arguments[0], one) for entry in own if entry.network == name for one in delivered)
    }


def _alike(one: Fact, other: Fact) -> bool:
    """Whether two columns may hold the same values: samples of one shape, of about one mean and spread."""
    if None in (one.mean, one.std, other.mean, other.std):
        return one.shape == other.shape
    spread = max(one.std, other.std)
    near = abs(one.mean - other.mean) <= 0.5 * spread and min(one.std, other.std) >= 0.5 * spread
    return one.shape == other.shape and near
