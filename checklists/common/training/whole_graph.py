"""Whether a training is given one whole graph at each step, as graph networks are (hp.02, hp.03)."""

import re
from typing import Optional

from msprec.checklists.common.findings import plain_arrays
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

#: Steps after which the same samples are known to have come again.
_REPEATED = 8


def whole_graph(run_data: RunData, dataset: Optional[Fact]) -> bool:
    """Whether each step is given one whole graph: its adjacency among plain arrays that are the same each time, or held by the
    network, where it carries what is computed of one node to others."""
    if dataset is None or not plain_arrays(dataset) or dataset.samples_per_pass not in (None, dataset.batch_size):
        return False
    if dataset.samples_per_pass is None and (dataset.batches or 0) >= _REPEATED:
        return False  # so many steps, and no sample came again
    if any(len(column.shape) == 1 and column.shape[0] == dataset.batch_size for column in dataset.columns):
        return True
    # of a run of a few steps it is not known that they were given the same
    held = bool(run_data.probes.mixed_samples.matrix)
    named = any(re.search(r"(^|_)(adj|edge|graph|laplac)", column.name or "") for column in dataset.columns)
    return (held or named) and dataset.samples_per_pass is not None
