"""Concluding a large project, or many ranks, does each piece of reading once: counts of work, no seconds."""

import ast
import gc
import importlib.util
import json
from pathlib import Path

import pytest

from msprec.engine import conclude, ranks
from msprec.record import reader
from msprec.source import files, user_code

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "conclude.py"
SCRIPT = """import mindspore.nn as nn
net = nn.Dense(8, 2)
for x, y in loader:
    step(x / 255.0, y)
"""
FACTS = {
    "network": {"networks": [{"id": 0, "class": "Net0", "role": "train", "place": {"file": "train.py", "line": 2}, "cells": []}]},
    "parameters": {"parameters": [{"name": "w", "shape": [2, 8], "requires_grad": True, "initial": {"digest": "a"}}]},
}  # fmt: skip


@pytest.fixture(scope="module")
def benchmark_module():
    spec = importlib.util.spec_from_file_location("benchmark_of_conclude", BENCHMARK)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def run(tmp_path):
    home = tmp_path / "run"
    for folder in ("source", "facts", "rank_0"):
        (home / folder).mkdir(parents=True)
    told = {"schema": 1, "script": "train.py", "source_files": {"train.py": "source/train.py"}, "training_steps": 2}
    (home / "run.json").write_text(json.dumps({**told, "exit": {"kind": "ok"}}), encoding="utf-8")
    (home / "source" / "train.py").write_text(SCRIPT, encoding="utf-8")
    (home / "rank_0" / "steps.csv").write_text("step,loss\n1,0.5\n2,0.25\n", encoding="utf-8")
    for name, value in FACTS.items():
        (home / "facts" / f"{name}.json").write_text(json.dumps(value), encoding="utf-8")
    return home


class Counter:
    """Stands in for a function and counts its calls, or those whose first argument is of a kind."""

    def __init__(self, monkeypatch, home, name, kind=object):
        self.calls, self.function, self.kind = 0, getattr(home, name), kind
        monkeypatch.setattr(home, name, self)

    def __call__(self, *args, **kwargs):
        self.calls += isinstance(args[0], self.kind)
        return self.function(*args, **kwargs)


def test_each_file_is_parsed_walked_and_freed_of_comments_once(benchmark_module, run, tmp_path, monkeypatch):
    large = benchmark_module.with_project(run, tmp_path / "large", 80)
    count = len(list((large / "source").rglob("*.py")))
    parsed, walked, lines, whole_trees = (
        Counter(monkeypatch, ast, "parse"),
        Counter(monkeypatch, user_code, "_walked", ast.Module),
        Counter(monkeypatch, user_code, "_code_lines"),
        Counter(monkeypatch, ast, "walk", ast.Module),
    )
    conclude(large, "en")
    assert count > 70
    assert parsed.calls <= count + 5
    assert walked.calls <= count
    assert lines.calls <= count
    assert whole_trees.calls <= 2 * count


def test_lines_are_not_searched_for_each_function(benchmark_module, run, tmp_path, monkeypatch):
    """How often all lines are gone over does not grow with the project."""
    searched = []
    for count in (40, 80):
        large = benchmark_module.with_project(run, tmp_path / f"of_{count}", count)
        searches = Counter(monkeypatch, user_code.Code, "matches")
        monkeypatch.setattr(user_code.Code, "matches", lambda self, pattern, of=searches: of(self, pattern))
        conclude(large, "en")
        searched.append(searches.calls)
        monkeypatch.undo()
    assert searched[1] <= searched[0] + 5


def test_trees_are_forgotten_with_their_project(run):
    conclude(run, "en")
    gc.collect()
    assert not any(name == "train.py" and text == SCRIPT for name, text in files._TREES)


def test_ranks_are_compared_once(benchmark_module, run, tmp_path, monkeypatch):
    many = benchmark_module.with_ranks(run, tmp_path / "many", 24)
    compared = Counter(monkeypatch, ranks, "_first_difference")
    read = Counter(monkeypatch, reader.RunFolder, "_json")
    monkeypatch.setattr(reader.RunFolder, "_json", lambda self, path: read(self, path))
    conclude(many, "en")
    assert compared.calls <= 2
    assert read.calls <= 24 * 20
