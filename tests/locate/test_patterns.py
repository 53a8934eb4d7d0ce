"""Known patterns from plain numbers, and that each has its words in both languages."""

import itertools
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msprec.checklists.common.nonfinite_origin import WHY
from msprec.locate.nonfinite_patterns import OperandValues, pattern_of
from msprec.rerun.locate import format_text


def values(low=0.5, high=2.0, dtype="Float32", zeros=0.0, nan=0.0, inf=0.0):
    return OperandValues(dtype, (4,), low, high, zeros, nan, inf)


BAD = values(inf=0.25)


@pytest.mark.parametrize(
    ("phase", "operator", "inputs", "result", "pattern"),
    [
        ("data", "nn.Dense", [BAD], BAD, "data"),
        ("update", "nn.Dense", [values()], BAD, "update"),
        ("forward", "ops.log", [values(low=0.0)], BAD, "log"),
        ("forward", "Tensor.log", [values(low=-1.0)], BAD, "log"),
        ("forward", "ops.log1p", [values(low=-0.5)], BAD, None),
        ("forward", "ops.log1p", [values(low=-1.0)], BAD, "log"),
        ("forward", "Div", [values(), values(zeros=0.1)], BAD, "division"),
        ("forward", "Div", [values(zeros=0.1), values()], BAD, None),
        ("forward", "ops.sqrt", [values(low=-0.1)], BAD, "negative_root"),
        ("forward", "Pow", [values(low=-0.1)], values(nan=0.1), "negative_root"),
        ("forward", "Pow", [values(low=-300.0, dtype="Float16")], values(dtype="Float16", inf=0.1), "half"),
        ("forward", "ops.exp", [values(high=100.0)], BAD, "exp"),
        ("forward", "Mult", [values(high=300.0, dtype="Float16")], values(dtype="Float16", inf=0.1), "half"),
        ("forward", "Tensor.astype", [values(low=-1e9)], values(dtype="Float16", inf=0.1), "cast"),
        ("forward", "nn.Dense", [values(high=1e30)], BAD, "blow_up"),
        ("forward", "ops.softmax", [values(inf=1.0)], values(nan=1.0), "inf_minus_inf"),
        ("backward", "ops.sqrt", [values(low=0.0, zeros=0.1)], values(), "root_at_zero"),
        ("backward", "Pow", [values(low=0.0, zeros=1.0)], values(), "root_at_zero"),
        ("backward", "nn.Dense", [values(dtype="Float16")], values(), "half_gradient"),
        ("backward", "nn.Dense", [values()], values(), None),
        ("forward", "ops.matmul", [values()], BAD, None),
    ],
)
def test_pattern(phase, operator, inputs, result, pattern):
    assert pattern_of(phase, operator, inputs, result) == pattern


def test_every_pattern_has_words():
    source = (Path(__file__).parents[2] / "msprec" / "locate" / "nonfinite_patterns.py").read_text(encoding="utf-8")
    named = set(re.findall(r'return "(\w+)"', source))
    assert named == set(WHY)
    for text in itertools.chain(*WHY.values()):
        assert text.render("zh") != text.render("en")


number = st.one_of(st.none(), st.floats(allow_nan=False))
tensor = st.builds(
    OperandValues,
    st.sampled_from(["Float32", "Float16", "BFloat16", "Int32"]),
    st.just((2,)),
    number,
    number,
    *[st.floats(0, 1)] * 3,
)


@given(
    st.sampled_from(["data", "forward", "backward", "update"]),
    st.sampled_from(["ops.log", "Div", "Pow", "Tensor.astype", "nn.Dense", "", "x.y.z"]),
    st.lists(tensor, max_size=3),
    st.one_of(st.none(), tensor),
)
def test_odd_numbers_raise_nothing(phase, operator, inputs, result):
    assert pattern_of(phase, operator, inputs, result) in {*WHY, None}


@pytest.mark.parametrize(("lang", "finite"), [("zh", "有限"), ("en", "is finite")])
def test_words_of_what_msprec_locate_found(tmp_path, lang: str, finite: str) -> None:
    script = tmp_path / "train.py"
    script.write_text("x = 0\nloss = log(x)\n", encoding="utf-8")
    place = {"file": str(script), "line": 2}
    found = {
        "event": "located",
        "step": 3,
        "phase": "forward",
        "expression": "log(x)",
        "operator": "Log",
        "place": place,
    }
    words = format_text(found, lang)
    assert f"{script}:2" in words and "log(x)" in words and ">     2" in words
    assert finite in format_text({}, lang)
