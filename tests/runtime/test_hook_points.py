"""The table of hook points: it fits this MindSpore, and each row that is taken away costs its items and nothing else."""

import json
import os
import subprocess
import sys
import types
from pathlib import Path

import pytest

from msprec.engine.family import items
from msprec.runtime import hook_points
from msprec.runtime.hook_points import HOOK_POINTS

#: One process makes what the tests here share, which takes longest.
pytestmark = pytest.mark.xdist_group("hook points")

DRIVER = Path(__file__).with_name("take_away.py")


def test_rows_are_whole() -> None:
    assert len({row.name for row in HOOK_POINTS}) == len(HOOK_POINTS)
    known = {item.id for item in items()}
    for row in HOOK_POINTS:
        assert row.without is not None, row.name
        assert set(row.items) <= known, row.name
        assert len(set(row.items)) == len(row.items), row.name
        assert all(place.count(":") == 1 for place in row.places), row.name
        assert bool(row.items) <= bool(row.facts), row.name


@pytest.mark.versions
def test_this_mindspore_has_every_name() -> None:
    pytest.importorskip("mindspore")
    hook_points._missing.clear()
    assert [row.name for row in HOOK_POINTS if hook_points.find(row.name) is None] == []
    assert hook_points.missing() == []


def test_what_is_wrapped_is_still_recognised() -> None:
    def original():
        def after_grad():
            pass

        return after_grad

    def replacement():
        pass

    replacement.__wrapped__ = original
    assert hook_points.mentions(replacement, "after_grad")
    assert not hook_points.mentions(replacement, "before_grad")


@pytest.mark.parametrize(("version", "told"), [("2.11.0", True), ("3.0.0rc1", True), ("2.10.0", False), ("2.9", False)])
def test_a_newer_mindspore_is_told(monkeypatch, capsys, version: str, told: bool) -> None:
    monkeypatch.setitem(sys.modules, "mindspore", types.SimpleNamespace(__version__=version))
    hook_points.tell_version()
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == told
    assert not told or (version in lines[0] and "not tried yet" in lines[0])


def groups() -> list:
    """Names that are taken away together: those that the same items need, but for those that all need, one by one."""
    by_items = {}
    for row in HOOK_POINTS:
        alone = len(row.items) == len(items())
        by_items.setdefault((row.items, row.name if alone else ""), []).append(row.name)
    return list(by_items.values())


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> dict:
    """``{row: what came of the run without it}``; all in one process, as MindSpore takes seconds to import."""
    pytest.importorskip("mindspore")
    folder = tmp_path_factory.mktemp("taken")
    # the first run of a process reads files that the others find in memory: it is made twice
    command = [sys.executable, str(DRIVER), str(folder), "", "", *map(",".join, groups())]
    settings = {**os.environ, "GLOG_v": "3"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=settings, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    found = [json.loads(line[4:]) for line in done.stdout.splitlines() if line.startswith("RUN ")]
    return {name: one for one in found for name in (one["names"] or [""])}


def test_nothing_is_missing_without_taking_away(runs) -> None:
    assert runs[""]["status"] == 3
    assert runs[""]["missing"] == runs[""]["open"] == []


@pytest.mark.parametrize("row", HOOK_POINTS, ids=lambda row: row.name)
def test_without_a_row(runs, row) -> None:
    one, whole = runs[row.name], runs[""]
    assert one["status"] == 3
    assert one["imports"] is True
    assert sorted(one["open"]) == sorted(row.items)
    assert {one["conclusions"][id] for id in row.items} <= {"undecided"}
    others = [id for id in whole["conclusions"] if id not in row.items]
    assert {id: one["conclusions"][id] for id in others} == {id: whole["conclusions"][id] for id in others}
    if row.items:
        assert [row.learns.en, row.without.render("en"), list(row.items)] in one["missing"]
        assert one["told"].count("is not there") == len(one["missing"]) >= len(one["names"])


def test_really_gone(scripts) -> None:
    scripts.write(
        "import mindspore as ms\n"
        "import mindspore.train.callback as callback, mindspore.nn.wrap.loss_scale as loss_scale\n"
        "print('own output')\nraise SystemExit(4)\n"
    )
    # a module found before MindSpore's own hooks: the names go as soon as MindSpore has been imported
    (scripts.folder / "sitecustomize.py").write_text(
        "import mindspore, mindspore.train.callback as callback, mindspore.nn.wrap.loss_scale as loss_scale\n"
        "del callback._CallbackManager, loss_scale._ascend_grad_overflow\n",
        encoding="utf-8",
    )
    scripts.settings["PYTHONPATH"] = os.pathsep.join(filter(None, (str(scripts.folder), os.environ.get("PYTHONPATH"))))
    ran = scripts.observed()
    assert ran.status == 4
    assert ran.out == "own output\n"
    run = scripts.json("run.json")
    assert run["script_imports_mindspore"] is True
    assert [hook["hook"] for hook in run["hooks_missing"]] == ["mindspore.nn.wrap.loss_scale._ascend_grad_overflow"]
    assert "does not import mindspore" not in ran.err.lower()
