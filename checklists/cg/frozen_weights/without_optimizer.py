"""``Model.train`` of a model that was given no optimizer: it computes the loss and changes no weight (cg.02)."""

from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData


def without_optimizer(run_data: RunData) -> Optional[Finding]:
    """A problem where a run that trained nothing called ``Model.train`` or ``fit`` of a model with a loss and no optimizer."""
    places = [one for one in run_data.without_optimizer if one.line]
    if not places:
        return None
    return problem(
        Text(
            "{place} 训练的 Model 没有优化器：每一步只计算 loss，没有任何权重被更新。",
            "The Model that {place} trains has no optimizer: each step computes the loss and no weight is updated.",
            place=at(places[0]),
        ),
        Text(
            "把优化器传给 Model：Model(net, loss_fn, optimizer=nn.Adam(net.trainable_params()))。",
            "Give the Model an optimizer: Model(net, loss_fn, optimizer=nn.Adam(net.trainable_params())).",
        ),
        [run_data.code_at(places, Text("训练的调用", "The call that trains"))],
        places,
    )
