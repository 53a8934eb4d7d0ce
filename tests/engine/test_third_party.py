"""A family of checks from elsewhere, installed as a package of its own, in everything that the commands write and read back."""

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree
from zipfile import ZipFile

import pytest
from docx import Document
from docx.oxml.ns import qn

from msprec.engine import items

#: One process makes what the tests here share, which takes longest.
pytestmark = pytest.mark.xdist_group("third party")

#: How many items the installed families have, the guide's and those beyond it; those of a further family come first.
OWN = len(items())

FAMILY = """
from msprec.engine.family import Family

FAMILY = Family("acme", zh="本团队的检查", en="Checks of our team", package=__name__, items=("steps", "owner"))
"""

STEPS = '''
from msprec.bilingual import Text
from msprec.engine import finding
from msprec.engine.item import item


@item("acme.01")
def enough_steps(run_data):
    """Problem: fewer training steps than the team trains."""
    least, made = run_data.limit("acme.01.least"), run_data.run.training_steps
    if made >= least:
        return finding.ok(Text("共 {n} 步。", "{n} steps.", n=made))
    rows = [["made", made], ["least", least]]
    return finding.problem(
        Text("只有 {n} 步。", "only {n} steps.", n=made),
        Text("多训练。", "Train for longer."),
        [finding.table(Text("步数", "Steps"), ["what", "steps"], rows)],
    )
'''

OWNER = '''
from msprec.bilingual import Text
from msprec.engine import finding
from msprec.engine.item import item


@item("acme.02")
def owner(run_data):
    """Left to a person."""
    return finding.undecided(Text("负责人未知。", "The owner is not known."), Text("填写。", "Fill it in."))
'''

THRESHOLDS = '[least]\nvalue = 100\nzh = "最少步数"\nen = "fewest steps"\nsource = "ours"\n'
TEXTS = {
    "zh.md": "# {zh}\n\n## 为什么\n{zh}的原因\n\n## 怎么查\n看\n\n## 怎么改\n改\n",
    "en.md": "# {en}\n\n## Why\nwhy {en}\n\n## How to check\nlook\n\n## How to fix\nmend\n",
}


def install(site: Path, name: str, files: dict, entry: str) -> None:
    """What `pip install --target` leaves of a package: its files, and a record of its entry points."""
    for path, text in {
        **files,
        f"{name}-1.0.dist-info/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        f"{name}-1.0.dist-info/entry_points.txt": f"[msprec.checklists]\n{name} = {entry}\n",
    }.items():
        target = site / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """A folder with the package `acme`, a family of two items."""
    site = tmp_path_factory.mktemp("site")
    files = {"acme/__init__.py": FAMILY}
    for folder, check, zh, en in (
        ("steps", STEPS, "训练步数", "Enough steps"),
        ("owner", OWNER, "负责人", "Owner named"),
    ):
        files |= {f"acme/{folder}/__init__.py": "", f"acme/{folder}/check.py": check}
        files |= {f"acme/{folder}/{name}": text.format(zh=zh, en=en) for name, text in TEXTS.items()}
    files["acme/steps/thresholds.toml"] = THRESHOLDS
    install(site, "acme", files, "acme:FAMILY")
    return site


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("run") / "run"
    (folder / "rank_0").mkdir(parents=True)
    facts = {"schema": 1, "started": "s", "ended": "2026-11-20T10:00:00+00:00", "training_steps": 60}
    (folder / "run.json").write_text(json.dumps({**facts, "script_imports_mindspore": True}))
    return folder


