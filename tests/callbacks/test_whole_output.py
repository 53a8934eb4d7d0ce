"""`msprec.watch` is handed the whole output of a training cell with a loss scale."""

import pytest

import msprec
from msprec.record.overflow_rules import FLAG
from msprec.record.reader import RunFolder


def _number(tensor) -> float:
    return float(tensor.asnumpy().reshape(-1)[0])


@pytest.mark.parametrize("mode", ["graph", "pynative"])
@pytest.mark.parametrize("named", [True, False], ids=["the cell", "its network"])
def test_overflow_and_scale_are_recorded(kit, mode, named):
    kit.start(mode)
    cell = kit.model("own", scale=2.0**17, window=3).train_network
    cell.set_train()
    expected = []
    with msprec.watch(cell if named else cell.network, cell.optimizer, out="run") as monitor:
        for x, y in kit.data().create_tuple_iterator(num_epochs=1):
            before = _number(cell.scale_sense)
            loss, overflow, scale = cell(x, y)
            expected.append((_number(loss), _number(overflow), before, _number(cell.scale_sense)))
            monitor.step((loss, overflow, scale))
    rows = kit.rows(monitor.folder)
    told = [
        tuple(float("nan" if row[key] is None else row[key]) for key in ("loss", "overflow", "scale", "next_scale"))
        for row in rows
    ]
    assert len(told) == len(expected) and sum(row[1] for row in expected) > 1
    assert [row[:2] for row in told] == [row[:2] for row in expected]
    if named:
        assert [row[2:] for row in told] == [row[2:] for row in expected]
    summary = monitor.summary()["loss_scale"]
    assert summary["overflows"] == sum(row[1] for row in expected)
    if named:
        [entry] = RunFolder(monitor.folder).facts("train_step")["steps"]
        assert (entry["loss_scale"]["kind"], entry["loss_scale"]["initial"]) == ("dynamic", 2.0**17)
        assert entry["overflow_from"] == FLAG
