"""The findings as HTML in a real browser, as JUnit's XML, as Markdown; hostile text stays text in each."""

import base64
import csv
import io
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree, html
from reports import HOSTILE, findings, write_run

from msprec.cli import main
from msprec.report.html import write_html
from msprec.report.junit import as_junit
from msprec.report.markdown import MOST_CHARACTERS, as_markdown
from msprec.report.strings import CONCLUSIONS

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
EVIL = "<script>document.title='evil'</script><img src=x onerror=alert(1)> ]]> & \" ' `x` @someone #1 | **b** </pre></details>"


@pytest.fixture
def page(tmp_path: Path) -> Path:
    found = findings("en")
    for item in found["items"]:
        item["summary"] += EVIL
        item["comment"] = EVIL
    found["items"][0]["title"] += EVIL
    found["items"][0]["evidence"][1]["code"] += EVIL
    found["items"][0]["evidence"][2]["rows"][0] = [EVIL, EVIL]
    found["items"][1].update(answered_by="person", by_evidence="problem", conflict=EVIL)
    found["remarks"] = EVIL
    write_html(found, tmp_path / "p.html", write_run(tmp_path / "run"), "en")
    return tmp_path / "p.html"


def browse(page: Path, script: str = "") -> html.HtmlElement:
    """The page after the browser has run it, with a script of the test's at its end."""
    if BROWSER is None:
        pytest.skip("no browser")
    changed = page.with_name("browsed.html")
    changed.write_text(page.read_text(encoding="utf-8") + f"<script>{script}</script>", encoding="utf-8")
    done = subprocess.run(
        [
            BROWSER,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            f"--user-data-dir={page.parent / 'profile'}",
            "--dump-dom",
            changed.as_uri(),
        ],
        capture_output=True,
        timeout=120,
        check=True,
    )
    return html.fromstring(done.stdout.decode("utf-8"))


def test_the_page_needs_nothing_from_elsewhere(page: Path) -> None:
    root = html.fromstring(page.read_text(encoding="utf-8"))
    for node in root.iter():
        for name in ("src", "href", "action", "data", "srcset", "poster"):
            value = node.get(name) if isinstance(node.tag, str) else None
            assert value is None or value.startswith(("#", "data:image/png;base64,", "data:text/csv;base64,")), value
    assert "default-src 'none'" in root.xpath("//meta[@http-equiv]")[0].get("content")
    assert not root.xpath("//link | //iframe | //object | //embed") and len(root.xpath("//script")) == 1
    assert "@import" not in page.read_text(encoding="utf-8") and "url(" not in page.read_text(encoding="utf-8")
    assert page.stat().st_size < 5_000_000


def test_every_item_is_there_and_linked(page: Path) -> None:
    root = html.fromstring(page.read_text(encoding="utf-8"))
    ids = {node.get("id") for node in root.xpath("//*[@id]")}
    assert {link.get("href")[1:] for link in root.xpath("//a[starts-with(@href,'#')]")} <= ids
    assert len(root.xpath("//section")) == 24 and len(root.xpath("//img[@alt]")) == len(root.xpath("//img")) == 5
    assert root.text_content().count(EVIL.replace("\n", "")) >= 24 * 3
    link = root.xpath("//a[@download]")[0].get("href")
    rows = list(csv.reader(io.StringIO(base64.b64decode(link.split(",")[1]).decode("utf-8-sig"), newline="")))
    assert len(rows) == 10001


@pytest.mark.xdist_group("browser")
def test_a_browser_sorts_folds_and_runs_nothing_foreign(page: Path) -> None:
    root = browse(
        page,
        "document.querySelectorAll('table.sortable th button')[1].click();"
        "document.body.dataset.folded=document.querySelectorAll('details:not([open])').length;"
        "document.getElementById('all').click();"
        "document.body.dataset.after=document.querySelectorAll('details:not([open])').length;",
    )
    assert root.xpath("//title")[0].text == "MindSpore accuracy checklist"
    names = list(CONCLUSIONS["en"].values())
    shown = [cell.text_content().split(" ", 1)[1] for cell in root.xpath("//table[@class='sortable']/tbody/tr/td[2]")]
    order = [
        next(i for i, name in enumerate((names[0], names[3], names[1], names[2])) if text.startswith(name))
        for text in shown
    ]
    assert order == sorted(order) and len(order) == 24
    assert root.xpath("//table[@class='sortable']//th[2]")[0].get("aria-sort") == "ascending"
    body = root.xpath("//body")[0]
    assert int(body.get("data-folded")) > 10 and body.get("data-after") == "0"


