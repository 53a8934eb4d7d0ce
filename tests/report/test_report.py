"""The Word document opened again, the figures, the table on the terminal."""

import csv
import io
import os
import re
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest
from docx import Document
from docx.oxml.ns import qn
from docx.shared import Cm
from lxml import etree
from reports import findings, write_run

from msprec.engine import blank
from msprec.report import figures
from msprec.report.overview import in_order
from msprec.report.strings import CONCLUSIONS, PLACEHOLDERS, WORDS, default_lang, number
from msprec.report.terminal import print_table
from msprec.report.word import write_word
from msprec.report.word_evidence import write_csv


@pytest.fixture
def sample(tmp_path: Path) -> tuple:
    """A checklist with every kind of conclusion and evidence, hostile text among it, and its run folder."""
    return findings("en"), write_run(tmp_path / "run")


def _text(document) -> str:
    return "\n".join(node.text or "" for node in document.element.body.iter(qn("w:t")))


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_document_opens_again_with_everything(sample, tmp_path: Path, lang: str) -> None:
    checklist, run = sample
    path = tmp_path / f"{lang}.docx"
    write_word(checklist, path, run, lang)
    assert path.stat().st_size < 5_000_000
    document = Document(str(path))
    text = _text(document)
    headings = [p.text for p in document.paragraphs if p.style.name == "Heading 2"]
    kinds = ("problem", "undecided")
    wanted = [item["id"] for kind in kinds for item in checklist["items"] if item["conclusion"] == kind]
    assert [h.split()[0] for h in headings] == wanted
    chapters = [p.text for p in document.paragraphs if p.style.name == "Heading 1"]
    assert chapters == [WORDS[lang][name] for name in ("form", "problems", "open_items", "in_order", "run")]
    for word in CONCLUSIONS[lang].values():
        assert word in text
    assert WORDS[lang]["cpu_loss_scale"] in text
    assert "\\x00" in text
    assert "🚀" in text
    assert "שלום" in text
    file = f"{lang}_tables/ds.01_3.csv"
    assert WORDS[lang]["more_rows"].format(count=10000 - 12, all=10000, file=file) in text
    with open(tmp_path / file, encoding="utf-8-sig", newline="") as handle:
        rows = list(csv.reader(handle))
    assert len(rows) == 10001 and rows[0] == ["name", "值"] and rows[-1][0] == "row 9999"
    form = document.tables[1]
    assert len(form.rows) == 25
    assert form.rows[0]._tr.trPr.find(qn("w:tblHeader")) is not None
    assert len(document.inline_shapes) == 4  # the loss on the first page among them
    for shape in document.inline_shapes:
        assert shape._inline.docPr.get("descr")


def test_links_resolve_and_ids_are_unique(sample, tmp_path: Path) -> None:
    write_word(*_first_two(sample, tmp_path))
    body = Document(str(tmp_path / "a.docx")).element.body
    marks = [m.get(qn("w:name")) for m in body.iter(qn("w:bookmarkStart"))]
    numbers = [m.get(qn("w:id")) for m in body.iter(qn("w:bookmarkStart"))]
    assert len(set(marks)) == len(marks) == 5 + 24 + 2 * 24 + 1
    assert len(set(numbers)) == len(numbers)
    links = {link.get(qn("w:anchor")) for link in body.iter(qn("w:hyperlink"))}
    assert links == {mark for mark in marks if mark.startswith("item_")}


def _first_two(sample, tmp_path: Path) -> tuple:
    return sample[0], tmp_path / "a.docx", sample[1], "zh"


def test_every_run_has_an_east_asian_font(sample, tmp_path: Path) -> None:
    write_word(*_first_two(sample, tmp_path))
    document = Document(str(tmp_path / "a.docx"))
    for run in document.element.body.iter(qn("w:r")):
        if run.find(qn("w:t")) is None or not (run.find(qn("w:t")).text or "").strip():
            continue
        fonts = run.rPr.find(qn("w:rFonts"))
        assert fonts is not None and fonts.get(qn("w:eastAsia"))


