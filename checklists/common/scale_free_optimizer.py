"""Optimizers that divide the size of the gradients out of their steps."""

import re
from collections.abc import Sequence

_SCALE_FREE = re.compile(r"adam|lamb|rmsprop|lion|adabelief", re.IGNORECASE)


def scale_free(optimizers: Sequence) -> bool:
    """Whether each has steps of about the size of its rate, whatever the size of the gradients (Kingma and Ba 2015, section 2.1).

    Args:
        optimizers: Facts of optimizers; of none the answer is False.
    """
    return bool(optimizers) and all(_SCALE_FREE.search(one.class_ or "") for one in optimizers)
