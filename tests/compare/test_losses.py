"""`msprec compare losses`: what is read from which file, where two courses part, and what is concluded."""

import json
import math

import numpy as np
import pytest
from click.testing import CliRunner

from msprec.cli import main
from msprec.compare.errors import CannotRead
from msprec.compare.losses.compare import compare_losses
from msprec.compare.losses.files import HowToRead, Losses, read_losses
from msprec.compare.losses.losses_text import conclusion
from msprec.record.step_recorder import StepRecorder
from msprec.record.writer import RunWriter


def course(values, first=1, name="x", rounding=0.0, numbered=True) -> Losses:
    values = np.asarray(values, float)
    return Losses(name, np.arange(first, first + len(values)), values, np.full(len(values), rounding), numbered)


def training(steps=200, seed=0, noise=0.05):
    rng = np.random.RandomState(seed)
    return 2.3 * np.exp(-np.arange(steps) / 80) + 0.3 + noise * rng.rand(steps)


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


# --- reading ------------------------------------------------------------------------------------------------------
def test_loss_monitor_lines_count_over_the_epochs(tmp_path):
    line = "epoch: {} step: {}, loss is {:.7f}\nTrain epoch time: 1 ms\n"
    log = "".join(line.format(e, s, 1 / (e * 10 + s)) for e in (1, 2, 3) for s in (1, 2, 3, 4))
    found = read_losses(write(tmp_path / "train.log", log))
    assert found.steps.tolist() == list(range(1, 13))
    assert found.values[4] == pytest.approx(1 / 21, abs=1e-7) and found.notes == ()
    assert found.rounding[0] == pytest.approx(0.5e-7)


def test_loss_monitor_every_tenth_step(tmp_path):
    log = "".join(f"epoch: {e} step: {s}, loss is 0.5\n" for e in (1, 2) for s in (10, 20, 30))
    found = read_losses(write(tmp_path / "train.log", log))
    assert found.steps.tolist() == [10, 20, 30, 40, 50, 60] and found.notes == ("epoch_of:30",)
    told = read_losses(tmp_path / "train.log", HowToRead(steps_per_epoch=35))
    assert told.steps.tolist() == [10, 20, 30, 45, 55, 65] and told.notes == ()


@pytest.mark.parametrize(
    ("line", "step", "loss"),
    [
        ("[INFO] Epoch: [1/90], batch: [7/312], loss: 6.9021, lr: 0.01", 7, 6.9021),
        ("2026-11-20 10:00:00,123 INFO Epoch 1/300, Step 7/404, imgsize (640, 640), loss: 3.5, lbox: 0.1", 7, 3.5),
        ("step 7 loss 2.5e-3 time 12ms", 7, 2.5e-3),
        ("{'loss': 6.25, 'learning_rate': 1e-05, 'step': 7}", 7, 6.25),
        ("global_step=7 train_loss=nan loss_scale=1024", 7, math.nan),
        ("iter 7: loss_scale 1024, loss1: 0.5, loss = inf", 7, math.inf),
    ],
)
def test_lines_of_logs(tmp_path, line, step, loss):
    other = "Eval result: epoch 1, metrics: {'loss': 0.3}\nval step 1 loss 9.0\nEpoch 1 mean loss 3.0\n"
    found = read_losses(write(tmp_path / "a.log", other + line + "\n"))
    assert found.steps.tolist() == [step]
    np.testing.assert_equal(found.values[0], loss)


def test_a_pattern_of_the_user(tmp_path):
    path = write(tmp_path / "a.log", "it 1 | L=0.5 |\nit 2 | L=0.25 |\nnothing\n")
    found = read_losses(path, HowToRead(pattern=r"it (?P<step>\d+) \| L=(?P<loss>\S+)"))
    assert found.steps.tolist() == [1, 2] and found.values.tolist() == [0.5, 0.25]
    unnumbered = read_losses(path, HowToRead(pattern=r"L=(\S+)"))
    assert unnumbered.notes == ("unnumbered",)
    for wrong in ("(", r"L=\S+"):
        with pytest.raises(CannotRead, match="--pattern"):
            read_losses(path, HowToRead(pattern=wrong))


