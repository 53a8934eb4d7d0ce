"""The part ``outcome`` of checklist.json, which opens the report (td.01)."""

from typing import Optional

from msprec.bilingual import Text, plain
from msprec.checklists.td.outcome.assessment import Assessment, assess
from msprec.checklists.td.outcome.sentences import sentence
from msprec.checklists.td.outcome.suspects import suspects
from msprec.engine.run_data import RunData


def section(run_data: RunData, lang: str) -> Optional[dict]:
    """``outcome`` of checklist.json; None where nothing was trained or run."""
    if run_data.trains_nothing or not run_data.was_run or not run_data.trained:
        return None
    rank, found = _of_ranks(run_data)
    text = sentence(found)
    constant = found.outcome.constant
    made = {
        "state": found.told,
        "text": text if rank is None else Text("rank {rank}：{says}", "Rank {rank}: {says}", rank=rank, says=text),
        "step": found.step,
        "end": found.end,
        "constant": constant.value if constant is not None else None,
        "start": found.start,
        "score": found.score._asdict() if found.score is not None else None,
        "suspects": [_suspect(id, finding) for id, finding in suspects(run_data)] if _asks_why(found) else [],
    }
    return plain(made, lang)


def _of_ranks(run_data: RunData) -> tuple:
    """``(rank, Assessment)`` of the first rank whose training failed; ``(None, …)`` of the run where none did, or all."""
    ranks = [rank for rank in run_data.ranks if run_data.has_facts_of(rank)]
    if len(ranks) < 2:
        return None, run_data.once(assess)
    found = [(rank, assess(run_data.of_rank(rank))) for rank in ranks]
    failed = [one for one in found if one[1].failed]
    return failed[0] if 0 < len(failed) < len(found) else (None, found[0][1])


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
