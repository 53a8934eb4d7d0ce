"""The document against the standard: our own list of its rules everywhere, its XML schemas where a validator is installed."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from docx import Document
from lxml import etree
from ooxml import W, faults
from reports import findings, write_run

from msprec.engine import blank
from msprec.report.form_reader import read_form
from msprec.report.update import update_report
from msprec.report.word import write_word


def odd(lang: str) -> dict:
    """Findings with hostile text everywhere that text can stand."""
    found = findings(lang)
    hostile = found["items"][0]["summary"]
    for item in found["items"][:6]:
        item.update(
            summary=hostile,
            comment=hostile,
            would_decide=hostile,
            advice=hostile,
            conflict=hostile,
            answered_by="person",
            by_evidence="problem",
            title=item["title"] + " " + "very long name " * 30,
        )
    found["items"][1]["evidence"] = [
        {"kind": "table", "source": "run", "title": hostile, "columns": [hostile] * 9, "rows": [[hostile] * 9] * 3},
        {
            "kind": "code",
            "source": "script",
            "title": hostile,
            "file": hostile,
            "first_line": 1,
            "highlight": [2],
            "code": hostile + "\n\t\tx = 1  \n\n",
        },
    ]
    return {**found, "remarks": hostile}


@pytest.fixture(scope="module", params=["zh", "en"])
def documents(request, tmp_path_factory) -> list:
    """Reports of all kinds in one language: of a run, with odd text, empty, and after an update with words typed into it."""
    folder, lang = tmp_path_factory.mktemp("documents"), request.param
    run = write_run(folder / "run")
    write_word(findings(lang), folder / "report.docx", run, lang)
    write_word(odd(lang), folder / "odd.docx", run, lang)
    write_word(blank(lang), folder / "blank.docx", None, lang)
    typed = Document(str(folder / "report.docx"))
    typed.paragraphs[-1].add_run("typed")
    typed.save(str(folder / "typed.docx"))
    update_report(
        findings(lang), read_form(folder / "typed.docx"), folder / "typed.docx", folder / "updated.docx", run, lang
    )
    return [folder / f"{name}.docx" for name in ("report", "odd", "blank", "updated")]


def test_the_rules_of_the_standard_are_kept(documents: list) -> None:
    for path in documents:
        assert faults(path) == [], path.name


def test_the_rules_find_what_is_wrong(tmp_path: Path) -> None:
    document = Document()
    paragraph = document.add_paragraph()
    for child in ("spacing", "shd", "pStyle"):
        paragraph._p.get_or_add_pPr().append(etree.SubElement(paragraph._p.pPr, f"{W}{child}"))
    link = etree.SubElement(paragraph._p, f"{W}hyperlink")
    link.set(f"{W}anchor", "nowhere")
    document.save(str(tmp_path / "bad.docx"))
    text = "\n".join(faults(tmp_path / "bad.docx"))
    assert "order in pPr" in text and "link to no bookmark: nowhere" in text


# --- the schemas ----------------------------------------------------------------------------------------------------
#: The validator of Microsoft's Open XML SDK, with the schemas and the further constraints of Word: npm's @ooxml-tools/validate.
VALIDATOR = shutil.which("ooxml-validate")


@pytest.mark.skipif(VALIDATOR is None, reason="no ooxml-validate (npm install -g @ooxml-tools/validate)")
def test_every_part_validates(documents: list) -> None:
    for path in documents:
        command = [VALIDATOR, str(path), "--output-format", "json"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
        assert json.loads(done.stdout) == [], path.name
