"""LossScaleMonitor against a loop that reads everything at each step, and against the rule of the scale worked out by
hand."""

import json

import mindspore as ms
import numpy as np
import pytest

from msprec import LossScaleMonitor

MODES = ("graph", "pynative")


def scale_rule(flags, scale, window, factor=2.0, floor=1.0) -> list:
    """(scale used, scale after) of each step, as DynamicLossScaleUpdateCell's documentation tells it."""
    pairs, last, step = [], 0, 1
    for overflow in flags:
        used = scale
        if overflow:
            scale, last = max(scale / factor, floor), step
        elif step - last >= window:
            scale, last = scale * factor, step
        pairs.append((used, scale))
        step += 1
    return pairs


@pytest.mark.versions
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", ["own", "cell", "shuffled", "dynamic"])
def test_dynamic_scale(kit, mode, kind):
    kit.start(mode)
    expected = kit.by_hand(kind, 2 * kit.BATCHES)
    kit.start(mode)
    monitor = LossScaleMonitor("run")
    kit.model(kind).train(2, kit.data(), callbacks=[monitor])
    found = kit.rows(monitor.folder)
    assert [(r["loss"], bool(r["overflow"]), r["scale"], r["next_scale"]) for r in found] == expected
    assert [r["step"] for r in found] == list(range(1, 25))
    assert [r["epoch"] for r in found] == [1] * 12 + [2] * 12
    assert {r["batch"] for r in found} == {8}

    flags = [bool(r["overflow"]) for r in found]
    assert 0 < sum(flags) < len(flags), "the case must overflow and recover"
    assert [(r["scale"], r["next_scale"]) for r in found] == scale_rule(flags, 2.0**24, 3)
    first = flags.index(True) + 1
    last = len(flags) - flags[::-1].index(True)
    streaks = [len(run) for run in "".join("x" if flag else " " for flag in flags).split()]
    settled = flags.index(False)
    assert monitor.summary() == {
        "steps": 24,
        "flagged_steps": 24,
        "overflow_from": "flag",
        "overflows": sum(flags),
        "overflow_rate": sum(flags) / 24,
        "settled_step": settled + 1,
        "settled_rate": sum(flags[settled:]) / (24 - settled),
        "longest_streak": max(streaks),
        "first_overflow": first,
        "last_overflow": last,
        "updates": 24 - sum(flags),
        "skipped_steps": [i for i, flag in enumerate(flags, 1) if flag],
        "kind": "dynamic",
        "final_scale": expected[-1][3],
        "floor": 1.0,
        "floor_reached": False,
    }
    told = [e["length"] for e in kit.events(monitor.folder) if e["event"] == "overflow_streak"]
    assert told == [length for length in streaks if length >= 3]


@pytest.mark.parametrize("mode", MODES)
def test_scale_set_by_the_host(kit, mode):
    kit.start(mode)

    class Setter(ms.train.Callback):
        def on_train_step_end(self, run_context):
            parameters = run_context.original_args()
            if parameters.cur_step_num in (2, 5):
                scale = 2.0 ** (10 - parameters.cur_step_num)
                parameters.train_network.set_sense_scale(ms.Tensor(scale, ms.float32))

    for callbacks in (lambda m: [m, Setter()], lambda m: [Setter(), m]):
        monitor = LossScaleMonitor()
        kit.model("host", scale=2.0**24).train(1, kit.data(), callbacks=callbacks(monitor))
        found = kit.rows(monitor.folder)[-12:]
        assert [r["scale"] for r in found] == [2.0**24] * 2 + [2.0**8] * 3 + [2.0**5] * 7
        assert [bool(r["overflow"]) for r in found] == [True, True] + [False] * 10
        assert monitor.summary()["kind"] == "fixed"


