"""SCHEMA.md is what the schema says, and what is written is of the schema."""

import json
import re
from pathlib import Path

import pytest
import recordings

from msprec.record import gradient_statistics, step_recorder
from msprec.record.schema import EVENTS, FACTS, GRADIENTS, RUN, STEPS, Choice, Key, Map, count, finite, number, text
from msprec.record.schema.check import differences, event_differences, folder_differences
from msprec.record.schema.notation import numeric_setting
from msprec.record.schema.vocabulary import vocabulary
from msprec.record.write_schema import SCHEMA_MD, schema_md

SOURCES = Path(recordings.ROOT) / "msprec"


def test_the_file_is_what_the_schema_writes():
    assert SCHEMA_MD.read_text("utf-8") == schema_md(), "python -m msprec.record.write_schema"


def test_every_key_says_what_it_means():
    assert not [path for path, key in _keys({**FACTS, "run": RUN, **EVENTS}) if not key.meaning]


def test_the_columns_written_are_those_of_the_schema():
    assert tuple(STEPS) == step_recorder.COLUMNS
    assert tuple(GRADIENTS) == gradient_statistics.COLUMNS


def test_what_the_schema_names_is_written():
    """Each key and event of the schema stands in the code of what writes."""
    read = (SOURCES / "record" / "schema", SOURCES / "engine", SOURCES / "report")
    files = [file for file in SOURCES.rglob("*.py") if not any(folder in file.parents for folder in read)]
    code = "\n".join(file.read_text("utf-8") for file in files)
    written = set(re.findall(r"""["'](\w+)["']""", code)) | set(re.findall(r"\b([A-Za-z_]\w*)\s*[=:]", code))
    assert not [path for path, _ in _keys({**FACTS, "run": RUN, **EVENTS}) if path.split(".")[-1] not in written]
    assert not [name for name in EVENTS if name not in written]


@pytest.mark.parametrize("archive", sorted(recordings.RECORDED.glob("*.tar.xz")), ids=lambda file: file.name[:-7])
def test_the_recorded_run_folders_are_of_the_schema(archive, tmp_path):
    folder = recordings.unpack(archive.name[: -len(".tar.xz")], tmp_path)
    runs = [file.parent for file in sorted(folder.glob("*/run.json"))]
    assert runs
    assert [f"{run.name}: {line}" for run in runs for line in folder_differences(run)] == []


def test_a_live_run_is_of_the_schema(scripts):
    scripts.write(TRAINING)
    assert scripts.observed().status == 0
    assert scripts.rows()
    assert folder_differences(scripts.run_folder) == []


@pytest.mark.parametrize(
    ("value", "type", "found"),
    [
        (1.5, count, ["k: no count: 1.5"]),
        (-1, count, ["k: no count: -1"]),
        (True, count, ["k: no count: True"]),
        ("1", number, ["k: no number: '1'"]),
        ("nan", number, []),
        ("nan", finite, []),
        ("mean", numeric_setting, []),
        (True, numeric_setting, ["k: no numeric_setting: True"]),
        (3, text, ["k: no text: 3"]),
        ("new", Choice("old"), ["k: no one of old: 'new'"]),
        ("new", Choice("old", more=True), []),
        ([1, "x"], [count], ["k[]: no count: 'x'"]),
        (3, [count], ["k: no list: 3"]),
        ({"a": "x"}, Map(count), ["k.*: no count: 'x'"]),
        ({"a": 1, "b": 2}, {"a": Key(count, "")}, ["k.b: not in the schema"]),
        ([], {"a": Key(count, "")}, ["k: no object: []"]),
        (None, count, []),
    ],
)
def test_what_is_not_of_its_type_is_told(value, type, found):
    assert differences(value, Key(type, ""), "k") == found


def test_a_run_folder_tells_file_and_key(tmp_path):
    (tmp_path / "facts").mkdir()
    (tmp_path / "rank_0").mkdir()
    (tmp_path / "facts" / "loss.json").write_text(json.dumps({"losses": [{"class": 3, "kind": "x"}]}))
    (tmp_path / "facts" / "other.json").write_text("{}")
    (tmp_path / "rank_0" / "steps.csv").write_text("step,loss\n1,2\n")
    (tmp_path / "rank_0" / "gradients.csv").write_text(f"{','.join(GRADIENTS)}\n1,w,x,inf\n")
    assert folder_differences(tmp_path) == [
        "facts/loss.json: losses[].class: no text: 3",
        "facts/loss.json: losses[].kind: not in the schema",
        "facts/other.json: not in the schema",
        "rank_0/gradients.csv: size: no count: 'x'",
        "rank_0/steps.csv: columns step,loss, not those of the schema",
    ]


def test_an_event_is_held_against_its_own_keys():
    event = {"event": "scale_floor", "step": 3, "time": 0.1, "scale": 1.0}
    assert event_differences(event) == []
    assert event_differences({**event, "norm": 1.0}) == ["scale_floor.norm: not in the schema"]
    assert event_differences({**event, "event": "other"}) == ["event other: not in the schema"]


def test_the_vocabulary_holds_keys_events_and_texts():
    assert {"datasets", "loss", "train", "root", "located", "softmax_cross_entropy"} <= vocabulary()


def _keys(type, path=""):
    """All keys below a type, each with its path."""
    while isinstance(type, (list, Map, Key)):
        type = type[0] if isinstance(type, list) else type.type
    for name, inner in type.items() if isinstance(type, dict) else ():
        if isinstance(inner, Key):
            yield f"{path}.{name}", inner
        yield from _keys(inner, f"{path}.{name}")


TRAINING = """
import numpy as np
import mindspore as ms
from mindspore import nn
from mindspore.dataset import GeneratorDataset

ms.set_seed(1)
rng = np.random.default_rng(1)
x = rng.normal(size=(64, 4)).astype("float32")
y = (x.sum(1) > 0).astype("int32")
data = GeneratorDataset(list(zip(x, y)), ["x", "y"], shuffle=True).batch(16)
net = nn.Dense(4, 2)
model = ms.train.Model(net, nn.CrossEntropyLoss(), nn.Momentum(net.trainable_params(), 0.05, 0.9), {"accuracy"})
model.train(3, data, dataset_sink_mode=False)
model.eval(data, dataset_sink_mode=False)
"""
