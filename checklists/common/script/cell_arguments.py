"""Arguments that a cell's description holds, and what they say of the statistics of a BatchNorm at the end."""

import re
from typing import Optional

from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

_DROPOUTS = ("Dropout", "Dropout1d", "Dropout2d", "Dropout3d")
#: MindSpore's own momentum of BatchNorm, the weight of the old statistics.
DEFAULT_MOMENTUM = 0.9


def recorded_arguments(cell: Fact) -> dict:
    """The numbers that a cell's description holds: ``keep_prob=0.9, …`` gives {"keep_prob": 0.9}."""
    found = {}
    for name, text in re.findall(r"\b(keep_prob|p|momentum|eps)=([-+.\deE]+)", cell.args or ""):
        try:
            found[name] = round(float(text), 12)
        except ValueError:
            continue
    return found


def sizes_of(cell: Fact, name: str) -> list:
    """The sizes that a cell's description gives by a name: ``kernel_size=(3, 3)`` gives [3, 3]; empty where it gives none."""
    found = re.search(rf"\b{name}=\(?(\d+(?:, *\d+)*)", cell.args or "")
    numbers = [int(one) for one in found[1].split(",")] if found else []
    return numbers if all(numbers) else []


def left_of_start(run_data: RunData, momentum: Optional[float]) -> float:
    """What the moving statistics of a BatchNorm still are of what they began with; 0 where that is less than api.01.left.

    An average of n steps has ``momentum ** n`` of its start. Asked of a momentum above MindSpore's own, of statistics that were
    not loaded, and of trainings of api.01.steps and more: a short trial says nothing.
    """
    steps = run_data.training_steps
    if momentum is None or run_data.loads or not DEFAULT_MOMENTUM < momentum <= 1:
        return 0.0
    left = momentum**steps if steps >= run_data.limit("api.01.steps") else 0.0
    return left if left >= run_data.limit("api.01.left") else 0.0


def statistics_hardly_moved(run_data: RunData) -> bool:
    """Whether a BatchNorm that ran normalises in inference with little but what its statistics began with."""
    cells = [cell for network in run_data.networks for cell in network.cells if "BatchNorm" in (cell.class_ or "")]
    return any(left_of_start(run_data, recorded_arguments(cell).get("momentum")) for cell in cells)


def dropped_share(cell: Fact) -> Optional[float]:
    """The share that a dropout of MindSpore's drops, by the arguments that it was made with; None of any other cell."""
    if cell.class_ not in _DROPOUTS or not cell.builtin:
        return None
    given = recorded_arguments(cell)
    return given["p"] if "p" in given else 1 - given["keep_prob"] if "keep_prob" in given else None
