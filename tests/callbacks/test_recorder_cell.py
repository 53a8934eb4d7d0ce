"""Every step of a sink. A CPU does not sink: the calls of `Model`'s sink loop are made here by hand, in its order."""

import json
from dataclasses import replace

import mindspore as ms
import numpy as np
import pytest
from mindspore import nn
from mindspore.train import Model
from mindspore.train.callback import RunContext, _CallbackManager, _InternalCallbackParam

from msprec import LossScaleMonitor, NonFiniteError, NonFiniteMonitor, PrecisionMonitor, RecorderCell, keep_steps
from msprec.engine import conclude
from msprec.observe import callback_facts

STEPS = 24


def batches(kit, steps=STEPS):
    x, y = kit.arrays()
    for step in range(steps):
        at = slice((step % kit.BATCHES) * kit.BATCH, (step % kit.BATCHES + 1) * kit.BATCH)
        yield ms.Tensor(x[at]), ms.Tensor(y[at])


def sink(model, given, size, callbacks, bound=lambda cell: cell):
    """What `Model._train_dataset_sink_process` does, with the loop over a sink here instead of on the device."""
    parameters = _InternalCallbackParam()
    parameters.update(
        cur_step_num=0,
        train_network=model.train_network,
        batch_num=size,
        mode="train",
        sink_size=size,
        optimizer=model._optimizer,
        loss_scale_mananger=model._loss_scale_manager,
        network=model._network,
        dataset_sink_mode=True,
        list_callback=callbacks,
        train_dataset_element=None,
    )
    context = RunContext(parameters)
    given = list(given)
    model.train_network.set_train()
    with _CallbackManager(callbacks) as manager:
        manager.on_train_begin(context)
        parameters.train_network = bound(model.train_network)
        for epoch, first in enumerate(range(0, len(given), size), 1):
            parameters.cur_epoch_num = epoch
            manager.on_train_epoch_begin(context)
            parameters.cur_step_num += size
            parameters.train_dataset_element = ()
            manager.on_train_step_begin(context)
            for batch in given[first : first + size]:
                parameters.net_outputs = model.train_network(*batch)
            manager.on_train_step_end(context)
            manager.on_train_epoch_end(context)
            if context.get_stop_requested():
                break
        manager.on_train_end(context)


@pytest.mark.versions
@pytest.mark.parametrize("mode", ["graph", "pynative"])
def test_the_ring_wraps(kit, mode):
    kit.start(mode)
    expected = kit.by_hand("own", STEPS)
    kit.start(mode)
    cell = RecorderCell(kit.model("own").train_network, steps=7)
    cell.set_train()
    parts, read_after = [], (5, 12, 12, 13, 23, 24)  # the fifth reading comes ten steps after the fourth
    for step, batch in enumerate(batches(kit), 1):
        cell(*batch)
        parts += [cell.take() for _ in range(read_after.count(step))]
    assert [(len(part), part.lost) for part in parts] == [(5, 0), (7, 0), (0, 0), (1, 0), (7, 3), (1, 0)]
    seen = [step for step in range(STEPS) if step not in (13, 14, 15)]
    whole = [np.concatenate([getattr(part, name) for part in parts]) for name in ("outputs", "scale", "updates")]
    assert whole[0][:, 0].tolist() == [expected[step][0] for step in seen]
    assert whole[0][:, 1].tolist() == [float(expected[step][1]) for step in seen]
    assert whole[1].tolist() == [expected[step][3] for step in seen]
    updates = np.cumsum([not row[1] for row in expected])
    assert whole[2].tolist() == [updates[step] for step in seen]
    assert {row[1] for row in expected} == {True, False}


@pytest.mark.parametrize("kind", ["plain", "host", "shuffled", "flags", "opposite", "flagless", "fixed_keep"])
def test_sinks_are_read_as_single_steps_are(kit, kind):
    options = {"scale": 8.0, "optimizer_scale": 8.0} if kind == "fixed_keep" else {}
    folders = []
    for size in (1, 6):
        kit.start("graph")
        model, monitor = keep_steps(kit.model(kind, **options)), LossScaleMonitor(f"run{size}")
        sink(model, batches(kit), size, [monitor])
        folders.append(monitor.folder)
    one, six = ([dict(row, epoch=None) for row in kit.rows(folder)] for folder in folders)
    assert one == six
    assert len(six) == STEPS