@pytest.mark.versions
@pytest.mark.parametrize("mode", MODES)
def test_fixed_managers(kit, mode):
    kit.start(mode)
    keeps = LossScaleMonitor("keep")
    kit.model("fixed_keep", scale=1024.0, optimizer_scale=1024.0).train(1, kit.data(), callbacks=keeps)
    found = kit.rows(keeps.folder)
    assert {(r["overflow"], r["scale"], r["next_scale"]) for r in found} == {(None, 1024.0, 1024.0)}
    kit.start(mode)
    plain = kit.by_hand("plain", kit.BATCHES)
    assert np.allclose([r["loss"] for r in found], [p[0] for p in plain], rtol=1e-4)
    told = keeps.summary()
    assert (told["overflow_from"], told["overflow_rate"], told["flagged_steps"]) == ("loss", 0.0, 0)
    assert (told["settled_step"], told["updates"], told["skipped_steps"]) == (1, 12, [])
    step = json.loads((keeps.folder / "facts" / "train_step.json").read_text())["steps"][0]
    assert step["loss_scale"]["kind"] == "fixed"
    assert step["loss_scale"]["drop_overflow_update"] is False
    assert (step["overflow_flag"], step["overflow_from"], step["count"], step["mode"]) == (False, "loss", 12, mode)

    drops = LossScaleMonitor("drop")
    kit.model("fixed_drop", scale=2.0**24).train(1, kit.data(), callbacks=drops)
    found = kit.rows(drops.folder)
    assert {(r["overflow"], r["scale"], r["next_scale"]) for r in found} == {(1.0, 2.0**24, 2.0**24)}
    assert kit.events(drops.folder)[0]["event"] == "overflow_streak"
    told = drops.summary()
    assert {k: told[k] for k in ("kind", "overflow_rate", "floor", "settled_rate", "updates")} == {
        "kind": "fixed",
        "overflow_rate": 1.0,
        "floor": None,
        "settled_rate": 1.0,
        "updates": 0,
    }
    assert told["skipped_steps"] == list(range(1, 13))


@pytest.mark.parametrize("mode", MODES)
def test_a_fixed_scale_without_a_flag_that_loses_the_loss(kit, mode):
    """The scaled loss is finite, the gradients are not, nothing is dropped: the loss of the next step is NaN."""
    kit.start(mode)
    monitor = LossScaleMonitor("run")
    trained = kit.model("fixed_keep", scale=2.0**127, optimizer_scale=2.0**127)
    trained.train(1, kit.data(), callbacks=[monitor])
    losses = [r["loss"] for r in kit.rows(monitor.folder)]
    bad = [step for step, loss in enumerate(losses, 1) if not np.isfinite(loss)]
    assert 0 < len(bad) < 12
    told = monitor.summary()
    assert (told["overflow_from"], told["overflows"], told["first_overflow"]) == ("loss", len(bad), bad[0])
    assert (told["updates"], told["skipped_steps"]) == (12, [])
    assert {r["overflow"] for r in kit.rows(monitor.folder)} == {None}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", ["flags", "opposite", "flagless"])
def test_flags_in_other_guises(kit, mode, kind):
    """Another bool before the flag, "all finite" instead of it, or none: the scale tells which it is."""
    kit.start(mode)
    expected = kit.by_hand("own", 24)
    kit.start(mode)
    monitor = LossScaleMonitor("run")
    kit.model(kind).train(2, kit.data(), callbacks=[monitor])
    found = kit.rows(monitor.folder)
    assert [(r["loss"], r["overflow"], r["scale"], r["next_scale"]) for r in found] == [
        (loss, float(overflow), before, after) for loss, overflow, before, after in expected
    ]
    told = monitor.summary()
    assert told["overflow_from"] == ("scale" if kind == "flagless" else "flag")
    assert told["updates"] == 24 - told["overflows"]
    step = json.loads((monitor.folder / "facts" / "train_step.json").read_text())["steps"][0]
    assert step["overflow_from"] == told["overflow_from"]