def test_tables(tmp_path):
    found = read_losses(write(tmp_path / "a.csv", "epoch,step,loss,lr\n1,3,0.5,1\n1,1,0.75,1\n1,,x,1\n"))
    assert found.steps.tolist() == [1, 3] and found.values.tolist() == [0.75, 0.5]
    board = read_losses(write(tmp_path / "b.csv", "Wall time,Step,Value\n1.5,0,2.5\n1.6,1,2.25\n"))
    assert board.steps.tolist() == [0, 1] and board.values.tolist() == [2.5, 2.25]
    other = write(tmp_path / "c.csv", "step;total\n1;0.5\n")
    assert read_losses(other, HowToRead(column="total")).values.tolist() == [0.5]
    with pytest.raises(CannotRead, match="no column nothing; there are: step, total"):
        read_losses(other, HowToRead(column="nothing"))
    bare = write(tmp_path / "d.txt", "0.5\n0.25\n")
    assert read_losses(bare).values.tolist() == [0.5, 0.25]
    windows = tmp_path / "e.log"
    windows.write_bytes("step 1 loss 0.5\r\n".encode("utf-16"))
    assert read_losses(windows).values.tolist() == [0.5]


def test_run_folders_and_events(tmp_path):
    pytest.importorskip("tensorboardX")
    from msprec.record.tensorboard import TensorBoardWriter

    recorder = StepRecorder(RunWriter(tmp_path / "run"))
    recorder.add_listener(TensorBoardWriter(tmp_path / "events"))
    for step, loss in enumerate([0.5, math.nan, 0.25], 1):
        recorder.put(step, loss=loss, lr=0.5, scale=8.0)
        recorder.end(step)
    recorder.close()
    for path in (tmp_path / "run", tmp_path / "events", next((tmp_path / "events").iterdir())):
        found = read_losses(path)
        assert found.steps.tolist() == [1, 2, 3]
        np.testing.assert_equal(found.values, [0.5, math.nan, 0.25])
    assert read_losses(tmp_path / "events", HowToRead(tag="learning_rate")).values.tolist() == [0.5] * 3
    with pytest.raises(CannotRead, match="no scalar x; there are: learning_rate, loss"):
        read_losses(tmp_path / "events", HowToRead(tag="x"))
    event = next((tmp_path / "events").iterdir())
    event.write_bytes(event.read_bytes()[:-9])  # killed while writing
    assert len(read_losses(event, HowToRead(tag="loss")).steps) >= 2


def test_event_values_kept_as_tensors(tmp_path):
    import struct

    def field(number, data):
        return bytes([number << 3 | 2, len(data)]) + data

    tensor = bytes([1 << 3, 1]) + field(4, struct.pack("<f", 0.5))
    event = bytes([2 << 3, 7]) + field(5, field(1, field(1, b"loss") + field(8, tensor)))
    path = tmp_path / "events.out.tfevents.1.host"
    path.write_bytes(struct.pack("<Q", len(event)) + b"\0" * 4 + event + b"\0" * 4 + b"\xff" * 40)
    found = read_losses(path)
    assert found.steps.tolist() == [7] and found.values.tolist() == [0.5]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("none.log", None, "No such file"),
        ("empty.csv", "", "the file is empty"),
        ("text.log", "hello\nworld\n", "no loss found; name it with --pattern"),
        ("binary.log", "\0\1\2\3", "no loss found"),
    ],
)
def test_what_cannot_be_read(tmp_path, name, content, message):
    if content is not None:
        write(tmp_path / name, content)
    with pytest.raises(CannotRead, match=message):
        read_losses(tmp_path / name)
    (tmp_path / "folder").mkdir()
    with pytest.raises(CannotRead, match="neither a run folder nor"):
        read_losses(tmp_path / "folder")


# --- judging ------------------------------------------------------------------------------------------------------
def judged(a, b, **kwargs):
    return compare_losses(
        a if isinstance(a, Losses) else course(a), b if isinstance(b, Losses) else course(b), **kwargs
    )


