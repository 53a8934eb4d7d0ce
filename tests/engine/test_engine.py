"""The engine: options, languages, what it imports, how it writes."""

import json
import subprocess
import sys

import pytest

from msprec.bilingual import Joined, Text, listed, show
from msprec.checklists.common.findings import note
from msprec.engine import UnknownThreshold, blank, conclude, default_thresholds, find, items
from msprec.engine.finding import ok, problem, together
from msprec.engine.schema import Fact
from msprec.record.checklist_file import write_checklist
from msprec.record.reader import RunFolderError
from msprec.record.schema import COLUMN, PLACE, number
from msprec.source.user_code import Code


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "run.json").write_text('{"schema": 1, "started": "s", "training_steps": 3}')
    return tmp_path


def test_items_are_found_by_their_ids():
    assert find("mp.02").title.zh.startswith("混合精度训练时") and find("mp.99") is None
    assert all(item.check.__doc__ and item.family in item.id for item in items())


def test_a_blank_checklist_is_open_everywhere():
    checklist = blank("zh")
    assert checklist["run"] is None and checklist["lang"] == "zh"
    assert {entry["conclusion"] for entry in checklist["items"]} == {"undecided"}
    assert all("msprec run" in entry["would_decide"] for entry in checklist["items"])


def test_only_examines_what_was_asked(folder):
    made = conclude(folder, only={"mp", "ds.01"})
    by_id = {entry["id"]: entry for entry in [*made["items"], *made["beyond"]]}
    assert list(by_id) == [item.id for item in items()]
    assert "--only" in by_id["dp.01"]["would_decide"]
    assert "--only" not in by_id["ds.01"]["would_decide"] and "--only" not in by_id["mp.04"]["would_decide"]


@pytest.mark.parametrize(
    "options",
    [
        {"only": {"xx"}},
        {"only": {"ds.09"}},
        {"lang": "fr"},
        {"thresholds": {"nope": 1}},
        {"thresholds": {"ds.03.ratio": "many"}},
        {"thresholds": {"ds.03.ratio": True}},
    ],
)
def test_wrong_options_are_refused(folder, options):
    with pytest.raises(ValueError):
        conclude(folder, **options)


def test_an_unknown_threshold_is_named(folder):
    with pytest.raises(UnknownThreshold, match=r"ds\.03\.ration"):
        conclude(folder, thresholds={"ds.03.ration": 5})


def test_every_threshold_belongs_to_an_item_and_says_what_it_means():
    for name, threshold in default_thresholds().items():
        assert find(name.rsplit(".", 1)[0]) is not None
        assert threshold.name == name and threshold.meaning.zh and threshold.meaning.en and threshold.source


def test_what_is_no_run_folder_raises(tmp_path):
    with pytest.raises(RunFolderError):
        conclude(tmp_path)


def test_a_script_without_mindspore(folder):
    (folder / "run.json").write_text('{"schema": 1, "script_imports_mindspore": false}')
    assert all("does not import mindspore" in entry["summary"] for entry in conclude(folder)["items"])


def test_written_checklists_are_strict_json(folder, tmp_path):
    target = tmp_path / "checklist.json"
    write_checklist(conclude(folder, "zh"), target)
    assert json.loads(target.read_text(encoding="utf-8")) == conclude(folder, "zh")
    assert "数据" in target.read_text(encoding="utf-8")


def test_concluding_imports_neither_mindspore_nor_pandas(folder):
    code = f"import sys; from msprec.engine import conclude; conclude({str(folder)!r}); print(sorted(sys.modules))"
    modules = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "'msprec.checklists.mp'" in modules
    for heavy in ("mindspore", "pandas", "matplotlib", "docx"):
        assert f"'{heavy}'" not in modules


def test_numbers_read_well():
    assert show(1000) == "1 000" and show(1234567.0) == "1.235e+06" and show(0.036111) == "0.03611" and show(3.0) == "3"
    assert show(None) == "—" and show(True, "zh") == "是" and show(10**30) == "1e+30" and show(float("nan")) == "nan"


def test_texts_render_in_both_languages():
    text = Text("{n} 个{what}", "{n} {what}", n=1500, what=Text("样本", "samples"))
    assert text.render("zh") == "1 500 个样本" and text.render("en") == "1 500 samples"
    assert listed("abcdefg", most=2).render("en") == "a, b and 5 more" and listed("ab").render("zh") == "a、b"
    assert Joined([text, None, "x"]).render("en") == "1 500 samples x"


def test_problems_of_one_item_are_told_together():
    def at(line):
        return Fact({"file": "train.py", "line": line}, PLACE)

    shown = note("", "shown by both")
    one, other = (problem(Text(str(n), str(n)), Text("", f"mend {n}"), [shown], [at(n)]) for n in (3, 7))
    again, fine = problem(Text("3", "again"), Text("", ""), (), [at(3)]), ok(Text("ok", "ok"))
    both = together([fine, one, again, other])
    assert both.summary.render("en") == "3 7" and both.advice.render("en") == "mend 3 mend 7"
    assert [place["line"] for place in both.locations] == [3, 7] and both.evidence == [shown]
    assert together([fine, one, again]) is one and together([fine]) is fine


def test_braces_in_values_stay_as_they_are():
    assert Text("{x}", "{x}", x="{y}").render("en") == "{y}"


def test_facts_of_the_wrong_shape_read_as_not_observed():
    fact = Fact(
        {
            "nan": "three",
            "min": "nan",
            "shape": [1, None, "x"],
            "values": {"0": 3, "1": "x"},
            "suspects": [1, {"value": 2}],
        },
        COLUMN,
    )
    assert fact.nan is None and fact.min is None and fact.shape == [1, None, None] and fact.values == {"0": 3}
    assert [suspect.value for suspect in fact.suspects] == [2] and not fact.channels and fact.channels.mean == []
    assert number("-inf") == float("-inf") and number(10**400) == float("inf") and number(True) is None
    with pytest.raises(AttributeError, match="nane"):
        _ = fact.nane


def test_source_search_leaves_comments_and_docstrings_out():
    import re

    code = Code({"a.py": 'x = 1  # zeros\n"""\nzeros\n"""\ny = "zeros"\n', "broken.py": "def ("})
    assert list(code.grep(re.compile("zeros"))) == [("a.py", 5)]
    assert list(code.trees) == ["a.py"]
