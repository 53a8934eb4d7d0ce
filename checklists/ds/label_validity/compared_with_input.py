"""Outputs that are compared with what the network was given, of a network that is taught something else (ds.02)."""

from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.checklists.common.script.network_outputs import Output, compared_outputs
from msprec.checklists.common.training.constant_prediction import REGRESSION
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact

#: Statistics of a column, and a share of its deviation by which two of them differ at the least where the columns do.
_OF_COLUMNS, _APART = ("mean", "std"), 1e-3


def compared_with_input(run_data: RunData, dataset: Fact, _column: Fact) -> Optional[tuple]:
    """Where the squared or absolute difference of an output is taken to the array that the network was given for it, and to
    nothing else, while the loss compares outputs of that shape with other numbers than the inputs, as clean pictures are."""
    if not _taught_otherwise(run_data, dataset):
        return None
    for file, output, differences in compared_outputs(run_data):
        if {name for _, name in differences} == {output.given}:
            return _finding(place(file, differences[0][0]), place(file, output.line), output)
    return None


def _taught_otherwise(run_data: RunData, dataset: Fact) -> bool:
    """Whether the one loss is a regression's of targets of an input's shape, that are no input of the network."""
    losses = run_data.probes.losses
    if len(losses) != 1 or losses[0].kind not in REGRESSION or len(dataset.columns) != 2:
        return False
    one, other = dataset.columns
    if one.shape != other.shape or None in (one.std, other.std, one.mean, other.mean):
        return False
    return any(abs(getattr(one, key) - getattr(other, key)) > _APART * max(one.std, other.std) for key in _OF_COLUMNS)


def _finding(compared: Fact, made: Fact, output: Output) -> tuple:
    says = Text(
        "{compared} 把网络的输出 {output} 与送入网络的 {given}（{made}）比较，而训练的目标是另外的数值：得到的误差不是要学的那个",
        "{compared} compares the output {output} with {given}, which the network was given at {made}, and training has other "
        "targets: the error that it tells is not the one that is learnt",
        compared=at(compared),
        made=at(made),
        output=output.name,
        given=output.given,
    )
    advice = Text("与目标（如干净的图像）比较。", "Compare with the targets, as the clean pictures are.")
    return says, advice, compared, made
