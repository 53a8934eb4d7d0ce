"""The form in the Word report: filled in by a person, saved by a word processor, read back, never losing a word."""

import copy
import io
import json
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner
from docx import Document
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reports import findings, write_run

from msprec.cli import main
from msprec.report.answer_merge import merge, pictures
from msprec.report.form_reader import FormError, read_form, state_fingerprint
from msprec.report.plain_text import clean
from msprec.report.strings import CONCLUSIONS, PLACEHOLDERS
from msprec.report.update import update_report
from msprec.report.word import write_word

OLD = Path(__file__).with_name("old_form")
IDS = [item["id"] for item in findings()["items"]]


@pytest.fixture
def report(tmp_path: Path) -> Path:
    """A report without figures: quick to write."""
    path = tmp_path / "report.docx"
    write_word(plain_findings(), path, None, "en")
    return path


def plain_findings(lang: str = "en") -> dict:
    found = findings(lang)
    found["items"][0]["evidence"] = found["items"][0]["evidence"][:2]
    return found


def control(document, kind: str, item: str):
    tag = f"msprec:{kind}:{item}"
    return next(t for t in document.element.body.iter(qn("w:tag")) if t.get(qn("w:val")) == tag).getparent().getparent()


def fill(document, kind: str, item: str, text: str) -> None:
    """As Word does: one run in the control, the hint's mark gone."""
    found = control(document, kind, item)
    content, hint = found.find(qn("w:sdtContent")), found.find(qn("w:sdtPr")).find(qn("w:showingPlcHdr"))
    if hint is not None:
        hint.getparent().remove(hint)
    for child in list(content):
        content.remove(child)
    paragraph = document.add_paragraph()
    content.append(paragraph.add_run(text)._r)
    paragraph._p.getparent().remove(paragraph._p)


def heading_of(document, item: str):
    return next(p for p in document.paragraphs if p.style.name == "Heading 2" and p.text.startswith(item))


def edited(report: Path, *edits) -> Path:
    document = Document(str(report))
    for edit in edits:
        fill(document, *edit)
    out = report.with_name("edited.docx")
    document.save(str(out))
    return out


# --- what is written ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_every_conclusion_is_a_drop_down_with_the_verdict_and_a_comment_beside_it(tmp_path: Path, lang: str) -> None:
    found = plain_findings(lang)
    write_word(found, tmp_path / "r.docx", None, lang)
    document = Document(str(tmp_path / "r.docx"))
    for item in found["items"]:
        choice = control(document, "choice", item["id"])
        entries = choice.find(qn("w:sdtPr")).find(qn("w:dropDownList")).findall(qn("w:listItem"))
        assert [e.get(qn("w:displayText")) for e in entries] == list(CONCLUSIONS[lang].values())
        shown = "".join(t.text for t in choice.iter(qn("w:t")))
        assert shown == CONCLUSIONS[lang][item["conclusion"]]
        comment = control(document, "comment", item["id"])
        assert next(comment.iter(qn("w:t"))).text == PLACEHOLDERS[lang]
        row = next(choice_row for choice_row in control(document, "choice", item["id"]).iterancestors(qn("w:tr")))
        assert row is next(comment.iterancestors(qn("w:tr")))
        framed = next(comment.iterancestors(qn("w:tc"))).tcPr.find(qn("w:tcBorders")) is not None
        assert framed == (item["conclusion"] == "undecided")
    numbers = [n.get(qn("w:val")) for n in document.element.body.iter(qn("w:id")) if n.getparent().tag == qn("w:sdtPr")]
    assert len(numbers) == len(set(numbers)) == 24 * 2 + 1