def test_the_same_input_gives_the_same_parts(sample, tmp_path: Path) -> None:
    checklist, run = sample
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        write_word(checklist, tmp_path / name / "report.docx", run, "en")
    one, two = (zipfile.ZipFile(tmp_path / n / "report.docx") for n in ("a", "b"))
    assert one.namelist() == two.namelist()
    for name in one.namelist():
        assert one.read(name) == two.read(name), name
        if name.endswith(".xml"):
            etree.fromstring(one.read(name))


def test_a_formula_in_a_table_stays_a_text(tmp_path: Path) -> None:
    write_csv(tmp_path / "t.csv", ["a"], [["=HYPERLINK(1)"], ["-1.5"], [-2], ["@x"], [None], ["bad \ud800"]])
    lines = (tmp_path / "t.csv").read_text(encoding="utf-8-sig").split("\n")
    assert lines[:7] == ["a", "'=HYPERLINK(1)", "-1.5", "-2", "'@x", '""', "bad \\ud800"]


def test_captions_and_tables(sample, tmp_path: Path) -> None:
    write_word(*_first_two(sample, tmp_path))
    document = Document(str(tmp_path / "a.docx"))
    codes = [i.text.strip() for i in document.element.body.iter(qn("w:instrText"))]
    assert codes.count("SEQ Figure \\* ARABIC") == 4 and codes.count("SEQ Table \\* ARABIC") == 3
    # a row of twelve columns stands upright, and no page is turned for it
    assert [section.page_width > section.page_height for section in document.sections] == [False]
    upright = next(table for table in document.tables if table.rows[-1].cells[0].text == "a_column_name_11")
    assert (len(upright.rows), len(upright.columns)) == (13, 2)
    for table in document.tables:
        for row in table.rows:
            whole = row._tr.trPr is not None and row._tr.trPr.find(qn("w:cantSplit")) is not None
            assert whole == (sum(len(cell.text) for cell in row.cells) <= 1200)


def test_nothing_is_printed_twice(tmp_path: Path) -> None:
    """Excerpts that overlap become one; the same table, and lines that were listed before, are referred to."""
    found = findings("en", hostile=False)

    def excerpt(first: int, last: int, mark: int) -> dict:
        code = "\n".join(f"line_{n}()" for n in range(first, last + 1))
        head = {"kind": "code", "source": "script", "title": f"At {mark}", "file": "train.py"}
        return {**head, "first_line": first, "highlight": [mark], "code": code}

    table = {"kind": "table", "title": "Pipeline", "columns": ["step", "", "x"], "rows": [["batch", None, 1]]}
    found["items"][0]["evidence"] = [excerpt(60, 64, 62), excerpt(62, 66, 63), table, excerpt(80, 82, 81)]
    found["items"][4]["evidence"] = [excerpt(60, 63, 61), {**table, "title": "Pipeline of the training set"}]
    write_word(found, tmp_path / "a.docx", None, "en")
    text = _text(Document(str(tmp_path / "a.docx")))
    for number_ in (*range(60, 67), 80, 81, 82):
        assert len(re.findall(rf"line_{number_}\(\)", text)) == 1, number_
    assert "At 62; At 63" in text and "train.py:61, listed above" in text and "see Table 1" in text
    tables = [t for t in Document(str(tmp_path / "a.docx")).tables if t.rows[0].cells[0].text == "step"]
    assert [[c.text for c in row.cells] for row in tables[0].rows] == [["step", "x"], ["batch", "1"]] and len(
        tables
    ) == 1


