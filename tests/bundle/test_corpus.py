"""The corpus of `benchmarks/scrubber.py`: no planted secret is left, harmless lines stay, code still parses."""

import importlib.util
from pathlib import Path

import pytest

from msprec.bundle.names import looks_secret, sort_of_name
from msprec.bundle.scrub import Scrubber


def corpus():
    path = Path(__file__).resolve().parents[2] / "benchmarks" / "scrubber.py"
    spec = importlib.util.spec_from_file_location("corpus_of_secrets", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("seed", [20261122, 7])
def test_nothing_is_left_and_little_is_changed(seed: int, monkeypatch) -> None:
    made = corpus()
    monkeypatch.setattr(made, "SEED", seed)
    found = made.measure()
    assert len(found["planted"]) >= 500 and len({kind for kind, *_ in found["planted"]}) >= 60
    assert len(found["plain"]) >= 2000
    assert found["left"] == [] and found["broken"] == []
    assert len(found["changed"]) <= len(found["plain"]) / 500, found["changed"]


def test_a_scrubber_that_does_nothing_leaves_all(monkeypatch) -> None:
    made = corpus()
    monkeypatch.setattr(made, "cleaned", lambda name, text: (name, text))
    found = made.measure()
    assert len(found["left"]) == len(found["planted"])


@pytest.mark.parametrize(
    ("name", "sort"),
    [
        ("db_password", "password"),
        ("AWS_SECRET_ACCESS_KEY", "password"),
        ("数据库密码", "password"),
        ("access_key_id", "token"),
        *((name, None) for name in ["pad_token", "password_length", "sort_key", "query_key", "sk_learn", "num_tokens"]),
    ],
)
def test_what_a_name_says(name: str, sort) -> None:
    assert sort_of_name(name) == sort


@pytest.mark.parametrize(
    "value", ["", "None", "<token>", "${DB_PASSWORD}", "your_password_here", "Optional[str]", "***"]
)
def test_placeholders_are_no_secrets(value: str) -> None:
    assert not looks_secret(value, "password")


def test_code_that_does_not_parse_is_searched_all_the_same() -> None:
    out = Scrubber().text('def f(:\n    password = "hunter2!x"  # of /home/zhangwei\n', "x.py", code=True)
    assert "hunter2" not in out and "zhangwei" not in out