def test_the_order_of_properties_is_the_schema_s(tmp_path: Path) -> None:
    write_word(findings(), tmp_path / "r.docx", write_run(tmp_path / "run"), "zh")
    order = {
        "pPr": "pStyle keepNext keepLines pageBreakBefore framePr widowControl numPr suppressLineNumbers pBdr shd tabs "
        "suppressAutoHyphens kinsoku wordWrap overflowPunct topLinePunct autoSpaceDE autoSpaceDN bidi adjustRightInd "
        "snapToGrid spacing ind contextualSpacing mirrorIndents suppressOverlap jc textDirection textAlignment "
        "textboxTightWrap outlineLvl divId cnfStyle rPr sectPr pPrChange",
        "tcPr": "cnfStyle tcW gridSpan hMerge vMerge tcBorders shd noWrap tcMar textDirection tcFitText vAlign hideMark",
        "sdtPr": "rPr alias tag id lock placeholder temporary showingPlcHdr dataBinding label tabIndex dropDownList richText",
        "rPr": "rStyle rFonts b bCs i iCs caps smallCaps strike dstrike outline shadow emboss imprint noProof snapToGrid vanish "
        "webHidden color spacing w kern position sz szCs highlight u effect bdr shd fitText vertAlign rtl cs em lang",
        "sectPr": "headerReference footerReference footnotePr endnotePr type pgSz pgMar paperSrc pgBorders lnNumType pgNumType "
        "cols formProt vAlign noEndnote titlePg textDirection bidi rtlGutter docGrid",
    }
    document = Document(str(tmp_path / "r.docx"))
    for name, known in order.items():
        places = {qn(f"w:{child}"): i for i, child in enumerate(known.split())}
        for node in document.element.body.iter(qn(f"w:{name}")):
            ranks = [places[child.tag] for child in node]
            assert ranks == sorted(ranks), (name, [child.tag.split("}")[1] for child in node])


# --- reading back ---------------------------------------------------------------------------------------------------
def test_an_untouched_report_holds_no_answers(report: Path) -> None:
    form = read_form(report)
    assert form.whole and form.lang == "en"
    for item in plain_findings()["items"]:
        entry = form.items[item["id"]]
        assert entry[:5] == (item["conclusion"], None, item["conclusion"], "tool", item["conclusion"])
        assert (entry.comment, entry.typed, entry.pictures) == ("", [], [])
    assert merge(plain_findings(), form, "en") == plain_findings()


def test_choices_and_comments_come_back_as_a_person_s(report: Path) -> None:
    path = edited(
        report,
        ("choice", "ds.02", "No problem"),
        ("choice", "ds.04", "Not applicable"),
        ("comment", "ds.04", "no standard set\nsee the wiki"),
        ("choice", "dp.04", "Problem found"),
        ("comment", "general", "all in all fine"),
    )
    merged = merge(plain_findings(), read_form(path), "en")
    items = {item["id"]: item for item in merged["items"]}
    assert (items["ds.04"]["conclusion"], items["ds.04"]["answered_by"]) == ("not_applicable", "person")
    assert items["ds.04"]["comment"] == "no standard set\nsee the wiki"
    assert items["dp.04"]["conclusion"] == "problem"
    assert items["ds.03"]["answered_by"] == "tool"
    assert items["ds.02"] == {**plain_findings()["items"][1]}
    assert merged["remarks"] == "all in all fine"


def test_a_conflict_is_shown_and_the_answer_kept(report: Path, tmp_path: Path) -> None:
    path = edited(report, ("choice", "ds.04", "No problem"), ("choice", "ds.01", "Not applicable"))
    later = plain_findings()
    later["items"][3]["conclusion"] = "problem"
    merged, backup = update_report(later, read_form(path), path, None, None, "en")
    ds01, ds04 = merged["items"][0], merged["items"][3]
    assert (ds04["conclusion"], ds04["by_evidence"], ds04["answered_by"]) == ("ok", "problem", "person")
    assert "new evidence" in ds04["conflict"] and "Problem found" in ds04["conflict"]
    assert "new evidence" not in ds01["conflict"] and ds01["conclusion"] == "not_applicable"
    text = "\n".join(t.text or "" for t in Document(str(path)).element.body.iter(qn("w:t")))
    assert text.count(ds04["conflict"]) == 1
    assert backup.name == "edited.before-update-1.docx"
    assert read_form(backup).items["ds.04"].chosen == "ok"
    # the answer lasts through further updates, whatever the evidence does
    again = merge(plain_findings(), read_form(path), "en")
    assert again["items"][3]["conclusion"] == "ok" and again["items"][3]["answered_by"] == "person"
    assert "conflict" not in again["items"][3]


def test_handing_an_item_back(report: Path) -> None:
    path = edited(report, ("choice", "ds.04", "No problem"))
    update_report(plain_findings(), read_form(path), path, None, None, "en")
    path = edited(path, ("choice", "ds.04", "To be filled in"), ("choice", "ds.01", "To be filled in"))
    merged = merge(plain_findings(), read_form(path), "en")
    assert merged["items"][3]["answered_by"] == "tool"
    assert merged["items"][0]["conclusion"] == "problem" and "Problem found" in merged["items"][0]["conflict"]


