"""What the experiments came to, in checklist.json and in the reports."""

import json

import docx
import pytest
from small_run import write_run
from test_trials import Given

from msprec.engine import conclude
from msprec.experiment import present
from msprec.experiment.case import Case
from msprec.experiment.plan import make_plan
from msprec.experiment.trials import Trials
from msprec.record.schema import FACTS
from msprec.record.schema.check import differences
from msprec.report.html import write_html
from msprec.report.markdown import as_markdown
from msprec.report.word import write_word


@pytest.fixture
def run(tmp_path):
    run = write_run(tmp_path)
    plan = make_plan(Case(run), ("shuffle", "standardise", "loss_scale"))
    facts = Trials(plan, Given(lambda ids: 0.9 if "standardise" in ids else 0.3)).carry_out()
    facts["patch"] = {
        "file": "remedy.patch",
        "ids": ["standardise"],
        "described": [],
        "why_not": None,
        "apply_in": "here",
    }
    facts["patch"].update(scores=[0.9], losses=[1.0])
    assert differences(facts, FACTS["remedies"]) == []
    (run / "facts" / "remedies.json").write_text(json.dumps(facts))
    return run


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_reports_tell_what_was_tried(run, lang):
    checklist = conclude(run, lang)
    section = checklist["remedies"]
    assert section["together"] == ["standardise"] and section["patch"] == "remedy.patch"
    assert section["evidence"][0]["rows"][1][2] == "0.902 ± 0.002"
    first = section["conclusion"][0]
    assert first.endswith("0.302 ± 0.002 → 0.902 ± 0.002")
    told = as_markdown(checklist)
    assert first in told and "remedy.patch" in told
    write_html(checklist, run / "checklist.html", run, lang)
    page = (run / "checklist.html").read_text("utf-8")
    assert first in page and "data:image/png" in page
    write_word(checklist, run / "checklist.docx", run, lang)
    words = "\n".join(one.text for one in docx.Document(str(run / "checklist.docx")).paragraphs)
    assert first in words


def test_without_experiments_there_is_no_section(tmp_path):
    assert "remedies" not in conclude(write_run(tmp_path), "en")


def test_the_plot(run):
    facts = json.loads((run / "facts" / "remedies.json").read_text())
    assert present.plot(facts, "en").startswith(b"\x89PNG")
