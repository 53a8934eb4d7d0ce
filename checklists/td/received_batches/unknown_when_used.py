"""An input that tells the target in training and is the same for all samples where the network is used (td.05)."""

from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.checklists.common.script.array_origin import input_origins
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

#: Samples that have to be alike where the network is used.
_SAMPLES = 32


def unknown_when_used(run_data: RunData) -> Optional[Finding]:
    """A problem where one number of the inputs alone tells the targets of training (td.05.tells), and is the same for all samples
    that the network is given outside training; None elsewhere."""
    told = run_data.probes.telling_column
    if told.strength is None or told.strength < run_data.limit("td.05.tells"):
        return None
    used = next((one for one in run_data.inputs if one.phase != "train" and _is_the_same(one, told)), None)
    if used is None:
        return None
    places = [*input_origins(run_data, told.input or 0), *([used.place] if used.place else [])]
    return problem(
        Text(
            "训练中第 {input} 个输入的第 {column} 个数几乎单独决定目标（{samples} 个样本，{strength}），"
            "而使用网络时（{place}）它对全部 {n} 个样本都是同一个值：用到网络时还不知道它，网络却只学会了看它。",
            "In training number {column} of input {input} tells the target nearly alone ({strength} over {samples} samples), and "
            "where the network is used, at {place}, it is the same for all {n} samples: it is not known then, and is what the "
            "network has learnt to look at.",
            input=(told.input or 0) + 1,
            column=(told.column or 0) + 1,
            samples=told.samples,
            strength=f"{told.strength:.2f}",
            place=at(used.place),
            n=used.samples,
        ),
        Text(
            "去掉在预测时刻还不存在的列（结果发生之后才登记的量）。",
            "Take out columns that do not exist yet when a prediction is made, such as what is entered after the outcome.",
        ),
        run_data.code_at(places, Text("输入的来处与使用之处", "Where the inputs are made, and where they are used")),
        places,
    )


def _is_the_same(call: Fact, told: Fact) -> bool:
    if len(call.arguments) <= (told.input or 0) or (call.samples or 0) < _SAMPLES:
        return False
    spread = call.arguments[told.input or 0].channels.std
    return len(spread) > (told.column or 0) and spread[told.column or 0] == 0