@pytest.mark.xdist_group("browser")
def test_a_browser_filters_by_conclusion_and_follows_a_line(tmp_path: Path) -> None:
    found = findings("en", hostile=False)
    found["items"][0]["locations"] = [{"file": "train.py", "line": 10}]
    found["outcome"] = {"state": "nothing", "text": "It learnt nothing.", "suspects": []}
    write_html(found, tmp_path / "p.html", write_run(tmp_path / "run"), "en")
    root = browse(
        tmp_path / "p.html",
        "const visible = () => [...document.querySelectorAll('section')].filter(part => !part.hidden).length;"
        "document.body.dataset.all=visible();"
        "for (const kind of ['ok','not_applicable','undecided'])"
        "  document.querySelector(`.filter input[value=${kind}]`).click();"
        "document.body.dataset.few=visible();"
        "document.querySelectorAll('details').forEach(part => { part.open = false; });"
        "location.hash=document.querySelector('table.front a code').parentElement.getAttribute('href'); show();"
        "document.body.dataset.line=document.querySelector(':target').textContent;"
        "document.body.dataset.open=document.querySelector(':target').closest('details').open;",
    )
    body = root.xpath("//body")[0]
    assert (body.get("data-all"), body.get("data-few")) == ("24", "6")
    assert "return '中文'" in body.get("data-line") and body.get("data-open") == "true"
    assert "prefers-color-scheme:dark" in root.xpath("//style")[0].text


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_every_form_begins_with_what_matters(tmp_path: Path, lang: str) -> None:
    """Outcome, worst problem, place, fix and command within the first screen of the page, of Markdown and of the terminal."""
    found = findings(lang, hostile=False)
    found["outcome"] = {"state": "nothing", "text": "It learnt nothing.", "suspects": [{"item": "hp.01"}]}
    found["about"] = {"script": "train.py", "repeat": "msprec run train.py --lr 0.1", "steps": 60}
    worst = next(item for item in found["items"] if item["id"] == "hp.01")
    worst.update(conclusion="problem", summary="The rate is wrong.", advice="Take 0.01.")
    worst["locations"] = [{"file": "train.py", "line": 42}]
    write_html(found, tmp_path / "p.html", write_run(tmp_path / "run"), lang)
    page = html.fromstring((tmp_path / "p.html").read_text(encoding="utf-8"))
    front = page.text_content().split("id=summary")[0]
    for text in (front, "\n".join(as_markdown(found).split("\n")[:24])):
        facts = (
            "It learnt nothing.",
            "The rate is wrong.",
            "train.py:42",
            "Take 0.01.",
            "msprec run train.py --lr 0.1",
        )
        assert [fact for fact in facts if fact not in text.replace("\\", "")] == []
        assert text.index("hp.01") < text.index("ds.01")
    assert as_junit(found).index("hp.01") < as_junit(found).index("ds.01")


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_junit(lang: str) -> None:
    found = findings(lang)
    found["items"][0]["summary"], found["items"][0]["title"] = HOSTILE + EVIL, EVIL
    root = etree.fromstring(as_junit(found).encode("utf-8"))
    suite = root[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped"), suite.get("errors")) == (
        "24",
        "6",
        "12",
        "0",
    )
    cases = suite.findall("testcase")
    kinds = [i["conclusion"] for i in found["items"]]
    rest = [kind for kind in kinds if kind in ("ok", "not_applicable")]
    assert [len(case) for case in cases] == [1] * 12 + [int(kind != "ok") for kind in rest]
    failure = cases[0].find("failure")
    assert "<script>" in failure.text and "very_long_name" in failure.text
    assert CONCLUSIONS[lang]["problem"] in failure.get("message")


def test_markdown_holds_no_mention_tag_or_broken_table() -> None:
    found = findings("en")
    found["items"][0]["summary"] = found["items"][4]["summary"] = EVIL + "\nnext"
    found["items"][0]["evidence"][1]["code"] += "\n````\n"
    text = as_markdown(found)
    outside = re.sub(r"(?ms)^(`{3,}).*?^\1$", "", text)
    assert "<script" not in outside and "<img" not in outside
    assert not re.search(r"[@#]\w", re.sub(r"`[^`\n]*`", "", outside).replace("@<!-- -->", "").replace("#<!-- -->", ""))
    table = [line for line in text.split("(12)</summary>")[1].split("\n") if line.startswith("|")]
    assert len(table) == 14 and {len(re.findall(r"(?<!\\)\|", line)) for line in table} == {4}
    assert "`````python" in text
    assert outside.count("<details>") == outside.count("</details>")


def test_markdown_is_never_too_long() -> None:
    found = findings("en")
    for item in found["items"]:
        item["conclusion"] = "problem"
        item["evidence"] = [{"kind": "text", "title": "T", "text": "word " * 4000}]
    text = as_markdown(found)
    assert len(text) <= MOST_CHARACTERS and "<details>" in text
    for item in found["items"]:
        item["summary"] = "x" * 100_000
    assert len(as_markdown(found)) <= MOST_CHARACTERS


@settings(max_examples=30, deadline=None)
@given(st.text(max_size=80))
def test_any_text_is_held(text: str) -> None:
    found = findings("en", hostile=False)
    found["items"] = found["items"][3:5]
    for item in found["items"]:
        item.update(summary=text, title=text, comment=text, conclusion="problem")
    etree.fromstring(as_junit(found).encode("utf-8"))
    as_markdown(found).encode("utf-8")


def test_on_the_command_line(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run")
    files = {kind: tmp_path / f"r.{kind}" for kind in ("html", "junit", "markdown", "json")}
    options = [part for kind, file in files.items() for part in (f"--{kind}", str(file))]
    done = CliRunner().invoke(main, ["checklist", "--run", str(run), "--lang", "zh", *options])
    assert done.exit_code == 0, done.output
    assert "检查报告" in files["html"].read_text(encoding="utf-8") and json.loads(
        files["json"].read_text(encoding="utf-8")
    )
    etree.parse(str(files["junit"]))
    assert files["markdown"].read_text(encoding="utf-8").startswith("# MindSpore")
    printed = CliRunner().invoke(main, ["checklist", "--run", str(run), "--junit", "-"]).stdout
    etree.fromstring(printed.encode("utf-8"))
    assert CliRunner().invoke(main, ["checklist", "--run", str(run), "--junit", "-", "--json", "-"]).exit_code == 2
    assert (
        CliRunner().invoke(main, ["checklist", "--run", str(run), "--html", str(tmp_path / "no" / "x.html")]).exit_code
        == 2
    )