def test_the_appendix_holds_methods_and_thresholds(sample, tmp_path: Path) -> None:
    checklist, run = sample
    thresholds = {
        "kind": "table",
        "title": "Thresholds used",
        "columns": ["name", "value"],
        "rows": [["ds.03.ratio", 10]],
    }
    checklist["items"][1]["evidence"] = [thresholds]
    sizes = {}
    for full in (False, True):
        write_word(checklist, tmp_path / "a.docx", run, "en", full=full)
        document = Document(str(tmp_path / "a.docx"))
        text = _text(document)
        embedded = [blip.get(qn("r:embed")) for blip in document.element.body.iter(qn("a:blip"))]
        assert embedded and len(embedded) == len(set(embedded)), "the appendix names a figure that is printed before"
        assert ("ds.03.ratio" in text) == (WORDS["en"]["check"] in text) == (WORDS["en"]["appendix"] in text) == full
        sizes[full] = len(text)
    assert sizes[True] > 2 * sizes[False]


def test_letter_paper(sample, tmp_path: Path) -> None:
    write_word(sample[0], tmp_path / "a.docx", sample[1], "en", letter=True)
    section = Document(str(tmp_path / "a.docx")).sections[0]
    assert [round(section.page_width.inches, 2), round(section.page_height.inches, 2)] == [8.5, 11]
    assert section.page_width - section.left_margin - section.right_margin == pytest.approx(Cm(16.4), rel=0.001)


def test_a_figure_that_cannot_be_drawn_costs_only_itself(sample, tmp_path: Path) -> None:
    checklist = sample[0]
    checklist["items"][0]["evidence"] = [
        {"kind": "figure", "title": "Odd", "figure": "class_counts", "data": {"counts": 5}}
    ]
    write_word(checklist, tmp_path / "a.docx", sample[1], "en")
    assert "could not be drawn" in _text(Document(str(tmp_path / "a.docx")))


def test_a_report_of_24_items_takes_no_time(tmp_path: Path) -> None:
    checklist = findings("en")
    evidence = [e for e in checklist["items"][0]["evidence"] if e["kind"] != "figure" and e["title"] != "Wide"]
    for item in checklist["items"]:
        item["evidence"] = [*evidence[:2], {**evidence[2], "rows": evidence[2]["rows"][:30]}]
    write_word(checklist, tmp_path / "warm.docx", None, "en")
    begin = time.process_time()
    write_word(checklist, tmp_path / "a.docx", None, "en")
    assert time.process_time() - begin < 6  # about 2 s on an idle machine
    assert (tmp_path / "a.docx").stat().st_size < 5_000_000


@pytest.mark.xdist_group("office")
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_libreoffice_shows_every_page(office, tmp_path: Path, lang: str) -> None:
    write_word(findings(lang), tmp_path / "a.docx", write_run(tmp_path / "run"), lang)
    pages = office.pages(tmp_path / "a.docx")
    count = len(pages)
    for number_, page in enumerate(pages, 1):
        words_of_page = "".join(page.split())
        foot = f"第{number_}页，共{count}页" if lang == "zh" else f"Page{number_}of{count}"
        assert foot in words_of_page
    text = "".join("".join(pages).split())
    for item in findings(lang)["items"]:
        if item["conclusion"] in ("problem", "undecided"):
            assert "".join(f"{item['id']} {item['title']}".split()) in text


FRONT = {
    "outcome": {
        "state": "nothing",
        "text": "The loss did not fall below a constant prediction.",
        "suspects": [{"item": "hp.01"}],
    },
    "about": {
        "script": "work/train.py",
        "repeat": "msprec run work/train.py --lr 0.1",
        "mindspore": "2.10.0",
        "steps": 60,
    },
}


