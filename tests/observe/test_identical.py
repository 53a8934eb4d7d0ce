"""A run with msprec is the run without, bit by bit: losses, weights, random states, files, checkpoints, output."""

import json
from pathlib import Path

import pytest

SCRIPT = (Path(__file__).parent / "training_script.py").read_text(encoding="utf-8")
#: Run under the oldest MindSpore too, and with probes and the Word report.
_VERSIONS = {("model", "graph"), ("functional", "pynative"), ("jit", "pynative"), ("cell", "graph")}


def _case(style: str, mode: str):
    marks = [pytest.mark.versions] if (style, mode) in _VERSIONS else []
    return pytest.param(style, mode, marks=marks, id=f"{style}-{mode}")


@pytest.mark.parametrize(
    ("style", "mode"), [_case(s, m) for s in ("model", "functional", "jit", "cell") for m in ("graph", "pynative")]
)
def test_same_run_with_and_without(scripts, tmp_path, style: str, mode: str) -> None:
    scripts.pipelined().write(SCRIPT)
    bare = scripts.bare(style, mode)
    other = type(scripts)(tmp_path / "observed").pipelined()
    other.folder.mkdir()
    other.write(SCRIPT)
    options = ("--probe-seconds", "5", "--word") if (style, mode) in _VERSIONS else ()
    observed = other.observed(style, mode, options=options)
    assert bare.status == 0, bare.err
    assert observed.status == 0, observed.err
    assert json.loads(observed.out) == json.loads(bare.out)
    other.no_own_errors()
    rows = other.rows()
    assert [int(row["step"]) for row in rows] == list(range(1, 13))
    # the recorded losses are the script's own, to the last bit of a float32
    import numpy as np

    losses = [np.frombuffer(bytes.fromhex(x), np.float32)[0] for x in json.loads(bare.out)["losses"]]
    assert [np.float32(row["loss"]) for row in rows] == losses
    assert other.json("run.json")["training_steps"] == 12