# --- reports of the old form: a summary with drop-downs of its own, and fields in each item's section -------------------
def test_two_different_choices_in_an_old_report_are_both_kept(tmp_path: Path) -> None:
    document = Document(str(OLD / "report_en.docx"))
    fill(document, "choice", "ds.04", "No problem")
    fill(document, "summary", "ds.04", "Problem found")
    document.save(str(tmp_path / "old.docx"))
    item = merge(plain_findings(), read_form(tmp_path / "old.docx"), "en")["items"][3]
    assert item["conclusion"] == "ok" and "Problem found" in item["comment"]


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("gone", [{}, {"tags": True}, {"tags": True, "bookmarks": True}, {"state": True}])
def test_answers_in_an_old_report_survive_an_update(tmp_path: Path, lang: str, gone: dict) -> None:
    path = tmp_path / "old.docx"
    path.write_bytes((OLD / f"report_{lang}.docx").read_bytes())
    path = strip(path, **gone) if gone else path
    for turn in range(2):
        form = read_form(path)
        assert form.lang == lang
        merged, _ = update_report(plain_findings(lang), form, path, None, None, lang)
        items = {item["id"]: item for item in merged["items"]}
        assert items["ds.04"]["conclusion"] == "ok", turn
        assert items["ds.04"]["comment"].startswith("no standard data set")
        assert items["mp.01"]["comment"] == "asked Han Meimei" and "all in all fine" in merged["remarks"]
        if not gone:
            assert items["dp.04"]["conclusion"] == "problem"  # chosen in the summary, which had tags of its own
            assert "typed under ds.02" in items["ds.02"]["comment"]
        if "state" not in gone:
            assert items["dp.01"]["answered_by"] == "tool" and "comment" not in items["dp.01"]


def test_words_typed_anywhere_are_kept(report: Path) -> None:
    document = Document(str(report))
    heading = heading_of(document, "dp.01")
    new = document.add_paragraph("typed under dp.01")
    heading._p.addnext(new._p)
    reason = next(p for p in document.paragraphs if p.text == "Reason 8")
    reason.add_run(" and more")
    document.tables[0].rows[1].cells[2].paragraphs[0].add_run(" on the first page")
    document.sections[0].header.paragraphs[0].add_run(" draft 7")
    choice = control(document, "choice", "ds.04")
    choice.addnext(copy.deepcopy(document.add_paragraph("ask Han").runs[0]._r))
    document.paragraphs[-1]._p.getparent().remove(document.paragraphs[-1]._p)
    document.save(str(report))
    form = read_form(report)
    assert form.items["dp.01"].typed == ["typed under dp.01"]
    assert form.items["dp.05"].typed == ["Reason 8 and more"]
    assert any("on the first page" in t for t in form.general.typed) and any("draft 7" in t for t in form.general.typed)
    assert form.items["ds.04"].typed == ["To be filled inask Han"]
    update_report(plain_findings(), form, report, None, None, "en")
    second = read_form(report)
    assert "typed under dp.01" in second.items["dp.01"].comment and second.items["dp.01"].typed == []
    assert "draft 7" in second.general.comment
    third = merge(plain_findings(), second, "en")
    assert third["items"][4]["comment"] == second.items["dp.01"].comment


def test_pictures_that_were_pasted_are_kept(report: Path) -> None:
    from PIL import Image

    buffer = io.BytesIO()
    Image.new("RGB", (8, 8), "red").save(buffer, "PNG")
    document = Document(str(report))
    heading = heading_of(document, "dp.01")
    paragraph = document.add_paragraph()
    paragraph.add_run().add_picture(io.BytesIO(buffer.getvalue()))
    heading._p.addnext(paragraph._p)
    document.save(str(report))
    for _ in range(2):
        form = read_form(report)
        assert [data for data, _ in pictures(form)["dp.01"]] == [buffer.getvalue()]
        update_report(plain_findings(), form, report, None, None, "en")


def test_deleted_text_and_tracked_changes(report: Path) -> None:
    document = Document(str(report))
    reason = next(p for p in document.paragraphs if p.text == "Reason 8")
    deleted = OxmlElement("w:del")
    text = OxmlElement("w:delText")
    text.text = "gone"
    run = OxmlElement("w:r")
    run.append(text)
    deleted.append(run)
    inserted = OxmlElement("w:ins")
    inserted.append(copy.deepcopy(reason.runs[0]._r))
    reason._p.append(deleted)
    reason._p.append(inserted)
    document.save(str(report))
    assert read_form(report).items["dp.05"].typed == ["Reason 8Reason 8"]