@pytest.mark.parametrize("mode", MODES)
def test_gradient_accumulation_in_a_cell(kit, mode):
    """Two batches share an update; an overflowing batch adds nothing."""
    kit.start(mode)
    monitor = LossScaleMonitor("run")
    kit.model("accumulating").train(2, kit.data(), callbacks=[monitor])
    found = kit.rows(monitor.folder)
    flags = [bool(r["overflow"]) for r in found]
    assert 0 < sum(flags) < 24
    assert [(r["scale"], r["next_scale"]) for r in found] == scale_rule(flags, 2.0**24, 3)
    told = monitor.summary()
    assert told["updates"] == (24 - sum(flags)) // 2
    assert told["skipped_steps"] is None, "updates and overflows do not add up to the steps"
    assert told["overflows"] == sum(flags)


def test_flags_are_not_believed_against_the_scale():
    """FlagFinder on plain numbers: places 0 and 1 are bools that mean something else, place 2 is the flag."""
    from msprec.callbacks.overflow_flag import FlagFinder

    finder = FlagFinder(floor=1.0, stock=False)
    assert finder.overflow([True, False, True], 8.0, 4.0) is True
    assert finder.overflow([True, False, False], 4.0, 8.0) is False
    assert finder.overflow([True, False, True], 8.0, 8.0) is True  # a user's rule may wait before it lowers the scale
    assert FlagFinder(1.0, stock=True).overflow([True], 8.0, 8.0) is False  # MindSpore's does not: "all finite"
    assert FlagFinder(1.0, stock=False).overflow([True], 8.0, 8.0) is True
    assert FlagFinder(1.0, stock=True).overflow([], 1.0, 1.0) is None
    assert FlagFinder(1.0, stock=True).overflow([], 2.0, 2.0) is False
    assert FlagFinder(1.0, stock=True).overflow([True], float("inf"), float("inf")) is True


@pytest.mark.parametrize("mode", MODES)
def test_plain_training_and_learning_rate_list(kit, mode):
    kit.start(mode)
    expected = kit.by_hand("plain", kit.BATCHES, rate=[0.001 * i for i in range(1, 30)])
    kit.start(mode)
    monitor = LossScaleMonitor("run")
    kit.model("plain", rate=[0.001 * i for i in range(1, 30)]).train(1, kit.data(), callbacks=[monitor])
    found = kit.rows(monitor.folder)
    assert [r["loss"] for r in found] == [e[0] for e in expected]
    assert {(r["overflow"], r["scale"], r["next_scale"]) for r in found} == {(None, None, None)}
    assert [r["lr"] for r in found] == [float(np.float32(0.001 * i)) for i in range(1, 13)]
    assert monitor.summary()["kind"] == "none"


def test_a_skipped_update_keeps_the_learning_rate_of_a_list(kit):
    kit.start("graph")
    monitor = LossScaleMonitor("run")
    kit.model("own", rate=[0.001 * i for i in range(1, 30)]).train(1, kit.data(), callbacks=[monitor])
    applied = 0
    for row in kit.rows(monitor.folder):
        assert row["lr"] == float(np.float32(0.001 * (applied + 1)))
        applied += not row["overflow"]
    assert applied not in (0, 12)


def test_learning_rate_set_by_a_callback(kit):
    kit.start("graph")
    monitor = LossScaleMonitor("run")
    scheduler = ms.train.LearningRateScheduler(lambda rate, step: 0.01 / step)
    trained = kit.model("plain")
    trained.train(1, kit.data(), callbacks=[monitor, scheduler])
    found = [r["lr"] for r in kit.rows(monitor.folder)]
    assert found == [float(np.float32(0.01))] + [float(np.float32(0.01 / step)) for step in range(1, 12)]


