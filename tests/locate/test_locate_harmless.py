"""A run in which steps were replayed goes on with the same numbers, random state, and files."""

import shutil

import pytest
from test_places import CASES

# what a script can see of itself at its end
PRINTS = """
import hashlib, random
print([hashlib.sha256(p.asnumpy().tobytes()).hexdigest() for p in net.get_parameters()])
print(np.random.rand(), random.random(), ms.get_rng_state().asnumpy().tolist(), ms.get_context("mode"))
print(type(net).construct.__code__.co_filename == __file__ or type(net).construct.__code__.co_filename)
"""


@pytest.mark.parametrize(
    "name",
    [
        "accumulation_second_forward",
        "exp_in_own_train_cell",
        "poisoned_by_the_step_before",
        "scale_too_large",
        "sqrt_backward_in_jit",
        "square_in_float16",
    ],
)
def test_the_same_run(name, scripts) -> None:
    shutil.copytree(CASES / name, scripts.folder, dirs_exist_ok=True)
    text = (scripts.folder / "train.py").read_text(encoding="utf-8")
    scripts.write(text.replace("ms.set_seed(1)", "ms.set_seed(1)\nms.manual_seed(1)") + PRINTS)
    if "LossScaleManager" in text:  # MindSpore itself refuses these on a CPU
        scripts.write("import msprec\nmsprec.enable_loss_scale_on_cpu()\n" + (scripts.folder / "train.py").read_text())
    bare, observed = scripts.bare(), scripts.observed()
    assert bare.status == 0, bare.err
    assert (observed.status, observed.out) == (0, bare.out)
    assert any(event["event"] == "located" for event in scripts.events())


def test_no_locate(scripts) -> None:
    shutil.copytree(CASES / "log_in_nested_block", scripts.folder, dirs_exist_ok=True)
    ran = scripts.observed(options=("--no-locate",))
    assert ran.status == 0, ran.err
    names = [event["event"] for event in scripts.events()]
    assert "located" not in names and "first_nonfinite" in names