def test_equal():
    loss = training()
    assert judged(loss, loss).exact and judged(loss, loss).case == "equal"
    found = judged(loss, loss * (1 + 3e-6))
    assert found.case == "equal" and not found.exact
    # four decimals: the last digit may differ
    found = judged(course(np.round(loss, 4), rounding=0.5e-4), course(np.round(loss + 4e-5, 4), rounding=0.5e-4))
    assert found.case == "equal"
    assert judged(np.array([1.0, math.nan, math.inf]), np.array([1.0, math.nan, math.inf])).exact


def test_the_first_loss_differs():
    found = judged(training(), training() + 0.01)
    assert found.case == "first" and found.differs == 0
    # and where neither has recorded the first step, that is not said
    found = judged(course(training(), first=100), course(training() + 0.01, first=100))
    assert found.case == "first_late"


def test_a_log_of_every_tenth_step_does_not_have_the_first():
    a = Losses("a", np.arange(1, 200, 10), training(20), np.zeros(20), True)
    b = a._replace(values=a.values + np.r_[0, np.full(19, 0.1)])
    found = judged(a, b)
    assert found.case == "later" and "gaps" in found.notes


def test_the_second_loss_differs():
    a = training()
    b = a + np.r_[0, 0.02 + 0.001 * np.arange(199)]
    found = judged(a, b)
    assert (found.case, found.differs) == ("second", 1)
    # a wrong learning rate that ends at the same loss all the same
    b = a + np.r_[0, 0.2 * np.exp(-np.arange(199) / 10)]
    assert judged(a, b).case == "second"


def test_parting_later():
    a = training()
    b = a.copy()
    b[120:] += 0.2
    found = judged(a, b)
    assert (found.case, found.differs, found.parts, found.jumps) == ("later", 120, 120, 120)
    b[120] = math.nan
    assert judged(a, b).parts == 120


def test_an_outlier_is_a_jump_but_no_parting():
    a = training()
    b = a.copy()
    b[50] += 0.5
    found = judged(a, b)
    assert (found.case, found.parts, found.jumps) == ("later", None, 50)


def test_rounding_that_grows_is_no_fault():
    a = training()
    b = a * (1 + 1e-7 * np.exp(np.minimum(np.arange(200), 80) / 10.0))  # ends near 3e-4
    found = judged(a, b)
    assert found.case == "drift" and found.parts is None and found.differs > 40


def test_the_last_steps_are_too_few():
    a = training()
    b = a.copy()
    b[-2:] *= 1.0009
    assert judged(a, b).case == "short"


def test_noise_of_repeated_runs():
    one, again, other = training(seed=1), training(seed=2), training(seed=3)
    found = judged(one, other, repeats=(course(again),))
    assert found.case == "noise"
    assert judged(one, other).case != "noise"
    far = other.copy()
    far[100:] += 0.6
    found = judged(one, far, repeats=(course(again),))
    assert found.parts is not None and abs(found.parts - 100) <= 2
    with pytest.raises(CannotRead, match="has no step in common"):
        judged(one, other, repeats=(course(again, first=9000),))


def test_one_counts_from_zero():
    loss = training()
    found = judged(course(loss, first=1), course(loss, first=0))
    assert (found.case, found.offset, found.notes) == ("equal", 1, ("shifted",))
    assert judged(course(loss, 5), course(loss, 3), offset=2).exact
    with pytest.raises(CannotRead, match="no common step: x has steps 5 to 204, x steps 900 to 1099"):
        judged(course(loss, 5), course(loss, 900))


def test_single_steps():
    assert judged([0.5], [0.5]).case == "equal"
    assert judged([0.5], [0.6]).case == "first"
    assert judged([0.5, 0.4], [0.5, 0.3]).case == "second"
    assert judged([0.0, 0.0], [0.0, 0.0]).exact


# --- words and command --------------------------------------------------------------------------------------------
def ask(*args):
    return CliRunner().invoke(main, ["compare", "losses", *map(str, args)])


