"""Settings instead of remedies, and the search for the cells whose float16 costs the result."""

import json

import pytest
from click.testing import CliRunner
from small_run import write_run

from msprec.cli import main
from msprec.experiment import present
from msprec.experiment.case import Case
from msprec.experiment.what_if import TOPICS, fewest, settings_plan, what_if

CELLS = [f"layer{number}" for number in range(8)]


class Given:
    """In place of a `Runner`: the accuracy comes of the cells that compute in float32."""

    jobs = 1

    def __init__(self, needed):
        self._needed, self.sets = set(needed), set()

    def run(self, tasks):
        return [self._one(task) for task in tasks]

    def known(self, task):
        return None

    def _one(self, task):
        hooks = [one.hook() for one in task.remedies]
        full = set(hooks[0].get("cells") or CELLS) if hooks and hooks[0]["name"] == "float32" else set()
        self.sets.add(frozenset(full))
        score = 0.9 if self._needed <= full else 0.3
        metrics = {"accuracy": [[2, score + 0.001 * task.seed]]}
        return {"steps": [1, 2], "losses": [2.0, 1.0], "status": 0, "said": [], "metrics": metrics}


@pytest.fixture
def case(tmp_path):
    run = write_run(tmp_path)
    cells = [{"path": "", "compute_dtype": "float16", "class": "Net"}]
    cells += [
        {"path": path, "compute_dtype": "float16", "class": "Dense", "created": {"file": "network.py", "line": 7}}
        for path in CELLS
    ]
    networks = {"networks": [{"role": "train", "class": "Net", "cells": cells}]}
    (run / "facts" / "network.json").write_text(json.dumps(networks))
    return Case(run)


def test_the_cells_are_named_with_their_lines(case):
    given = Given({"layer5"})
    facts = what_if(settings_plan(case, ("precision", "mode", "fusion")), given)
    assert facts["first"] == "float32"
    assert [one["path"] for one in facts["cells"]] == ["layer5"]
    assert [one["verdict"] for one in facts["settings"]] == ["helps", "none", *["without_effect_here"] * 2]
    assert "a cell that needs float32: layer5 (Dense), network.py:7" in present.setting_closing(facts, "en")
    heads, rows = present.setting_rows(facts, "en")
    assert len(heads) == len(rows[0]) == 4 and rows[-1][-1] == "a switch of Ascend, not run here"
    # by halves: 2 of 4, 1 of 2 and so on, not every cell by itself
    assert len(given.sets) <= 10


def test_without_float16_there_is_no_precision_to_try(case):
    (case.run / "facts" / "precision.json").write_text(json.dumps({"half_compute": False}))
    assert settings_plan(Case(case.run), ("precision",)).remedies == ()


@pytest.mark.parametrize("needed", [{3}, {0, 7}, {1, 2, 6}, set(range(8))])
def test_delta_debugging_finds_the_fewest(needed):
    asked = []

    def enough(some):
        asked.append(some)
        return needed <= set(some)

    assert set(fewest(list(range(8)), enough)) == needed
    assert len(asked) < 64


def test_no_such_setting(case):
    done = CliRunner().invoke(main, ["remedy", "--what-if", "weather", str(case.run)])
    assert done.exit_code == 2 and "there is no setting weather" in done.stderr


@pytest.mark.parametrize("topic", sorted(TOPICS))
def test_every_setting_has_a_hook(case, topic):
    from msprec.experiment.live import HOOKS

    for one in TOPICS[topic](case):
        assert one.hook()["name"] in HOOKS and one.title.zh and one.title.en
