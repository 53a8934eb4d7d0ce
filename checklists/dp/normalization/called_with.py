"""The scale of what a network is called with in training, where no data set hands it over (dp.01)."""

from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.data.input_scale import judge
from msprec.checklists.common.script.array_origin import argument_origins
from msprec.checklists.common.training.constant_prediction import learnt_by
from msprec.checklists.dp.in_network_normalization import input_scaling
from msprec.engine.finding import Finding, ok, problem
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact


def called_with(run_data: RunData) -> Optional[Finding]:
    """A problem where real numbers that a network is called with in training are far from unit scale, as dp.01 has it of columns,
    and neither the code scales them nor the training came dp.01.solved below a constant prediction; ok where all of them are on a
    sound scale; None where there are none, or the code scales them."""
    calls = [one for one in run_data.inputs if one.phase == "train" and one.level == "network" and one.samples]
    given = [
        (call, one) for call in calls for one in call.arguments if one.kind == "float" and not _adjacency(call, one)
    ]
    given = [(call, one) for call, one in given if None not in (one.min, one.max)]
    if not given or learnt_by(run_data, "dp.01.solved"):
        return None
    judged = [(call, judge(run_data, one, alone=len(given) == 1, between=False)) for call, one in given]
    wrong = [(call, verdict) for call, verdict in judged if verdict.wrong]
    if not wrong:
        return _sound([one for _, one in given])
    call, verdict = wrong[0]
    position = verdict.column.position or 0
    if input_scaling(run_data, position, verdict.column.name or ""):
        return None
    places = [*argument_origins(run_data, call.place, position, network=call.network or ""), call.place]
    return problem(
        Text("送入网络的数据取值范围不当：{wrong}。", "The inputs are not normalised: {wrong}.", wrong=verdict.wrong),
        Text(
            "用训练集的均值和标准差逐列标准化，推理时用同样的参数。",
            "Standardise each feature by the mean and standard deviation of the training data, and use the same numbers at "
            "inference.",
        ),
        run_data.code_at(places, Text("网络的输入", "What the network is called with")),
        places,
    )


def _adjacency(call: Fact, argument: Fact) -> bool:
    """Whether an argument has as many values in each row as it has rows, as the edges of a graph."""
    return bool(call.sampled) and list(argument.shape) == [call.samples / call.sampled]


def _sound(given: list) -> Finding:
    return ok(
        Text(
            "没有记录到数据集；训练中送入网络的数值在正常的取值范围内（{low} 到 {high}）。",
            "No data set was recorded; what the network is called with in training is on a sound scale ({low} to {high}).",
            low=min(one.min for one in given),
            high=max(one.max for one in given),
        )
    )