@pytest.mark.xdist_group("office")
@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("letter", [False, True], ids=["a4", "letter"])
def test_page_one_answers_five_questions(office, tmp_path: Path, lang: str, letter: bool) -> None:
    """Outcome, worst problem, its place, its fix, the command: found by a reader of the text of page 1."""
    found = {**findings(lang, hostile=False), **FRONT}
    worst = next(item for item in found["items"] if item["id"] == "hp.01")
    long_ = "Some more words follow in the same sentence, and they say with many figures what was seen (1, 2, 3)"
    for item in found["items"]:
        if item["conclusion"] == "problem" or item is worst:
            item.update(
                conclusion="problem", summary=f"{item['id']} is wrong. {long_}.", advice=f"Mend {item['id']}. {long_}."
            )
            item["locations"] = [{"file": "work/train.py", "line": 7}]
    worst["locations"] = [{"file": "work/train.py", "line": 42}]
    write_word(found, tmp_path / "a.docx", write_run(tmp_path / "run"), lang, letter=letter)
    pages = office.pages(tmp_path / "a.docx")
    front = " ".join(pages[0].split())
    for fact in (FRONT["outcome"]["text"], "hp.01 is wrong.", "train.py:42", "Mend hp.01.", FRONT["about"]["repeat"]):
        assert fact in front, fact
    # what may have kept it from learning comes first
    assert front.index("hp.01 is wrong") < front.index("ds.01 is wrong")
    assert WORDS[lang]["form"] in pages[1]
    # the form takes two pages at the most
    assert {number_ for number_, page in enumerate(pages) if PLACEHOLDERS[lang] in page} <= {1, 2}


def test_page_numbers_are_fields(sample, tmp_path: Path) -> None:
    write_word(*_first_two(sample, tmp_path))
    footer = Document(str(tmp_path / "a.docx")).sections[0].footer._element
    assert [i.text.strip() for i in footer.iter(qn("w:instrText"))] == ["PAGE", "NUMPAGES"]


def test_the_empty_form_has_no_run(tmp_path: Path) -> None:
    write_word(blank("zh"), tmp_path / "form.docx")
    text = _text(Document(str(tmp_path / "form.docx")))
    assert text.count("请填写") >= 24
    assert text.count("没有运行记录，尚未检查。") == 2  # on the first page, and where what is open is told
    assert WORDS["zh"]["run"] not in text


def test_figures_are_pictures(sample) -> None:
    run = sample[1]
    for name in ("loss", "loss_scale"):
        png = figures.draw(name, {"steps": True}, run, "zh")
        assert png.startswith(b"\x89PNG")
        assert png == figures.draw(name, {"steps": True}, run, "zh")
    assert figures.draw("loss", {"steps": True}, run / "nowhere", "en") is None
    assert figures.draw("unheard of", {}, run, "en") is None
    many = {"counts": {str(i): i for i in range(1000)}}
    assert figures.draw("class_counts", many, None, "en").startswith(b"\x89PNG")
    channels = {key: [0.0, 1.0] for key in ("mean", "std", "min", "max")}
    assert figures.draw("channels", channels, None, "en").startswith(b"\x89PNG")
    histogram = {"edges": [0, 1, 2], "counts": [3, 4]}
    assert figures.draw("histogram", histogram, None, "en").startswith(b"\x89PNG")


def test_problems_stand_in_the_order_of_effect_then_of_evidence() -> None:
    found = findings("en", hostile=False)
    assert [i["id"] for i in in_order(found, "problem")][:3] == ["ds.01", "dp.01", "dp.05"]
    found["outcome"] = {"suspects": [{"item": "mp.01"}, {"item": "dp.05"}]}
    assert [i["id"] for i in in_order(found, "problem")][:3] == ["mp.01", "dp.05", "ds.01"]
    rows = [["as it is", "", 1.0], ["normalise", "dp.01", 0.5]]
    found["remedies"] = {"conclusion": ["dp.01 gains most."], "evidence": [{"kind": "table", "rows": rows}]}
    assert [i["id"] for i in in_order(found, "problem")][:3] == ["dp.01", "mp.01", "dp.05"]


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_terminal_table(sample, lang: str, width: int) -> None:
    from rich.cells import cell_len
    from rich.console import Console

    checklist = {**sample[0], "lang": lang}
    checklist["items"][0]["summary"] = "3 of 40 samples"
    buffer = io.StringIO()
    print_table(checklist, Console(file=buffer, width=width, highlight=False), "run/checklist.docx")
    shown = buffer.getvalue()
    assert "\x1b" not in shown
    problems = [line for line in shown.splitlines() if line.startswith("✗ ")]
    assert [line.split()[1] for line in problems] == [
        i["id"] for i in checklist["items"] if i["conclusion"] == "problem"
    ]
    assert f"{WORDS[lang]['report']}: run/checklist.docx" in shown
    one_line = [word for word in shown.split("? ", 1)[1].split() if re.fullmatch(r"[a-z]+\.\d\d", word)]
    assert sorted([*one_line, *(line.split()[1] for line in problems)]) == sorted(i["id"] for i in checklist["items"])
    prose = [line for line in shown.splitlines() if "very_long_name" not in line]
    assert max(map(cell_len, prose)) <= width


