"""Whole scripts whose first non-finite value must be traced to its place: `cases/locate/<what>/`.

``expect.json``: ``step``, ``phase``, ``file``, ``line`` are exact; ``operator``, ``cell``, ``pattern``, ``samples`` where given;
``operator_is_one_of`` where two answers are defensible, with ``why``; ``lines``: so many lines further is as right.
``under``: what differs under a MindSpore whose version starts so, with ``why``.

Some are run bare as well: replaying steps leaves the numbers, the random state and the output as they are; and of some
``msprec locate RUN`` finds the same place again, from what the run has kept, in a process of its own.
"""

import json
import shutil
from importlib.metadata import version
from pathlib import Path

import pytest

CASES = Path(__file__).parents[1] / "cases" / "locate"
AGAIN = {
    "accumulation_second_forward",
    "division_in_helper_file",
    "exp_in_own_train_cell",
    "poisoned_by_the_step_before",
    "sqrt_backward_in_jit",
    "square_in_float16",
}
BARE = {
    "accumulation_second_forward",
    "exp_in_own_train_cell",
    "poisoned_by_the_step_before",
    "scale_too_large",
    "sqrt_backward_in_jit",
    "square_in_float16",
}
# what a script can see of itself at its end
PRINTS = """
import hashlib, random
print([hashlib.sha256(p.asnumpy().tobytes()).hexdigest() for p in net.get_parameters()])
print(np.random.rand(), random.random(), ms.get_rng_state().asnumpy().tolist(), ms.get_context("mode"))
print(type(net).construct.__code__.co_filename == __file__ or type(net).construct.__code__.co_filename)
"""


def _cases() -> list:
    folders = sorted(script.parent for script in CASES.glob("*/train.py"))
    return [pytest.param(folder, id=folder.name, marks=_marks(folder)) for folder in folders]


def _marks(folder: Path) -> list:
    return [pytest.mark.versions] if _expectation(folder).get("versions") else []


def _expectation(folder: Path) -> dict:
    expected = json.loads((folder / "expect.json").read_text(encoding="utf-8"))
    for start, differs in expected.get("under", {}).items():
        if f"{version('mindspore')}.".startswith(f"{start}."):
            expected.update(differs)
    return expected


@pytest.mark.parametrize("folder", _cases())
def test_place(folder: Path, scripts) -> None:
    expected = _expectation(folder)
    shutil.copytree(folder, scripts.folder, dirs_exist_ok=True)
    bare = _run_bare(scripts) if folder.name in BARE else None
    ran = scripts.observed()
    assert ran.status == expected.get("exit", 0), ran.err
    assert bare is None or ran.out == bare
    scripts.no_own_errors()
    located = [event for event in scripts.events() if event["event"] == "located"]
    assert located, scripts.events()
    first = located[0]
    if expected.get("by") == "locate":  # an error ended the run: not replayed in its process
        assert first["phase"] is None and "msprec locate" in first["why_not"]
        again = scripts.msprec("locate", str(scripts.run_folder), "--json", "-")
        assert again.status == 0, again.err
        first = {"exact": None, **json.loads(again.out)}
    assert (first["step"], first["phase"]) == (expected.get("step", first["step"]), expected["phase"]), first
    if expected["phase"] != "update":
        assert first["place"]["file"] == expected["file"]
        assert 0 <= first["place"]["line"] - expected["line"] <= expected.get("lines", 0), first
    assert first.get("exact") is not False, first
    for key in ("operator", "cell", "pattern", "samples", "elements", "input", "parameter"):
        if key in expected:
            assert first[key] == expected[key], first
    if "operator_is_one_of" in expected:
        assert first["operator"] in expected["operator_is_one_of"], first
    if expected.get("vanishes"):
        assert 0 < first["vanishes_at"] < first["scale"]
    if folder.name in AGAIN:
        _assert_found_again(scripts, first)


def _run_bare(scripts) -> str:
    """What the script prints by itself; it is given lines at its end that tell what state it is in, for both runs."""
    text = (scripts.folder / "train.py").read_text(encoding="utf-8")
    text = text.replace("ms.set_seed(1)", "ms.set_seed(1); ms.manual_seed(1)") + PRINTS
    # MindSpore itself refuses these on a CPU
    enabled = "import msprec\nmsprec.enable_loss_scale_on_cpu()\n" if "LossScaleManager" in text else ""
    scripts.write(enabled + text)
    bare = scripts.bare()
    assert bare.status == 0, bare.err
    scripts.write(text)
    return bare.out


def _assert_found_again(scripts, first: dict) -> None:
    kept = scripts.run_folder / "found.json"
    again = scripts.msprec("locate", str(scripts.run_folder), "--lang", "en", "--json", str(kept))
    assert again.status == 0, again.err
    found = json.loads(kept.read_text(encoding="utf-8"))
    for key in ("step", "phase", "place", "column", "expression", "operator", "inputs", "recorded_loss"):
        assert found[key] == first[key], key
    assert f"{first['place']['file']}:{first['place']['line']}" in again.out
    assert f"> {first['place']['line']:5d}" in again.out


def test_there_are_enough_places() -> None:
    assert len(_cases()) >= 16
