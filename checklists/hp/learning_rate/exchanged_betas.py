"""The two betas of Adam and its kin in each other's place (hp.01)."""

import math
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.script.setting_origin import ArgumentName, argument_origin
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData

_BETAS = ArgumentName(("beta1", "betas"), 2)


def exchanged_betas(run_data: RunData, optimizers: list, evidence: list) -> Optional[Finding]:
    """The problem where beta1 is above the root of beta2, beyond which Adam does not converge in general (Kingma and Ba 2015,
    section 4; Reddi et al. 2018): the mean of the gradients then goes further back than that of their squares."""
    for optimizer in optimizers:
        first, second = optimizer.betas if len(optimizer.betas) == 2 else (0.0, 1.0)
        if not (0 <= second < first < 1 and first > math.sqrt(second)):
            continue
        return problem(
            Text(
                "{name} 的 beta1={first} 大于 beta2={second} 的平方根：梯度的均值比其平方的均值回溯得更远，更新的大小失去控制；"
                "两个值很可能写反了（默认为 0.9 与 0.999）。",
                "beta1={first} of {name} is above the root of beta2={second}: the mean of the gradients goes further back than "
                "that of their squares, and nothing bounds the updates. Most likely the two are in each other's place (0.9 and "
                "0.999 are the defaults).",
                name=optimizer.class_,
                first=float(f"{first:.6g}"),
                second=float(f"{second:.6g}"),
            ),
            Text("交换两个值：beta1=0.9，beta2=0.999。", "Exchange the two: beta1=0.9, beta2=0.999."),
            evidence,
            [optimizer.place, *argument_origin(run_data, optimizer.place, _BETAS, optimizer.class_ or "")],
        )
    return None
