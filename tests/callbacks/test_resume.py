"""A training that goes on from a checkpoint into the same run folder. A new process is one whose recorders are new."""

from types import SimpleNamespace

import mindspore as ms
import pytest

import msprec
from msprec import PrecisionMonitor
from msprec.record import step_recorder as recorders
from msprec.record.reader import RunFolder


def train(kit, monkeypatch, kind="dynamic", load=None, stop=None, epochs=2, monitor=True, resume=False, **options):
    """One process: trains, saves a checkpoint every 4 steps, and dies in step ``stop`` + 1 without writing what it has."""
    monkeypatch.setattr(recorders, "_recorders", {})
    kit.start("graph")
    model = kit.model(kind, **options.pop("model", {}))
    if load is not None:
        ms.load_param_into_net(model.train_network, ms.load_checkpoint(load))
    config = ms.train.CheckpointConfig(save_checkpoint_steps=4, keep_checkpoint_max=50)
    callbacks = [ms.train.ModelCheckpoint("net" if load is None else "more", "saved", config)]
    monitors = [PrecisionMonitor(out="run", resume=resume)] if monitor else []

    class Dies(ms.train.Callback):
        def on_train_step_begin(self, run_context):
            if stop is not None and run_context.original_args().cur_step_num == stop + 1:
                raise SystemExit

    try:
        model.train(epochs, kit.data(), callbacks=[*monitors, *callbacks, Dies()], **options)
    except SystemExit:
        assert stop is not None
    return monitors[0].folder if monitors else None


def resumed(kit, folder):
    return [{key: e[key] for key in ("step", "by", "recorded")} for e in kit.events(folder) if e["event"] == "resumed"]


def without_times(rows):
    return [
        {key: row[key] for key in ("step", "epoch", "loss", "overflow", "scale", "next_scale", "lr")} for row in rows
    ]


def test_a_run_in_two_parts_is_recorded_as_one_is(kit, monkeypatch, tmp_path):
    whole = without_times(kit.rows(train(kit, monkeypatch, epochs=3)))
    (tmp_path / "run").rename(tmp_path / "whole")
    train(kit, monkeypatch, epochs=2)
    folder = train(kit, monkeypatch, epochs=3, initial_epoch=2, load="saved/net-2_12.ckpt")
    rows = without_times(kit.rows(folder))
    assert [row["step"] for row in rows] == list(range(1, 37))
    assert rows[:24] == whole[:24]
    assert [row["epoch"] for row in rows] == [row["epoch"] for row in whole]
    assert resumed(kit, folder) == [{"step": 24, "by": "initial_epoch", "recorded": 24}]
    run = RunFolder(folder).run
    assert (run["training_steps"], [part["training_steps"] for part in run["earlier"]]) == (36, [24])
    assert [entry["count"] for entry in RunFolder(folder).facts("train_step")["steps"]] == [24, 12]


@pytest.mark.parametrize(("how", "options"), [("initial_epoch", {"initial_epoch": 1}), ("global_step", {})])
def test_from_a_checkpoint_before_the_crash(kit, monkeypatch, how, options):
    """Nothing is overwritten; a reader takes the later row of a step."""
    folder = train(kit, monkeypatch, kind="plain", stop=18)
    before = (folder / "rank_0" / "steps.csv").read_bytes()
    train(kit, monkeypatch, kind="plain", load="saved/net-1_12.ckpt", **options)
    assert (folder / "rank_0" / "steps.csv").read_bytes().startswith(before)
    rows = kit.rows(folder)
    written = [row["step"] for row in rows]
    last = 24 if options else 36
    assert written == [*range(1, 19), *range(13, last + 1)]
    table = RunFolder(folder).steps()
    assert table["step"].tolist() == list(range(1, last + 1))
    assert table["seconds"].tolist() == [row["seconds"] for row in rows[:12] + rows[18:]]
    assert resumed(kit, folder) == [{"step": 12, "by": how, "recorded": 18}]


def test_updates_are_counted_without_the_skipped_steps(kit, monkeypatch):
    options = {"model": {"scale": 2.0**17, "window": 100}}
    folder = train(kit, monkeypatch, **options)
    flags = RunFolder(folder).steps()["overflow"].tolist()
    assert sum(flags[:8]) > 1 and not flags[8]
    train(kit, monkeypatch, load="saved/net-1_8.ckpt", epochs=1, **options)
    assert resumed(kit, folder) == [{"step": 8, "by": "global_step", "recorded": 24}]


