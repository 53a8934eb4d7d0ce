"""What may have kept a training from learning: findings by the strength of their evidence (td.01)."""

from typing import Optional

from msprec.engine.finding import Evidence, Finding
from msprec.engine.run_data import RunData
from msprec.engine.runner import THRESHOLDS_USED

#: Items by how directly they act on what the training loss comes down to; late, or not named: on the validation alone.
# fmt: off
_DIRECT = (
    "mp.02", "hp.01", "td.04", "td.05", "td.02", "td.03", "cg.04", "cg.03", "cg.02", "wi.01", "dp.01", "ds.01", "ds.02",
    "mp.03", "mp.01", "mp.04", "wi.02", "td.08", "td.09", "cg.01", "hp.03", "dp.04", "api.01", "td.07", "td.06", "ds.03",
    "dp.03",
)
# fmt: on
#: Items that are left open where nothing is wrong too: their evidence counts for less.
_OFTEN_OPEN = ("ds.02", "ds.04", "dp.02", "api.01", "cg.03", "hp.02")
#: Shown at the most.
_MOST = 8


def suspects(run_data: RunData) -> list:
    """``[(item, finding), …]``: problems, then what is undecided with a place, then with evidence of its own."""
    ranked = []
    for id, finding in run_data.findings.items():
        strength = _strength(finding)
        if id != "td.01" and strength is not None:
            strength += 3 * (finding.conclusion == "undecided" and id in _OFTEN_OPEN)
            ranked.append(((strength, _DIRECT.index(id) if id in _DIRECT else len(_DIRECT)), id, finding))
    ranked.sort(key=lambda one: one[0])
    return [(id, finding) for _, id, finding in ranked[:_MOST]]


def _strength(finding: Finding) -> Optional[int]:
    """0 of a problem, then 1 to 3, less the more there is; None where nothing speaks against it."""
    if finding.conclusion == "problem":
        return 0
    evidence = [piece for piece in finding.evidence if _own(piece)]
    if finding.conclusion != "undecided" or not evidence:
        return None
    return 1 if finding.locations else 2 if any(piece.kind in ("code", "table") for piece in evidence) else 3


def _own(piece: Evidence) -> bool:
    """Evidence that tells something of this run: neither a curve nor the thresholds."""
    return piece.kind != "figure" and piece.title.en not in THRESHOLDS_USED