def msprec(site: Path, *arguments) -> subprocess.CompletedProcess:
    done = subprocess.run(
        [sys.executable, "-m", "msprec", *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": os.fspath(site), "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


@pytest.fixture(scope="module")
def written(site: Path, run_folder: Path, tmp_path_factory) -> tuple:
    """All forms of the findings, and what the terminal showed."""
    folder = tmp_path_factory.mktemp("out")
    names = {"--out": "f.docx", "--json": "f.json", "--html": "f.html", "--junit": "f.xml", "--markdown": "f.md"}
    options = [part for option, name in names.items() for part in (option, folder / name)]
    done = msprec(site, "checklist", "--lang", "en", "--run", run_folder, *options)
    assert done.returncode == 0, done.stderr
    return folder, done.stdout


def test_it_stands_in_the_json_after_the_guide(written: tuple) -> None:
    found = json.loads((written[0] / "f.json").read_text(encoding="utf-8"))
    assert len(found["items"]) == 24
    assert [entry["id"] for entry in found["beyond"]][:2] == ["acme.01", "acme.02"]
    assert len(found["beyond"]) == OWN - 24 + 2
    assert set(found["beyond"][0]) == set(found["items"][0])
    assert found["families"][7] == {"id": "acme", "title": "Checks of our team", "beyond": True}
    first, second = found["beyond"][:2]
    assert (first["conclusion"], second["conclusion"]) == ("problem", "undecided")
    assert [piece["title"] for piece in first["evidence"]] == ["Steps", "Thresholds used"]


def test_it_stands_on_the_terminal_and_in_every_other_form(written: tuple) -> None:
    folder, terminal = written
    html, markdown = ((folder / name).read_text(encoding="utf-8") for name in ("f.html", "f.md"))
    for text in (terminal, html, markdown):
        assert "Enough steps" in text and text.index("acme.01") < text.index("acme.02"), "the worst comes first"
    assert "id=item_acme_01" in html and "How to fix" in html
    cases = ElementTree.parse(folder / "f.xml").getroot().findall(".//testcase")
    assert len(cases) == OWN + 2
    own = [case for case in cases if case.get("classname") == "msprec.acme Checks of our team"]
    assert own[0] is cases[0], "the worst comes first"
    assert own[0].find("failure") is not None and own[1].find("skipped") is not None


def test_its_part_of_the_word_report_is_a_form_after_that_of_the_guide(written: tuple) -> None:
    document = Document(str(written[0] / "f.docx"))
    headings = [p.text.split()[0] for p in document.paragraphs if p.style.name == "Heading 2"]
    assert headings[0] == "acme.01", "problems come first"
    assert "acme.02" in headings
    tags = [tag.get(qn("w:val")) for tag in document.element.body.iter(qn("w:tag"))]
    rows = [tag.rpartition(":")[2] for tag in tags if tag.startswith("msprec:choice:")]
    assert len(rows) == OWN + 2 and rows[24:26] == ["acme.01", "acme.02"], "the guide's rows, then those beyond it"
    assert {"msprec:choice:acme.02", "msprec:comment:acme.02"} <= set(tags)


def answer(report: Path, field: str, text: str) -> None:
    """Puts a text into a field of the form."""
    document = Document(str(report))
    tag = next(t for t in document.element.body.iter(qn("w:tag")) if t.get(qn("w:val")) == f"msprec:{field}")
    content = tag.getparent().getparent().find(qn("w:sdtContent"))
    texts = list(content.iter(qn("w:t")))
    texts[0].text = text
    document.save(str(report))


def test_answers_in_the_report_are_kept(site: Path, run_folder: Path, written: tuple, tmp_path: Path) -> None:
    report = tmp_path / "report.docx"
    report.write_bytes((written[0] / "f.docx").read_bytes())
    answer(report, "choice:acme.02", "No problem")
    answer(report, "comment:acme.02", "Han Meimei owns it")
    update = ("checklist", "--run", run_folder, "--update", report, "--json", tmp_path / "f.json")
    for _ in range(2):  # the second time from what the first has written
        assert msprec(site, *update).returncode == 0
        found = json.loads((tmp_path / "f.json").read_text(encoding="utf-8"))
        owner = found["beyond"][1]
        assert (owner["conclusion"], owner["answered_by"], owner["by_evidence"]) == ("ok", "person", "undecided")
        assert owner["comment"] == "Han Meimei owns it"
        assert "remarks" not in found


def test_answers_for_a_family_that_is_no_longer_installed_become_remarks(
    run_folder: Path, written: tuple, tmp_path: Path
) -> None:
    report = tmp_path / "report.docx"
    report.write_bytes((written[0] / "f.docx").read_bytes())
    answer(report, "comment:acme.02", "Han Meimei owns it")
    done = msprec(tmp_path, "checklist", "--run", run_folder, "--update", report, "--json", tmp_path / "f.json")
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "f.json").read_text(encoding="utf-8"))
    assert len(found["beyond"]) == OWN - 24 and "[acme.02] Han Meimei owns it" in found["remarks"]


def test_it_is_chosen_by_only_and_counts_for_the_exit_status(site: Path, run_folder: Path) -> None:
    for only, status in (("acme", 1), ("acme.01", 1), ("acme.02", 0)):
        done = msprec(site, "checklist", "--run", run_folder, "--only", only, "--fail-on", "problem")
        assert done.returncode == status, (only, done.stdout)
    done = msprec(site, "checklist", "--run", run_folder, "--only", "zz")
    assert done.returncode == 2 and "acme" in done.stderr


def test_it_is_explained(site: Path) -> None:
    for lang, words in (("zh", "训练步数的原因"), ("en", "why Enough steps")):
        assert words in msprec(site, "explain", "--lang", lang, "acme.01").stdout


def test_it_goes_into_a_bundle_and_concludes_from_it(
    site: Path, run_folder: Path, written: tuple, tmp_path: Path
) -> None:
    (run_folder / "checklist.json").write_bytes((written[0] / "f.json").read_bytes())
    archive = tmp_path / "question.zip"
    assert msprec(site, "bundle", run_folder, "--out", archive).returncode == 0
    with ZipFile(archive) as packed:
        assert json.loads(packed.read("manifest.json"))["same_conclusions"]
        assert len(json.loads(packed.read("run/checklist.json"))["beyond"]) == OWN - 24 + 2
    found = json.loads(msprec(site, "checklist", "--bundle", archive, "--json", "-").stdout)
    assert [entry["conclusion"] for entry in found["beyond"][:2]] == ["problem", "undecided"]


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import missing_module", "ModuleNotFoundError"),
        (FAMILY.replace('"acme"', '"ds"'), "taken"),
        (FAMILY.replace("items=(", "guide=1, items=("), "guide"),
        (FAMILY, "ModuleNotFoundError"),
    ],
)
def test_one_that_cannot_be_used_costs_a_warning_only(
    source: str, reason: str, run_folder: Path, tmp_path: Path
) -> None:
    install(tmp_path, "broken", {"broken/__init__.py": source}, "broken:FAMILY")
    done = msprec(tmp_path, "checklist", "--run", run_folder, "--json", "-")
    found = json.loads(done.stdout)
    assert len(found["items"]) == 24 and len(found["beyond"]) == OWN - 24
    assert "broken:FAMILY is left out" in done.stderr and reason in done.stderr
