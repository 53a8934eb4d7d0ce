"""A network as ``network.json`` describes it."""

from typing import Optional

from msprec.observe.network.cells import cell_facts, class_place
from msprec.observe.network.weight_sharing import sharing_facts


def network_entry(number: int, root, role: str, optimized: Optional[set]) -> dict:
    """The entry of ``root``, a cell; ``role``: "train" or "eval"; ``optimized``: see `sharing_facts`."""
    return {
        "id": number,
        "class": type(root).__name__,
        "role": role,
        "place": class_place(root),
        "cells": cell_facts(root),
        **sharing_facts(root, optimized),
    }
