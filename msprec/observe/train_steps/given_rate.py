"""The learning rate of a step that updates by hand: an argument of the step's function that is named so."""

import re
from typing import Optional

from msprec.runtime.cells import parameter_names

_NAMES = re.compile(r"^_?(lr|eta|(learning_?)?rate|step_?size)(_?t)?$", re.IGNORECASE)


def given_rate(function, args: tuple) -> Optional[object]:
    """The single real number among ``args`` whose parameter in the signature of ``function`` is named as a rate is (``lr``,
    ``rate``, ``learning_rate``, ``eta``, ``step_size``): a Python number, or a tensor of one element; None without.

    Args:
        function: The user's function that is called at each step.
        args: What it is called with, by position.
    """
    names = parameter_names(function)
    if names[:1] == ["self"] and len(names) > len(args):
        names = names[1:]
    for name, value in zip(names, args):
        if _NAMES.match(name) and _is_number(value):
            return value
    return None


def _is_number(value) -> bool:
    if isinstance(value, float):
        return True
    return getattr(value, "size", 0) == 1 and "Float" in str(getattr(value, "dtype", ""))