def test_accumulated_gradients(kit, monkeypatch):
    options = {"kind": "accumulating", "model": {"scale": 8.0, "window": 100}}
    folder = train(kit, monkeypatch, stop=18, **options)
    assert RunFolder(folder).facts("train_step")["steps"][0]["accumulation"] == 2
    train(kit, monkeypatch, load="saved/net-2_4.ckpt", epochs=1, **options)
    assert resumed(kit, folder) == [{"step": 16, "by": "global_step", "recorded": 18}]


def test_a_training_that_begins_anew_gets_a_folder_of_its_own(kit, monkeypatch, capfd):
    folder = train(kit, monkeypatch, kind="plain", epochs=1)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    own = [train(kit, monkeypatch, kind="plain", epochs=1) for _ in range(2)]
    assert [one.name for one in own] == ["run-2", "run-3"]
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    for one in own:
        assert RunFolder(one).steps()["step"].tolist() == list(range(1, 13)) and resumed(kit, one) == []
    said = [line for line in capfd.readouterr().err.splitlines() if "holds the steps of another training" in line]
    assert [line.split(" is recorded in ")[1].split()[0] for line in said] == ["run-2", "run-3"]


def test_asked_to_the_numbers_go_on(kit, monkeypatch):
    folder = train(kit, monkeypatch, kind="plain", epochs=1)
    with open(folder / "rank_0" / "steps.csv", "a") as file:
        file.write("13,2,0.5")  # the process was killed within a line
    train(kit, monkeypatch, kind="plain", epochs=1, resume=True)
    assert resumed(kit, folder) == [{"step": 12, "by": "record", "recorded": 12}]
    assert RunFolder(folder).steps()["step"].tolist() == list(range(1, 25))


def test_a_second_training_of_one_process_is_no_resumption(kit, monkeypatch):
    monitor = PrecisionMonitor(out="run")
    model = kit.model("plain")
    for epochs, first in ((1, 0), (2, 1)):
        model.train(epochs, kit.data(), callbacks=[monitor], initial_epoch=first)
    assert [row["step"] for row in kit.rows(monitor.folder)] == list(range(1, 25))
    assert resumed(kit, monitor.folder) == []


def test_into_a_new_folder(kit, monkeypatch):
    train(kit, monkeypatch, kind="plain", monitor=False)
    folder = train(kit, monkeypatch, kind="plain", load="saved/net-2_12.ckpt", epochs=3, initial_epoch=2)
    assert [row["step"] for row in kit.rows(folder)] == list(range(25, 37))


def test_events_of_the_abandoned_part_are_left_out(kit, monkeypatch):
    def poisoned():
        x, y = kit.arrays()
        y = y.copy()
        y[kit.BATCH * 6] = float("nan")
        return ms.dataset.NumpySlicesDataset({"x": x, "y": y}, shuffle=False).batch(kit.BATCH)

    bad = SimpleNamespace(**{**vars(kit), "data": poisoned})
    with pytest.warns(RuntimeWarning, match="nan at step 7"):
        folder = train(bad, monkeypatch, kind="plain", epochs=1)
    train(kit, monkeypatch, kind="plain", load="saved/net-1_4.ckpt", epochs=1)
    named = [e["event"] for e in RunFolder(folder).events()]
    assert named == ["resumed"]
    assert "first_nonfinite" in [e["event"] for e in kit.events(folder)]


@pytest.mark.parametrize(("restored", "resume"), [(True, False), (False, True), (False, False)])
def test_a_loop_of_ones_own(kit, monkeypatch, restored, resume):
    x, y = (ms.Tensor(part[: kit.BATCH]) for part in kit.arrays())
    for part in range(2):
        monkeypatch.setattr(recorders, "_recorders", {})
        kit.start("pynative")
        cell = kit.model("plain").train_network
        cell.set_train()
        if part and restored:
            ms.load_param_into_net(cell, ms.load_checkpoint("at_3.ckpt"))
        with msprec.watch(cell.network, cell.optimizer, out="run", resume=resume) as monitor:
            for step in range(5):
                monitor.step(cell(x, y))
                if not part and step == 2:
                    ms.save_checkpoint(cell, "at_3.ckpt")
    if not restored and not resume:
        assert monitor.folder.name == "run-2" and RunFolder(monitor.folder).steps()["step"].tolist() == [1, 2, 3, 4, 5]
        assert RunFolder("run").steps()["step"].tolist() == [1, 2, 3, 4, 5]
        return
    expected = {"step": 3, "by": "global_step"} if restored else {"step": 5, "by": "record"}
    assert resumed(kit, monitor.folder) == [{**expected, "recorded": 5}]
    last = 8 if restored else 10
    assert RunFolder(monitor.folder).steps()["step"].tolist() == list(range(1, last + 1))