@pytest.mark.parametrize(
    ("terminal", "no_color", "colours"), [(False, None, False), (True, None, True), (True, "1", False)]
)
def test_colours_on_a_terminal_only(sample, monkeypatch, terminal: bool, no_color, colours: bool) -> None:
    from msprec.cli.common import plain_console

    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    if no_color:
        monkeypatch.setenv("NO_COLOR", no_color)
    stream = io.StringIO()
    stream.isatty = lambda: terminal
    monkeypatch.setattr("sys.stdout", stream)
    print_table(sample[0], plain_console(), "run/checklist.docx")
    shown = stream.getvalue()
    assert bool(re.search(r"\x1b\[[0-9;]*3[0-9]", shown)) == colours
    assert ("\x1b" in shown) <= terminal


@pytest.mark.parametrize(("encoding", "sign"), [("ascii", "x "), ("gbk", "x "), ("utf-8", "✗ "), ("latin-1", "x ")])
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_any_encoding_of_the_terminal(sample, encoding: str, sign: str, lang: str) -> None:
    from rich.console import Console

    checklist = {**sample[0], "lang": lang}
    checklist["items"][4]["conflict"] = "in conflict"
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding)
    print_table(checklist, Console(file=stream, width=80, highlight=False), "run/checklist.docx")
    stream.flush()
    shown = raw.getvalue().decode(encoding)
    assert sum(line.startswith(sign) for line in shown.splitlines()) == 6
    assert ("发现" in shown or "请填写" in shown) == (lang == "zh" and encoding in ("gbk", "utf-8"))


@pytest.mark.parametrize("encoding", ["ascii", "gbk"])
def test_a_terminal_without_the_signs(tmp_path: Path, encoding: str) -> None:
    """As a process of its own: no traceback, and no escape sequence into a pipe."""
    run = write_run(tmp_path / "run")
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "LC_ALL": "zh_CN.UTF-8", "FORCE_COLOR": ""}
    command = [sys.executable, "-m", "msprec", "checklist", "--run", str(run)]
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert b"\x1b" not in done.stdout + done.stderr and b"Traceback" not in done.stderr
    assert ("待人工" in done.stdout.decode(encoding) or "请填写" in done.stdout.decode(encoding)) == (encoding == "gbk")
    done = subprocess.run([*command, "--markdown", "-"], env=environment, capture_output=True, check=False)
    assert done.stdout.decode("utf-8").startswith("# MindSpore")


def test_words_match_in_both_languages() -> None:
    assert WORDS["zh"].keys() == WORDS["en"].keys()
    for key in WORDS["en"]:
        assert set(re.findall(r"{(\w+)}", WORDS["zh"][key])) == set(re.findall(r"{(\w+)}", WORDS["en"][key])), key


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (3.0, "3"),
        (0.30514, "0.3051"),
        (1e-9, "1e-09"),
        (float("nan"), "nan"),
        (None, ""),
        (True, "True"),
        ("x", "x"),
        (float("inf"), "inf"),
    ],
)
def test_numbers(value, shown: str) -> None:
    assert number(value) == shown


@pytest.mark.parametrize(("name", "lang"), [("zh_CN.UTF-8", "zh"), ("en_US.UTF-8", "en"), ("C", "en")])
def test_language_of_the_locale(monkeypatch, name: str, lang: str) -> None:
    monkeypatch.setenv("LC_ALL", name)
    assert default_lang() == lang
