"""What is installed is what is in the folders: what is missing works in the checkout and fails for users."""

import configparser
import importlib
import runpy
from pathlib import Path

import pytest
import setuptools

from msprec.callbacks import MONITORS
from msprec.cli.compare import COMPARISONS, compare
from msprec.report.formats import FORMATS, KINDS

ROOT = Path(__file__).parent.parent
CONFIG = configparser.ConfigParser()
CONFIG.read(ROOT / "setup.cfg", encoding="utf-8")


def requirements(text: str) -> set:
    return {line.strip() for line in text.splitlines() if line.strip()}


def test_every_folder_with_modules_is_a_package(monkeypatch):
    declared = {}
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(setuptools, "setup", lambda **given: declared.update(given))
    runpy.run_path(str(ROOT / "setup.py"))
    folders = {
        path.parent.relative_to(root.parent).as_posix().replace("/", ".").replace("checklists", "msprec.checklists", 1)
        for root in (ROOT / "msprec", ROOT / "checklists")
        for path in root.rglob("*.py")
    }
    assert set(declared["packages"]) == folders


def test_only_the_extras_bring_mindspore_and_its_bound_on_numpy():
    extras = {name: requirements(text) for name, text in CONFIG["options.extras_require"].items()}
    for name in ("mindspore", "examples", "test"):
        assert {"mindspore>=2.7", "numpy<2"} <= extras[name], name
    basic = requirements(CONFIG["options"]["install_requires"])
    assert not [line for line in basic if line.startswith("mindspore") or "<" in line.partition(";")[0]]


def test_test_files_have_names_of_their_own():
    """Two test modules of one name in different folders cannot be collected in one run."""
    names = [path.name for path in (ROOT / "tests").rglob("test_*.py")]
    assert len(names) == len(set(names)), sorted(name for name in set(names) if names.count(name) > 1)


@pytest.mark.parametrize("name", FORMATS)
def test_every_form_of_the_report_is_registered_as_it_is(name):
    form = FORMATS[name]
    assert form.name == name and form.kind in KINDS and callable(form.load())
    assert bool(form.option) == bool(form.example) == (form.kind != "console")


def test_every_comparison_is_a_command_and_a_package():
    assert list(compare.commands) == list(COMPARISONS)
    for name in COMPARISONS:
        assert importlib.import_module(f"msprec.compare.{name}.compare")


def test_the_monitors_are_the_members_of_the_precision_monitor(tmp_path):
    from msprec import PrecisionMonitor

    members = PrecisionMonitor(out=tmp_path / "run").members
    assert [type(member) for member in members] == list(MONITORS)
