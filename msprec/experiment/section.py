"""The part ``remedies`` of checklist.json: what the experiments of `msprec remedy` came to."""

from typing import Optional

from msprec.bilingual import Text
from msprec.experiment import present


def section(run_data, lang: str) -> Optional[dict]:
    """``conclusion`` (sentences, by effect), ``evidence`` (the table), and the facts. None where nothing was tried.

    Args:
        run_data: The run folder as checks are given it.
        lang: "zh" or "en".
    """
    facts = run_data.folder.facts("remedies")
    if not facts.get("baseline"):
        return None
    heads, rows = present.rows(facts, lang)
    title = Text("修复措施的效果", "Effects of the remedies").render(lang)
    return {
        "conclusion": [
            *(present.sentence(entry, facts, lang) for entry in facts["remedies"]),
            *present.closing(facts, lang),
        ],
        "evidence": [
            {"kind": "table", "source": "run", "title": title, "columns": heads, "rows": rows, "note": None},
            {**present.figure(facts), "title": Text("训练 loss", "Training losses").render(lang)},
        ],
        "together": (facts["together"] or {}).get("ids", []),
        "patch": (facts.get("patch") or {}).get("file"),
    }
