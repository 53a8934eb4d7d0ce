"""The mode of networks in scripts that were only read (``--also``): what their source shows for sure (api.02)."""

from typing import NamedTuple

from msprec.bilingual import Joined, Text
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem, text
from msprec.engine.run_data import RunData, place
from msprec.source.pipelines.values import Instance, ReadScript

_TITLE = Text("只读取的脚本", "Scripts that were read")


class _Said(NamedTuple):
    says: Text
    place: object


def with_scripts(run_data: RunData, finding: Finding) -> Finding:
    """The finding with what scripts beside the run do: one that evaluates in training mode is a problem.

    A cell of MindSpore begins in inference mode, and ``Model.eval`` and ``Model.predict`` put it there; so only a
    ``set_train(True)`` before the call, with nothing in between to take it back, is wrong for sure. Networks of which the run
    recorded no mode-dependent cell are passed over, and so are scripts with a training of their own.
    """
    wrong: list = []
    right: list = []
    for reading in run_data.readings:
        if not reading.trains:
            _judge(run_data, reading, wrong, right)
    if right:
        finding.evidence.append(text(_TITLE, Joined([one.says for one in right[:4]], zh="", en=" "), "script"))
    if not wrong:
        return finding
    places = [one.place for one in wrong]
    says = Joined([one.says for one in wrong[:3]], zh="", en=" ")
    shown = [run_data.code_at(places, Text("调用之处", "The call"), "script"), *finding.evidence]
    if finding.conclusion == "problem":
        finding.evidence.insert(0, text(_TITLE, says, "script"))
        return finding
    return problem(
        says,
        Text(
            "评估或推理前调用 net.set_train(False)。",
            "Call net.set_train(False) before evaluation or inference.",
        ),
        shown,
        places,
    )


def _dependent(run_data: RunData) -> set:
    """The classes of recorded networks that hold mode-dependent cells."""
    return {network.class_ for network in run_data.networks if any(cell.mode_dependent for cell in network.cells)}


def _judge(run_data: RunData, reading: ReadScript, wrong: list, right: list) -> None:
    state, dependent = {}, _dependent(run_data)
    for mode in reading.modes:
        spot = place(*mode.place)
        if mode.what == "set":
            state[mode.network] = (mode.value if mode.sure else None, spot)
        elif mode.what in ("eval", "predict"):
            state[mode.network] = (False, spot)
            right.append(_Said(_sets(reading, mode.what, spot), spot))
        elif mode.what == "call" and isinstance(mode.network, Instance) and mode.network.scope.name in dependent:
            value, before = state.get(mode.network, (False, None))
            if value is True and reading.complete:
                wrong.append(_Said(_in_training_mode(reading, mode.network, spot, before), spot))
            elif value is False:
                right.append(_Said(_in_inference_mode(reading, mode.network, spot, before), spot))


def _sets(reading: ReadScript, what: str, spot) -> Text:
    return Text(
        "{file} 使用 Model.{what}（{place}），它会设为推理模式。",
        "{file} uses Model.{what} ({place}), which sets inference mode.",
        file=reading.file,
        what=what,
        place=at(spot),
    )


def _in_training_mode(reading: ReadScript, network: Instance, spot, before) -> Text:
    return Text(
        "{file} 在推理时调用 {net}（{place}），而它自 {before} 起处于训练模式。",
        "{file} calls {net} to evaluate or infer ({place}) while it is in training mode, since {before}.",
        file=reading.file,
        net=network.scope.name,
        place=at(spot),
        before=at(before),
    )


def _in_inference_mode(reading: ReadScript, network: Instance, spot, before) -> Text:
    if before is None:
        return Text(
            "{file} 调用 {net}（{place}）之前没有设置模式；MindSpore 的 Cell 创建时即为推理模式，"
            "明确写出 set_train(False) 更稳妥。",
            "{file} calls {net} ({place}) without setting a mode; a cell of MindSpore begins in inference mode, yet "
            "set_train(False) is better written out.",
            file=reading.file,
            net=network.scope.name,
            place=at(spot),
        )
    return Text(
        "{file} 调用 {net}（{place}）时处于推理模式（{before}）。",
        "{file} calls {net} ({place}) in inference mode (set at {before}).",
        file=reading.file,
        net=network.scope.name,
        place=at(spot),
        before=at(before),
    )
