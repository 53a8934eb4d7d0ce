"""What an item adds after its check, and further parts of the document: neither costs a conclusion where it fails."""

import ast
import json
import re
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import msprec.engine
from msprec.bilingual import Text
from msprec.engine import conclude, default_thresholds, items, runner
from msprec.engine.finding import ok
from msprec.engine.run_data import RunData
from msprec.engine.sections import GROUP, sections
from msprec.record.reader import RunFolder


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "run.json").write_text('{"schema": 1, "started": "s", "training_steps": 3}')
    return tmp_path


def _examined(folder, after):
    item = items()[0]._replace(id="xx.01", check=lambda run_data: ok(Text("好", "fine")), after=after)
    return runner.examine(item, RunData(RunFolder(folder), default_thresholds()))


def test_an_item_without_after_stands_as_it_is(folder):
    assert _examined(folder, None).summary.en == "fine"


def test_after_gives_the_finding_that_counts(folder):
    asked = []

    def after(id, run_data, finding):
        asked.append((id, finding.summary.en))
        return ok(Text("更好", "better"))

    assert _examined(folder, after).summary.en == "better" and asked == [("xx.01", "fine")]


def test_a_failing_after_costs_no_conclusion(folder):
    def after(id, run_data, finding):
        raise KeyError("x")

    found = _examined(folder, after)
    assert found.conclusion == "ok" and found.summary.en == "fine"
    assert found.evidence[0].as_dict("en")["text"] == "It could not be made (KeyError: 'x')."


def test_sections_stand_beside_the_items_and_replace_none(folder, monkeypatch):
    parts = {
        "theirs": lambda run_data, lang: {"steps": run_data.training_steps, "lang": lang},
        "nothing": lambda run_data, lang: None,
        "items": lambda run_data, lang: {},
        "broken": lambda run_data, lang: {}["x"],
    }
    monkeypatch.setattr(runner, "sections", lambda: parts)
    found = conclude(folder, "zh")
    assert found["theirs"] == {"steps": 3, "lang": "zh"} and "nothing" not in found and len(found["items"]) == 24
    assert found["broken"]["conclusion"] == ["无法得出（KeyError: 'x'）。"]


def test_a_section_that_cannot_be_imported_is_left_out(monkeypatch):
    wanted = [EntryPoint("gone", "msprec_no_such_module:section", GROUP), EntryPoint("there", "json:dumps", GROUP)]
    monkeypatch.setattr("msprec.engine.sections.offered", lambda group: wanted)
    with pytest.warns(UserWarning, match="msprec_no_such_module:section is left out: ModuleNotFoundError"):
        assert sections.__wrapped__() == {"there": json.dumps}


def test_what_several_items_build_on_is_made_once(folder):
    made = []
    run_data = RunData(RunFolder(folder), default_thresholds())
    run_data.once(made.append)
    run_data.once(made.append)
    assert made == [run_data]
    run_data.of_rank(0).once(made.append)
    assert len(made) == 2


def test_the_engine_names_no_item_and_imports_no_family():
    ids = re.compile(r"\b(" + "|".join(re.escape(item.id) for item in items()) + r")\b")
    for file in Path(msprec.engine.__file__).parent.glob("*.py"):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        imported = [n.module or "" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)]
        imported += [a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names]
        assert not any(name.startswith("msprec.checklists") for name in imported), file
        named = [n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
        documented = [n for n in ast.walk(tree) if isinstance(n, (ast.Module, ast.ClassDef, ast.FunctionDef))]
        docs = {ast.get_docstring(node, clean=False) for node in documented}
        assert not [text for text in named if text not in docs and ids.search(text)], file