def strip(report: Path, *, tags=False, bookmarks=False, state=False) -> Path:
    """The report as a word processor leaves it that keeps less."""
    out = report.with_name("stripped.docx")
    with zipfile.ZipFile(report) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "word/document.xml":
                from lxml import etree

                root = etree.fromstring(data)
                doomed = [
                    f"w:{n}"
                    for n, gone in (("tag", tags), ("bookmarkStart", bookmarks), ("bookmarkEnd", bookmarks))
                    if gone
                ]
                for node in [n for tag in doomed for n in root.iter(qn(tag))]:
                    node.getparent().remove(node)
                data = etree.tostring(root)
            if not (state and name == "customXml/item9.xml"):
                new.writestr(name, data)
    return out


@pytest.mark.parametrize(
    "gone",
    [
        {"tags": True},
        {"tags": True, "bookmarks": True},
        {"state": True},
        {"tags": True, "bookmarks": True, "state": True},
    ],
)
def test_fields_are_found_whatever_is_dropped(report: Path, gone: dict) -> None:
    path = strip(edited(report, ("choice", "ds.04", "No problem"), ("comment", "mp.04", "mine")), **gone)
    form = read_form(path)
    assert form.whole is not gone.get("state", False)
    merged = merge(plain_findings(), form, "en")
    assert (merged["items"][3]["conclusion"], merged["items"][3]["answered_by"]) == ("ok", "person")
    assert merged["items"][23]["comment"] == "mine"
    assert [i["id"] for i in merged["items"] if i["answered_by"] == "person"] == ["ds.04"]


def test_what_is_no_report_is_one_line(tmp_path: Path) -> None:
    Document().save(str(tmp_path / "other.docx"))
    (tmp_path / "torn.docx").write_bytes(b"PK\x03\x04nothing")
    (tmp_path / "text.docx").write_text("hello")
    run = write_run(tmp_path / "run")
    for name in ("other.docx", "torn.docx", "text.docx", "missing.docx"):
        with pytest.raises(FormError):
            read_form(tmp_path / name)
        done = CliRunner().invoke(main, ["checklist", "--run", str(run), "--update", str(tmp_path / name)])
        assert done.exit_code == 2 and done.output.count("\n") == 1


def rewritten(report: Path, change, renamed=None) -> Path:
    """The report with ``change(name, bytes)`` in the place of each part, and parts under other names."""
    out = report.with_name("rewritten.docx")
    with zipfile.ZipFile(report) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            new.writestr((renamed or {}).get(name, name), change(name, old.read(name)))
    return out


def refused(path: Path) -> str:
    """The one line that says why a report is not read; the file is as it was."""
    before = path.read_bytes()
    run = path.parent / "run_of_refused"
    if not run.exists():
        write_run(run)
    done = CliRunner().invoke(main, ["checklist", "--run", str(run), "--update", str(path)])
    assert done.exit_code == 2 and done.output.count("\n") == 1 and "Traceback" not in done.output
    assert path.read_bytes() == before
    return done.output


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
def test_a_truncated_report(report: Path, share: float) -> None:
    whole = report.read_bytes()
    report.write_bytes(whole[: int(len(whole) * share)])
    assert "Word document" in refused(report)


