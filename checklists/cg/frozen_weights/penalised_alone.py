"""Weights that nothing but the penalty on their size gives a gradient (cg.02)."""

from typing import Optional

from msprec.bilingual import Text, listed
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem, table
from msprec.engine.run_data import RunData

#: What stops a gradient, in the source.
STOPS = r"\bstop_gradient\s*\(|\.detach\s*\("


def penalised_alone(run_data: RunData) -> Optional[Finding]:
    """A problem where the terms of the loss that look at data give matrices of weights no gradient, at the start and at the end,
    and a term made of weights alone does, in a script that stops a gradient."""
    terms = run_data.probes.terms
    data, penalties = ([one for one in terms if one.of_weights is wanted] for wanted in (False, True))
    if not data or not penalties:
        return None
    pulled = [
        one
        for one in run_data.parameters
        if len(one.shape or ()) > 1
        and all(one.name in term.no_gradient for term in data)
        and any(one.name not in term.no_gradient for term in penalties)
    ]
    places = run_data.find_lines(STOPS, 4) if pulled else []
    if not places:
        return None
    return problem(
        Text(
            "{n} 个权重（{names}）只从权重惩罚项得到梯度：损失中与数据有关的部分对它们的梯度为零，它们只会变小，学不到东西。",
            "{n} weights ({names}) get a gradient from the penalty on their size alone: what the loss makes of data gives them "
            "none. They only get smaller, and learn nothing.",
            n=len(pulled),
            names=listed(one.name for one in pulled),
        ),
        Text(
            "去掉这些层之后的 stop_gradient。",
            "Take away the stop_gradient that comes after these layers.",
        ),
        [
            table(
                Text("损失的各项", "Terms of the loss"),
                [
                    Text("位置", "place"),
                    Text("只由权重得到", "of weights alone"),
                    Text("没有梯度的权重", "weights without gradient"),
                ],
                [[at(one.place), one.of_weights, listed(one.no_gradient)] for one in terms],
            ),
            run_data.code_at(places, Text("阻断梯度处", "Where gradients end")),
        ],
        places,
    )
