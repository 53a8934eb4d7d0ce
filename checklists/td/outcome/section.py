"""The part ``outcome`` of checklist.json, which opens the report (td.01)."""

from typing import Optional

from msprec.bilingual import plain
from msprec.checklists.td.outcome.assessment import Assessment, assess
from msprec.checklists.td.outcome.sentences import sentence
from msprec.checklists.td.outcome.suspects import suspects
from msprec.engine.run_data import RunData


def section(run_data: RunData, lang: str) -> Optional[dict]:
    """``outcome`` of checklist.json; None where nothing was trained or run."""
    if run_data.trains_nothing or not run_data.was_run or not run_data.trained:
        return None
    found = run_data.once(assess)
    constant = found.outcome.constant
    made = {
        "state": found.told,
        "text": sentence(found),
        "step": found.step,
        "end": found.end,
        "constant": constant.value if constant is not None else None,
        "start": found.start,
        "score": found.score._asdict() if found.score is not None else None,
        "suspects": [_suspect(id, finding) for id, finding in suspects(run_data)] if _asks_why(found) else [],
    }
    return plain(made, lang)


def _asks_why(found: Assessment) -> bool:
    """Whether something kept it from learning, as far as is known."""
    return found.told not in ("learnt", "unknown") or (found.state == "unknown" and found.reason == "no_constant")


def _suspect(id: str, finding) -> dict:
    place = finding.locations[0] if finding.locations else None
    return {
        "item": id,
        "text": finding.summary,
        "location": f"{place['file']}:{place['line']}" if place and place.get("line") else None,
    }