def test_a_report_whose_text_is_torn_inside(report: Path) -> None:
    torn = rewritten(report, lambda name, data: data[: len(data) // 2] if name == "word/document.xml" else data)
    assert "damaged" in refused(torn)
    emptied = rewritten(report, lambda name, data: b"" if name == "word/document.xml" else data)
    assert "damaged" in refused(emptied)


def test_strict_open_xml_is_told(report: Path) -> None:
    old, new = (
        b"http://schemas.openxmlformats.org/wordprocessingml/2006/main",
        b"http://purl.oclc.org/ooxml/wordprocessingml/main",
    )
    assert "Strict" in refused(rewritten(report, lambda name, data: data.replace(old, new)))


def test_the_text_under_another_name(report: Path) -> None:
    """Word on the web calls it document2.xml."""
    path = edited(report, ("choice", "ds.04", "No problem"))
    document = Document(str(path))
    document.save(str(path))
    names = {"word/document.xml": "word/document2.xml", "word/_rels/document.xml.rels": "word/_rels/document2.xml.rels"}

    def change(name: str, data: bytes) -> bytes:
        return (
            data.replace(b"word/document.xml", b"word/document2.xml")
            if name.endswith((".rels", "Types].xml"))
            else data
        )

    form = read_form(rewritten(path, change, names))
    assert form.items["ds.04"].chosen == "ok" and form.whole


def test_a_form_of_another_version(report: Path) -> None:
    """Items that this version does not know, and a conclusion that it does not offer: not a word is lost."""
    document = Document(str(report))
    fill(document, "choice", "ds.04", "No problem")
    fill(document, "choice", "mp.04", "Known and accepted")
    fill(document, "comment", "dp.01", "of a future item")
    fill(document, "choice", "dp.01", "Not applicable")
    heading = heading_of(document, "dp.01")
    heading._p.addnext(document.add_paragraph("typed below it")._p)
    document.save(str(report))

    def change(name: str, data: bytes) -> bytes:
        for old, new in (
            (b"msprec:choice:dp.01", b"msprec:choice:ds.77"),
            (b"msprec:comment:dp.01", b"msprec:comment:ds.77"),
            (b"choice_dp_01", b"choice_ds_77"),
            (b"comment_dp_01", b"comment_ds_77"),
            (b">dp.01 ", b">ds.77 "),
            (b'id="dp.01"', b'id="ds.77"'),
        ):
            data = data.replace(old, new) if name.endswith(".xml") else data
        return data

    path = rewritten(report, change)
    form = read_form(path)
    merged, _ = update_report(plain_findings(), form, path, None, None, "en")
    remarks = merged["remarks"]
    assert "[ds.77]" in remarks and "of a future item" in remarks and "Not applicable" in remarks
    assert "typed below it" in remarks
    items = {item["id"]: item for item in merged["items"]}
    assert items["ds.04"]["conclusion"] == "ok" and "Known and accepted" in items["mp.04"]["comment"]
    assert items["dp.01"]["answered_by"] == "tool"
    again = read_form(path)
    assert "of a future item" in again.general.comment


@pytest.mark.parametrize("doomed", ["w:sdt", "w:tr", "w:tbl"])
def test_an_answer_outlives_its_deleted_field(report: Path, doomed: str) -> None:
    """Answered in one round; in the next the person deletes the field with all around it."""
    path = edited(report, ("choice", "ds.04", "No problem"), ("comment", "ds.04", "asked the owner"))
    update_report(plain_findings(), read_form(path), path, None, None, "en")
    document = Document(str(path))
    content = control(document, "choice", "ds.04").find(qn("w:sdtContent"))
    gone = next(content.iterancestors(qn(doomed)))
    gone.getparent().remove(gone)
    document.save(str(path))
    merged = merge(plain_findings(), read_form(path), "en")
    assert (merged["items"][3]["conclusion"], merged["items"][3]["answered_by"]) == ("ok", "person")


def test_a_control_that_was_turned_into_text(report: Path) -> None:
    """ "Remove content control" leaves the words; so does typing over the whole cell."""
    document = Document(str(report))
    for item, words in (("ds.04", "No problem"), ("dp.04", "No problem, says Li")):
        found = control(document, "choice", item)
        cell = next(found.iterancestors(qn("w:tc")))
        found.getparent().remove(found)
        cell.findall(qn("w:p"))[-1].append(document.add_paragraph(words).runs[0]._r)
        document.paragraphs[-1]._p.getparent().remove(document.paragraphs[-1]._p)
    document.save(str(report))
    merged = {item["id"]: item for item in merge(plain_findings(), read_form(report), "en")["items"]}
    assert merged["ds.04"]["conclusion"] == merged["dp.04"]["conclusion"] == "ok"
    assert "says Li" in merged["dp.04"]["comment"]


texts = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=60)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(comment=texts, choice=st.sampled_from(list(CONCLUSIONS["en"].values())), loose=texts)
def test_any_words_survive_two_updates(report: Path, comment: str, choice: str, loose: str) -> None:
    comment, loose = clean(comment), clean(loose)
    write_word(few(None), report, None, "en")
    document = Document(str(report))
    fill(document, "comment", "dp.01", comment)
    fill(document, "choice", "dp.01", choice)
    heading = heading_of(document, "dp.01")
    new = document.add_paragraph(loose)
    heading._p.addnext(new._p)
    path = report.with_name("typed.docx")
    document.save(str(path))
    ours = {state_fingerprint(p.text) for p in Document(str(report)).paragraphs}
    for _ in range(2):
        form = read_form(path)
        merged, _ = update_report(few(form), form, path, path.with_name("next.docx"), None, "en")
        path = path.with_name("next.docx")
        path.with_name("next.before-update-1.docx").unlink(missing_ok=True)
        kept = "".join(next(i for i in merged["items"] if i["id"] == "dp.01").get("comment", "").split())
        assert "".join(comment.split()) in kept
        assert "".join(loose.split()) in kept or state_fingerprint(loose) in ours


def few(form) -> dict:
    """Findings small enough to be written many times."""
    found = plain_findings()
    return {**found, "items": [{**i, "evidence": []} for i in found["items"] if i["id"] == "dp.01"]}


# --- the command ----------------------------------------------------------------------------------------------------
def test_update_on_the_command_line(tmp_path: Path) -> None:
    run, report = write_run(tmp_path / "run"), tmp_path / "r.docx"
    call = CliRunner().invoke
    assert call(main, ["checklist", "--run", str(run), "--lang", "zh", "--out", str(report)]).exit_code == 0
    path = edited(report, ("choice", "ds.01", "无问题"), ("comment", "ds.01", "看过了"))
    done = call(main, ["checklist", "--run", str(run), "--update", str(path), "--json", str(tmp_path / "f.json")])
    assert done.exit_code == 0, done.output
    first = json.loads((tmp_path / "f.json").read_text(encoding="utf-8"))
    assert first["lang"] == "zh" and first["items"][0]["answered_by"] == "person"
    assert first["items"][0]["comment"] == "看过了"
    assert ("⚠ ds.01" in done.output) == ("conflict" in first["items"][0])
    assert (tmp_path / "edited.before-update-1.docx").is_file()
    out = tmp_path / "new.docx"
    assert (
        call(main, ["checklist", "--run", str(run), "--update", str(path), "--out", str(out), "--lang", "en"]).exit_code
        == 0
    )
    assert read_form(out).items["ds.01"].chosen == "ok" and read_form(out).lang == "en"
    assert call(main, ["checklist", "--blank", "--update", str(path), "--out", str(out)]).exit_code == 2


# --- a real word processor ------------------------------------------------------------------------------------------
@pytest.mark.xdist_group("office")
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_typed_in_libreoffice_saved_and_read_back(office, tmp_path: Path, lang: str) -> None:
    path, saved = tmp_path / "r.docx", tmp_path / "saved.docx"
    write_word(findings(lang), path, write_run(tmp_path / "run"), lang)
    names, words = CONCLUSIONS[lang], "已核对 50 samples，ok 🚀 שלום"
    head = {"zh": "修改方法", "en": "How to fix it"}[lang]
    office.edit(
        path,
        saved,
        [
            ["choose", "choice_ds_04", names["ok"]],
            ["control", "comment_ds_04", words],
            ["choose", "choice_hp_03", names["problem"]],
            ["type", "comment_ds_03", "two lines 两行\nsecond line"],
            ["paragraph", head, "a paragraph of my own 自己的话"],
            *([["annotate", head, "a note in the margin"]] if office.shows_comments else []),
            ["control", "comment_general", "remarks 总评"],
        ],
    )
    form = read_form(saved)
    assert form.whole and form.lang == lang
    assert (form.items["ds.04"].chosen, form.items["ds.04"].comment) == ("ok", words)
    assert form.items["hp.03"].chosen == "problem"
    assert form.items["ds.03"].comment == "two lines 两行\nsecond line"
    note = ["Li Lei: a note in the margin"] if office.shows_comments else []
    assert sorted(form.items["ds.01"].typed) == [*note, "a paragraph of my own 自己的话"]
    assert form.general.comment == "remarks 总评"
    untouched = [e for i, e in form.items.items() if i not in ("ds.01", "ds.03", "ds.04", "hp.03")]
    assert all(e.chosen == e.shown and not (e.comment or e.typed or e.pictures or e.other) for e in untouched)
    # and once more around: what msprec writes anew, LibreOffice saves again
    update_report(findings(lang), form, saved, None, tmp_path / "run", lang)
    again = read_form(office.convert(saved, "docx"))
    assert (again.items["ds.04"].chosen, again.items["ds.04"].comment) == ("ok", words)
    assert "a paragraph of my own 自己的话" in again.items["ds.01"].comment
    assert all(not e.typed for e in again.items.values()) and not again.general.typed