def table(path, values):
    return write(path, "step,loss\n" + "".join(f"{i},{v!r}\n" for i, v in enumerate(map(float, values), 1)))


def test_every_case_has_words():
    a = training()
    cases = {
        "equal": a,
        "first": a + 1,
        "second": a + np.r_[0, np.ones(199)],
        "later": a + (np.arange(200) > 99),
        "short": np.r_[a[:-1], a[-1] * 1.0009],
        "drift": a * (1 + 5e-5 * (np.arange(200) > 30)),
    }
    for case, b in cases.items():
        found = judged(a, b)
        assert found.case == case
        for lang in ("zh", "en"):
            lines = conclusion(found, 1e-5, lang)
            assert lines and all("{" not in line for line in lines), lines
    late = judged(course(a, 7), course(a + 1, 7))
    assert "not known" in conclusion(late, 1e-5, "en")[0]
    noise = judged(a, training(seed=5), repeats=(course(training(seed=6)),))
    assert "noise" in conclusion(noise, 1e-5, "en")[0]


def test_the_command(tmp_path):
    a = training()
    b = a.copy()
    b[119:] += 0.2
    one, two = table(tmp_path / "a.csv", a), table(tmp_path / "b.csv", b)
    out = [tmp_path / name for name in ("p.png", "c.csv", "j.json")]
    done = ask(one, two, "--lang", "en", "--plot", out[0], "--csv", out[1], "--json", out[2], "--fail-on-difference")
    assert done.exit_code == 1
    assert "Equal before step 120, different from there on" in done.output
    assert "save a checkpoint at step 119" in done.output
    assert out[0].read_bytes()[:4] == b"\x89PNG"
    assert len(out[1].read_text().splitlines()) == 201
    assert json.loads(out[2].read_text())["parts"] == 120
    assert ask(one, two, "--lang", "zh").exit_code == 0
    assert "step 119 保存 checkpoint" in ask(one, two, "--lang", "zh").output
    given = json.loads(ask(one, one, "--json", "-").output)
    assert given["case"] == "equal" and given["exact"]


def test_the_commands_import_nothing_heavy():
    import subprocess
    import sys

    heavy = "{'numpy', 'mindspore', 'torch', 'pandas', 'matplotlib'}"
    code = f"import sys, msprec.cli; assert not {heavy} & set(sys.modules), sorted({heavy} & set(sys.modules))"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_bad_input_is_one_line(tmp_path):
    done = ask(tmp_path / "no.csv", tmp_path / "no.csv")
    assert done.exit_code == 2 and len(done.output.splitlines()) == 1 and "No such file" in done.output
    one = table(tmp_path / "a.csv", [1, 2])
    done = ask(one, one, "--plot", tmp_path / "none" / "p.png")
    assert done.exit_code == 2 and done.output.startswith("msprec: cannot write")


def told(x, y, lang="en") -> str:
    def course(name: str, v: list) -> Losses:
        return Losses(name, np.arange(1, len(v) + 1), np.array(v, float), np.zeros(len(v)), True)

    return " ".join(conclusion(compare_losses(course("a", x), course("b", y)), 1e-5, lang))


def test_losses_that_are_not_finite_are_told_in_words() -> None:
    good = [2 * 0.97**i for i in range(40)]
    nan, inf = float("nan"), float("inf")
    text = told(good, good[:20] + [nan] * 20)
    assert "B: 20 losses are not finite from step 21 on (20 NaN, 0 infinite), and none is finite again." in text
    assert "different from there on (only one of them is finite)" in text and "inf)" not in text and "A:" not in text
    text = told(good[:20] + [nan] * 20, good[:20] + [nan] * 20)
    assert "the same to the last digit" in text and "of the same 20 steps are not finite" in text
    text = told(good, [*good[:20], inf, *good[21:]])
    assert "Only the loss of step 21 differs (only one of them is finite); after it they agree again." in text
    assert "B: 1 losses are not finite from step 21 on (0 NaN, 1 infinite)." in text
    assert "不是有限值" in told(good, [nan] * 40, "zh")
    assert "not finite" not in told(good, good)
