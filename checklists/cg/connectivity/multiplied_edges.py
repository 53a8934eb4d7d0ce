"""Scores of neighbours that are multiplied by the edges of a graph before a softmax (cg.03)."""

import re
from typing import Optional

from msprec.checklists.common.script.multiplied_scores import multiplied_scores
from msprec.engine.finding import Finding
from msprec.engine.run_data import RunData

_EDGES = re.compile(r"(^|_)(adj|adjacency|edges?|neighbou?rs?|connected|graph)(_|$)", re.IGNORECASE)


def judge_multiplied_edges(run_data: RunData) -> Optional[Finding]:
    """As `multiplied_scores`, of an adjacency: nodes without an edge between them still attend to each other."""
    return multiplied_scores(run_data, _EDGES)