def test_o2_o3(kit):
    kit.start("graph")
    monitor = LossScaleMonitor("run")
    kit.model("o2").train(1, kit.data(), callbacks=[monitor])
    assert monitor.summary()["kind"] == "dynamic"
    assert kit.rows(monitor.folder)[0]["scale"] == 2.0**24
    other = LossScaleMonitor("o3")
    kit.model("o3").train(1, kit.data(), callbacks=[other])
    assert other.summary()["kind"] == "none"


def test_scale_at_its_floor(kit):
    kit.start("graph")

    class Never(kit.OwnCheckCell):
        def get_overflow_status(self, status, compute_output):
            return ms.ops.logical_not(ms.amp.all_finite((compute_output[0] * float("inf"),)))

    net = kit.network(True)
    optimizer = ms.nn.Momentum(net.trainable_params(), 0.01, 0.9)
    update = ms.nn.DynamicLossScaleUpdateCell(8.0, 2, 3)
    monitor = LossScaleMonitor("run")
    cell = Never(ms.nn.WithLossCell(net, ms.nn.MSELoss()), optimizer, update)
    ms.train.Model(cell).train(1, kit.data(), callbacks=[monitor])
    assert [r["next_scale"] for r in kit.rows(monitor.folder)] == [4.0, 2.0] + [1.0] * 10
    told = [{k: v for k, v in e.items() if k != "time"} for e in kit.events(monitor.folder)]
    assert told == [
        {"event": "scale_floor", "step": 3, "scale": 1.0},
        {"event": "overflow_streak", "step": 12, "first": 1, "last": 12, "length": 12},
    ]
    assert monitor.summary()["floor_reached"] is True


def test_two_trainings_of_one_run_count_on(kit):
    kit.start("graph")
    monitor, other = LossScaleMonitor("run"), LossScaleMonitor("run")
    trained = kit.model("own")
    trained.train(1, kit.data(), callbacks=[monitor])
    trained.train(1, kit.data(3), callbacks=[other, monitor])
    assert [r["step"] for r in kit.rows(monitor.folder)] == list(range(1, 16))
    assert (monitor.summary()["steps"], other.summary()["steps"]) == (15, 3)
    entries = json.loads((monitor.folder / "facts" / "train_step.json").read_text())["steps"]
    assert [entry["count"] for entry in entries] == [12, 3]
    assert json.loads((monitor.folder / "run.json").read_text())["training_steps"] == 15


def test_fit_with_evaluation_in_between(kit):
    kit.start("graph")
    net = kit.network(False)
    optimizer = ms.nn.Momentum(net.trainable_params(), 0.01, 0.9)
    trained = ms.train.Model(net, ms.nn.MSELoss(), optimizer, metrics={"mae"})
    monitor = LossScaleMonitor("run")
    trained.fit(2, kit.data(), kit.data(2), callbacks=[monitor])
    assert [r["step"] for r in kit.rows(monitor.folder)] == list(range(1, 25))
    assert not kit.events(monitor.folder)


def test_what_an_optimizer_gives_is_no_overflow_flag():
    """UpdateFlagFinder on plain numbers: a flag of a cell without a loss scale, and the optimizer's count around it."""
    from msprec.callbacks.overflow_flag import UpdateFlagFinder

    success = UpdateFlagFinder()
    assert [success.overflow([True], count, count + 1) for count in range(3)] == [None, None, None]
    assert [success.overflow([False], 3, 3), success.overflow([True], 3, 4)] == [None, None]  # a skipped update
    overflow = UpdateFlagFinder()
    assert overflow.overflow([True], 0, 1) is None  # an overflow whose update was made all the same, or a success
    assert [overflow.overflow([False], 1, 2), overflow.overflow([True], 2, 2)] == [False, True]
    skipping = UpdateFlagFinder()
    assert [skipping.overflow([True], 0, 0), skipping.overflow([False], 0, 1)] == [None, False]
    uncounted = UpdateFlagFinder()
    assert uncounted.overflow([True], None, None) is None
    assert [uncounted.overflow([False], None, None), uncounted.overflow([True], None, None)] == [False, True]
