"""What an evaluation call did when it was made twice: which cells ran, and whether a dropout acted (api.02)."""

import re
from typing import Optional

from msprec.bilingual import Text, listed
from msprec.checklists.common.findings import at, note
from msprec.engine.finding import Evidence, Finding, problem
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

_DROPOUT = re.compile(r"drop_?(out|path|block)|dropout", re.IGNORECASE)


def called_cells(run_data: RunData, phase: Fact) -> Optional[set]:
    """Paths of the cells that such a call runs; None where it was not made again."""
    call = _repeated(run_data, phase)
    return set(call.called) if call is not None else None


def unused_in_training_mode(run_data: RunData, phase: Fact) -> list:
    """Paths of mode-dependent cells in training mode that such a call does not run."""
    ran = called_cells(run_data, phase)
    return [cell.path for cell in phase.dependent if cell.training and ran is not None and cell.path not in ran]


def not_run(paths: list) -> Optional[Evidence]:
    """A note on cells in training mode that evaluation does not call."""
    if not paths:
        return None
    return note(
        "{names} 处于训练模式，但评估时没有被调用。",
        "{names} was in training mode, yet evaluation does not call it.",
        names=listed(dict.fromkeys(paths)),
    )


def functional_dropout(run_data: RunData, phases: list) -> Optional[Finding]:
    """Problem: a dropout that is a function, not a cell, acts in evaluation.

    It has no mode: ``training`` is an argument, True by default. Other random operations, such as the draw of a
    variational autoencoder, are no matter of the mode.

    Args:
        run_data: The run.
        phases: The calls that evaluate.
    """
    found = []
    for phase in phases:
        call = _repeated(run_data, phase)
        if call is not None:
            found += [(phase, one) for one in call.random if not one.cell and _DROPOUT.search(one.operator or "")]
    if not found:
        return None
    phase, one = found[0]
    places = [one.place for _, one in found if one.place]
    return problem(
        Text(
            "评估时（{place}）{op} 仍在丢弃数值：同一批数据算两次，结果不同。函数式 dropout 不受 set_train 控制，"
            "其 training 参数默认为 True。",
            "During evaluation ({place}) {op} goes on dropping values: one batch computed twice gives two results. A functional "
            "dropout does not follow set_train; its argument training is True by default.",
            place=at(phase.place) or phase.via,
            op=one.operator,
        ),
        Text(
            "传入 training=self.training，或改用 nn.Dropout 并在评估前调用 set_train(False)。",
            "Pass training=self.training, or use nn.Dropout and call set_train(False) before evaluation.",
        ),
        run_data.code_at(places, Text("dropout 的调用", "The call of the dropout")),
        [*places, *(phase.place for phase, _ in found if phase.place)],
    )


def _repeated(run_data: RunData, phase: Fact) -> Optional[Fact]:
    """The call of this kind that was made twice; the first of a kind stands for all of it."""
    key = _key(phase)
    return next((call for call in run_data.probes.evaluations if _key(call) == key), None)


def _key(one: Fact) -> tuple:
    place = one.place
    return (one.phase, one.via, one.network, one.first_step, (place.file, place.line) if place else None)