def test_rows_of_a_training_in_sinks(kit):
    kit.start("graph")
    expected = kit.by_hand("dynamic", STEPS)
    kit.start("graph")
    rate = nn.exponential_decay_lr(0.01, 0.9, STEPS, 1, 1)
    model, monitor = keep_steps(kit.model("dynamic", rate=rate), steps=8), PrecisionMonitor(out="run")
    sink(model, batches(kit), 8, [monitor])
    rows = kit.rows(monitor.folder)
    assert [row["step"] for row in rows] == list(range(1, STEPS + 1))
    assert [row["epoch"] for row in rows] == [1] * 8 + [2] * 8 + [3] * 8
    flags = [bool(row["overflow"]) for row in rows]
    updates = np.concatenate(([0], np.cumsum(np.logical_not(flags))[:-1]))
    assert [row["lr"] for row in rows] == pytest.approx([rate[count] for count in updates])
    assert [row["scale"] for row in rows[1:]] == [row["next_scale"] for row in rows[:-1]]
    assert rows[0]["scale"] == expected[0][2]
    assert flags[:6] == [row[1] for row in expected[:6]]
    assert [row["seconds"] == rows[i // 8 * 8]["seconds"] for i, row in enumerate(rows)] == [True] * STEPS
    assert [row["data_seconds"] is not None for row in rows] == ([True] + [False] * 7) * 3
    told = monitor.summary()
    assert told["loss_scale"]["overflows"] == sum(flags)
    assert told["step_time"]["steps"] == STEPS
    assert told["step_time"]["max"] == max(row["seconds"] for row in rows[8:])  # the first sink compiles


@pytest.mark.parametrize("mode", ["graph", "pynative"])
@pytest.mark.parametrize("kind", ["plain", "own", "dynamic", "host"])
def test_the_same_bits_and_checkpoints(kit, tmp_path, mode, kind):
    found = []
    for wrap in (lambda model: model, keep_steps):
        kit.start(mode)
        model, folder = wrap(kit.model(kind)), tmp_path / f"{len(found)}"
        config = ms.train.CheckpointConfig(save_checkpoint_steps=6, exception_save=True)
        callbacks = [ms.train.ModelCheckpoint("net", str(folder), config), LossScaleMonitor(f"run{len(found)}")]
        model.train(2, kit.data(), callbacks=callbacks)
        ms.save_checkpoint(model.train_network, str(folder / "whole.ckpt"))
        saved = {
            path.name: [(key, value.asnumpy().tobytes()) for key, value in ms.load_checkpoint(str(path)).items()]
            for path in sorted(folder.glob("*.ckpt"))
        }
        losses = [row["loss"] for row in kit.rows(callbacks[1].folder)]
        found.append(
            (saved, losses, kit.state(), [p.name for p in model._optimizer.parameters] if model._optimizer else [])
        )
    bare, kept = found
    assert len(bare[0]) > 1
    assert list(kept[0].items()) == list(bare[0].items())
    assert kept[1:] == bare[1:]


def test_the_ring_is_nobodys_parameter(kit):
    from mindspore.train.dataset_helper import _DataWrapper

    kit.start("graph")
    cell = kit.model("own").train_network
    names = [p.name for p in cell.get_parameters()]
    wrapped = RecorderCell(cell)
    bound = _DataWrapper(wrapped, [ms.float32, ms.float32], [[8, 4], [8, 1]], "queue")
    for one in (wrapped, bound):
        assert [p.name for p in one.get_parameters()] == names
        assert list(one.parameters_dict()) == names
        assert [p.name for p in one.trainable_params()] == [p.name for p in cell.trainable_params()]
    assert not any(p.requires_grad for p in (wrapped._values, wrapped._numbers, wrapped._calls))
    assert wrapped.optimizer is cell.optimizer
    assert keep_steps(wrapped) is wrapped


def test_a_ring_too_small_says_so(kit):
    kit.start("graph")
    model, monitor = keep_steps(kit.model("own"), steps=5), LossScaleMonitor("run")
    with pytest.warns(RuntimeWarning, match="3 steps of a sink of 8 are missing"):
        sink(model, batches(kit), 8, [monitor])
    assert [row["step"] for row in kit.rows(monitor.folder)] == [4, 5, 6, 7, 8, 12, 13, 14, 15, 16, 20, 21, 22, 23, 24]
    missing = [(e["first"], e["last"]) for e in kit.events(monitor.folder) if e["event"] == "steps_missing"]
    assert missing == [(1, 3), (9, 11), (17, 19)]


def test_a_ring_that_disagrees_is_not_believed(kit, monkeypatch):
    kit.start("graph")
    model, monitor = keep_steps(kit.model("own")), LossScaleMonitor("run")
    honest = RecorderCell.take

    def dishonest(cell):
        kept = honest(cell)
        return replace(kept, outputs=kept.outputs + 1)

    monkeypatch.setattr(RecorderCell, "take", dishonest)
    with pytest.warns(RuntimeWarning, match="missing"):
        sink(model, batches(kit, 8), 8, [monitor])
    assert [row["step"] for row in kit.rows(monitor.folder)] == [8]


def test_nan_inside_a_sink(kit):
    given = list(batches(kit, 12))
    given[4] = (given[4][0], ms.Tensor(np.full((kit.BATCH, 1), np.nan, np.float32)))  # a CPU's ReLU makes 0 of NaN
    kit.start("graph")
    monitor = NonFiniteMonitor("stop", "run")
    with pytest.warns(RuntimeWarning, match="nan at step 5"):
        sink(keep_steps(kit.model("plain")), given, 6, [monitor])
    assert monitor.first[0] == 5
    assert [e["step"] for e in kit.events(monitor.folder) if e["event"] == "stopped"] == [5]
    assert len(kit.rows(monitor.folder)) == 6
    kit.start("graph")
    with pytest.raises(NonFiniteError, match="step 5"):
        sink(keep_steps(kit.model("plain")), given, 6, [NonFiniteMonitor("raise", "run2")])


@pytest.mark.versions
def test_a_cpu_does_not_sink(kit):
    """`Model.train` goes on step by step there, without a word."""
    kit.start("graph")
    modes, monitor = [], PrecisionMonitor(out="run")

    class Modes(ms.train.Callback):
        def on_train_step_end(self, run_context):
            modes.append(run_context.original_args().dataset_sink_mode)

    model = keep_steps(kit.model("own"))
    model.train(4, kit.data(), callbacks=[monitor, Modes()], dataset_sink_mode=True, sink_size=6)
    assert modes == [False] * (4 * kit.BATCHES)
    assert len(kit.rows(monitor.folder)) == 4 * kit.BATCHES


def test_a_replay_leaves_the_ring_alone(kit):
    given = [(x, y) for x, y in batches(kit, 4)]
    given[2] = (given[2][0], ms.Tensor(np.full((kit.BATCH, 1), np.nan, np.float32)))
    kit.start("graph")
    model, monitor = keep_steps(kit.model("plain")), NonFiniteMonitor(out="run", locate=True)
    data = ms.dataset.GeneratorDataset([(x.asnumpy(), y.asnumpy()) for x, y in given], ["x", "y"], shuffle=False)
    with pytest.warns(RuntimeWarning, match="nan at step 3"):
        model.train(1, data, callbacks=[monitor])
    assert [e["phase"] for e in kit.events(monitor.folder) if e["event"] == "located"] == ["data"]
    kept = model.train_network.take()
    assert len(kept) == 4
    assert np.isnan(kept.outputs[:, 0]).tolist() == [False, False, True, True]


def test_bad_arguments(kit):
    cell = kit.model("plain").train_network
    for wrong in (0, -3):
        with pytest.raises(ValueError, match="at least 1"):
            RecorderCell(cell, wrong)
    for wrong in (True, 2.5, "8"):
        with pytest.raises(TypeError, match="int"):
            keep_steps(cell, wrong)
    with pytest.raises(TypeError, match="training cell"):
        keep_steps("cell")
    with pytest.raises(TypeError, match="no training cell"):
        broken = Model(kit.network(False))
        broken._train_network = None
        keep_steps(broken)


#: Items that only batches can decide, of those about data.
OF_BATCHES = ("ds.01", "ds.02", "ds.03", "dp.01", "dp.03")


def test_a_sink_is_concluded_without_its_batches(kit):
    """What callbacks see of it is recorded; what a batch would have to show stays open, and says how it is seen."""
    kit.start("graph")
    monitor = PrecisionMonitor(out="run")
    sink(keep_steps(kit.model("own")), batches(kit), 8, [monitor])
    callback_facts.write_waiting()
    read = {path.stem: json.loads(path.read_text()) for path in (monitor.folder / "facts").iterdir()}
    assert "datasets" not in read and {"network", "parameters", "optimizer", "modes", "train_step"} <= {*read}
    assert [(one["sink"], one["count"]) for one in read["train_step"]["steps"]] == [(True, STEPS)]
    assert [p["moved"]["any"] for p in read["parameters"]["parameters"]] == [True] * len(
        read["parameters"]["parameters"]
    )
    items = {item["id"]: item for item in conclude(monitor.folder, "en")["items"]}
    for name in OF_BATCHES:
        assert items[name]["conclusion"] == "undecided", items[name]
        assert "dataset_sink_mode=False" in items[name]["would_decide"], items[name]
    decided = [name for name, item in items.items() if item["conclusion"] in ("ok", "problem", "not_applicable")]
    assert {"cg.01", "cg.02", "wi.01", "mp.01", "mp.02"} & {*decided}, decided
