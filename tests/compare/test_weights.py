"""`msprec compare weights`: reading without executing, names of two frameworks, what the values say."""

import json
import os
import pickle
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from msprec.cli import main
from msprec.compare.arrays import Array
from msprec.compare.errors import CannotRead
from msprec.compare.weights.compare import compare_weights
from msprec.compare.weights.files import Weights, read_weights
from msprec.compare.weights.parameter_matching import (
    in_common_words,
    is_training_state,
    match,
    read_mapping,
    read_renames,
)
from msprec.compare.weights.weights_text import conclusion

SMALL = Path(__file__).parent / "data" / "small.pth"  # torch.save of PyTorch 2.13: a training checkpoint


def weights(name="x", **arrays) -> Weights:
    made = {k.replace("__", "."): np.asarray(v) for k, v in arrays.items()}
    return Weights(Path(name), {k: Array(v.shape, v.dtype.name, lambda v=v: v) for k, v in made.items()})


def draw(seed, *shape, scale=1.0):
    return (scale * np.random.RandomState(seed).randn(*shape)).astype(np.float32)


def ask(*args):
    return CliRunner().invoke(main, ["compare", "weights", *map(str, args)])


# --- reading ------------------------------------------------------------------------------------------------------
def test_a_checkpoint_of_pytorch():
    read = read_weights(SMALL)
    assert list(read.arrays) == ["conv.weight", "part", "half", "bn.num_batches_tracked"]
    base = np.arange(24, dtype=np.float32).reshape(4, 6)
    np.testing.assert_array_equal(read.arrays["conv.weight"].load(), base)
    np.testing.assert_array_equal(read.arrays["part"].load(), base[1:3, ::2].T)  # a view with strides
    half = read.arrays["half"]
    assert half.dtype == "bfloat16" and half.load().tolist() == [1.5, -2.0]
    assert read.arrays["bn.num_batches_tracked"].load() == 7


class Evil:
    def __reduce__(self):
        return os.system, ("touch pwned",)


def repacked(target: Path, change) -> Path:
    """small.pth with its members changed by ``change(name, bytes)``."""
    with zipfile.ZipFile(SMALL) as source, zipfile.ZipFile(target, "w") as out:
        for name in source.namelist():
            data = change(name, source.read(name))
            if data is not None:
                out.writestr(name, data)
    return target


def test_a_pickle_with_code_is_not_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    evil = repacked(tmp_path / "evil.pth", lambda n, d: pickle.dumps({"a": Evil()}) if n.endswith("data.pkl") else d)
    with pytest.raises(CannotRead, match=r"it names (posix|nt)\.system, which is no weight; not read"):
        read_weights(evil)
    assert not (tmp_path / "pwned").exists()


def test_damaged_checkpoints_of_pytorch(tmp_path):
    (tmp_path / "cut.pth").write_bytes(SMALL.read_bytes()[:900])
    gone = repacked(tmp_path / "gone.pth", lambda n, d: None if n.endswith("data/0") else d)
    short = repacked(tmp_path / "short.pth", lambda n, d: d[:8] if n.endswith("data/0") else d)
    wild = repacked(tmp_path / "wild.pth", lambda n, d: d[:40] if n.endswith("data.pkl") else d)
    for path in (tmp_path / "cut.pth", wild):
        with pytest.raises(CannotRead):
            read_weights(path)
    for path in (gone, short):
        with pytest.raises(CannotRead):
            read_weights(path).arrays["conv.weight"].load()


def test_safetensors(tmp_path):
    values = np.arange(6, dtype=np.float32).reshape(2, 3)
    header = {
        "__metadata__": {"format": "pt"},
        "w": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]},
        "h": {"dtype": "BF16", "shape": [1], "data_offsets": [24, 26]},
    }
    text = json.dumps(header).encode()
    data = struct.pack("<Q", len(text)) + text + values.tobytes() + b"\xc0\x3f"
    path = tmp_path / "a.safetensors"
    path.write_bytes(data)
    read = read_weights(path)
    np.testing.assert_array_equal(read.arrays["w"].load(), values)
    assert read.arrays["h"].load().tolist() == [1.5]
    path.write_bytes(data[:-1])
    with pytest.raises(CannotRead, match="cut off"):
        read_weights(path)
    path.write_bytes(struct.pack("<Q", 1 << 60) + text)
    with pytest.raises(CannotRead, match="no safetensors file"):
        read_weights(path)


def test_npz(tmp_path):
    np.savez(tmp_path / "a.npz", w=np.ones(3, np.float16))
    assert read_weights(tmp_path / "a.npz").arrays["w"].dtype == "float16"
    np.savez(tmp_path / "o.npz", w=np.array([Evil()], object))
    with pytest.raises(CannotRead, match="Python objects"):
        read_weights(tmp_path / "o.npz")


@pytest.mark.parametrize("name", ["a.ckpt", "a.pth", "a.npz", "a.safetensors", "a.xyz"])
def test_what_is_no_file_of_weights(tmp_path, name):
    with pytest.raises(CannotRead, match="no such file"):
        read_weights(tmp_path / name)
    for content in (b"", b"hello, this is text and no weights at all", bytes(range(256)) * 4):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(CannotRead) as caught:
            read_weights(tmp_path / name)
        assert "\n" not in str(caught.value)


def test_checkpoints_of_mindspore(tmp_path):
    ms = pytest.importorskip("mindspore")
    from mindspore import nn

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.bn, self.dense = nn.BatchNorm2d(3), nn.Dense(3, 2)
            self.scalar = ms.Parameter(ms.Tensor(1.5), name="scalar")
            self.half = ms.Parameter(ms.Tensor([1.5, 2.5], ms.bfloat16), name="half")

    net = Net()
    ms.save_checkpoint(net, str(tmp_path / "a.ckpt"))
    ms.save_checkpoint(net, str(tmp_path / "c.ckpt"), crc_check=True)
    for name in ("a.ckpt", "c.ckpt"):
        read = read_weights(tmp_path / name)
        assert set(read.arrays) == {p.name for p in net.get_parameters()}
        for parameter in net.get_parameters():
            array = read.arrays[parameter.name]
            value = parameter.float().asnumpy() if parameter.dtype == ms.bfloat16 else parameter.asnumpy()
            assert array.shape == parameter.shape
            np.testing.assert_array_equal(array.load(), value)
    data = (tmp_path / "a.ckpt").read_bytes()
    (tmp_path / "a.ckpt").write_bytes(data[: len(data) // 2])
    with pytest.raises(CannotRead, match="damaged"):
        read_weights(tmp_path / "a.ckpt")


def test_a_large_tensor_comes_in_slices(tmp_path):
    def field(number, data):
        return bytes([number << 3 | 2, len(data)]) + data

    def value(content):
        tensor = bytes([1 << 3, 4]) + field(2, b"Float32") + field(3, content)
        return field(1, field(1, b"w") + field(2, tensor))

    values = np.arange(4, dtype=np.float32)
    (tmp_path / "a.ckpt").write_bytes(value(values[:3].tobytes()) + value(values[3:].tobytes()))
    np.testing.assert_array_equal(read_weights(tmp_path / "a.ckpt").arrays["w"].load(), values)
    (tmp_path / "a.ckpt").write_bytes(value(values[:3].tobytes()))
    with pytest.raises(CannotRead, match=r"w is damaged: 12 bytes for Float32\[4\]"):
        read_weights(tmp_path / "a.ckpt")


# --- names --------------------------------------------------------------------------------------------------------
def test_words_of_both_frameworks():
    assert in_common_words("a.bn1.moving_mean") == "a.bn1.running_mean"
    assert in_common_words("embedding_table") == "weight"
    for name in ("moments.conv.weight", "moment1.a", "global_step", "beta1_power", "bn.num_batches_tracked"):
        assert is_training_state(name)
    for name in ("conv.weight", "m2.conv.weight", "state_embed.weight", "lr_proj.weight", "scale_head.bias"):
        assert not is_training_state(name)


def shapes(*names, **given):
    return {name: given.get(name.replace(".", "_"), (2,)) for name in names}


def test_matching_by_name_words_and_prefix():
    torch_names = shapes(
        "module.bn.weight", "module.bn.running_var", "module.bn.num_batches_tracked", "module.emb.weight"
    )
    found = match(torch_names, shapes("bn.gamma", "bn.moving_variance", "emb.embedding_table", "moment1.bn.gamma"))
    assert [(m.a, m.b) for m in found.pairs] == [
        ("module.bn.weight", "bn.gamma"),
        ("module.bn.running_var", "bn.moving_variance"),
        ("module.emb.weight", "emb.embedding_table"),
    ]
    assert found.training == ["module.bn.num_batches_tracked", "moment1.bn.gamma"]
    assert not found.only_a and not found.only_b


def test_renames_and_mappings(tmp_path):
    a, b = shapes("layer1.weight", "head.weight"), shapes("stage.0.weight", "fc.weight")
    found = match(a, b, renames=((r"^stage\.(\d+)\.", r"layer1."),), mapping={"head.weight": "fc.weight"})
    assert [(m.b, m.how) for m in found.pairs] == [("stage.0.weight", "name"), ("fc.weight", "map")]
    for text in ('{"x": "y"}', "x,y\n", "x y\n# z\n", "x\ty\n"):
        (tmp_path / "map").write_text(text)
        assert read_mapping(tmp_path / "map") == {"x": "y"}
    with pytest.raises(CannotRead, match="two names"):
        (tmp_path / "map").write_text("one\n")
        read_mapping(tmp_path / "map")
    with pytest.raises(CannotRead, match="write PATTERN=REPLACEMENT"):
        read_renames(["abc"])
    with pytest.raises(CannotRead, match="--rename"):
        read_renames(["(=x"])


def test_matching_by_structure():
    a = {
        "features.0.weight": (8, 3, 3, 3),
        "features.0.bias": (8,),
        "features.1.weight": (8,),
        "features.1.bias": (8,),
        "features.1.running_mean": (8,),
        "features.1.running_var": (8,),
        "classifier.weight": (10, 8),
    }
    b = {
        "stem.conv.weight": (8, 3, 3, 3),
        "stem.norm.moving_mean": (8,),
        "stem.norm.moving_variance": (8,),
        "stem.norm.gamma": (8,),
        "stem.norm.beta": (8,),
        "head.weight": (10, 8),
        "head.bias": (10,),
    }
    found = match(a, b)
    assert {(m.a, m.b) for m in found.pairs} == {
        ("features.0.weight", "stem.conv.weight"),
        ("features.1.weight", "stem.norm.gamma"),
        ("features.1.bias", "stem.norm.beta"),
        ("features.1.running_mean", "stem.norm.moving_mean"),
        ("features.1.running_var", "stem.norm.moving_variance"),
        ("classifier.weight", "head.weight"),
    }
    assert all(m.how == "structure" for m in found.pairs)
    assert found.only_a == ["features.0.bias"] and found.only_b == ["head.bias"]


# --- values -------------------------------------------------------------------------------------------------------
def verdicts(a, b, **kwargs):
    found = compare_weights(a, b, **kwargs)
    return {row.match.a: row.verdict for row in found.rows}


def test_verdicts():
    w = draw(0, 20, 30)
    a = weights(same=w, round=w, other=w, turned=w, shape=w, conv=draw(1, 4, 3, 5))
    b = weights(
        same=w,
        round=w * np.float32(1 + 2e-7),
        other=w + 1e-2,
        turned=w.T.copy(),
        shape=draw(0, 20, 31),
        conv=draw(1, 4, 3, 1, 5).reshape(4, 3, 1, 5),
    )
    assert verdicts(a, b) == {
        "same": "identical",
        "round": "rounding",
        "other": "differs",
        "turned": "transposed",
        "shape": "shape",
        "conv": "identical",
    }
    square = draw(2, 30, 30)
    assert verdicts(weights(w=square), weights(w=square.T.copy())) == {"w": "transposed"}
    assert verdicts(weights(w=w), weights(w=w.astype(np.float16))) == {"w": "rounding"}
    gone = w.copy()
    gone[3, 3] = np.nan
    assert verdicts(weights(w=w), weights(w=gone)) == {"w": "differs"}


def text_of(a, b, **kwargs):
    return "\n".join(conclusion(compare_weights(a, b, **kwargs), "en"))


def test_other_random_draws_and_other_spreads():
    a = weights(one__weight=draw(1, 50, 50), two__weight=draw(2, 50, 50), three__bias=np.zeros(5, np.float32))
    b = weights(
        one__weight=draw(3, 50, 50), two__weight=draw(4, 50, 50, scale=0.5), three__bias=np.zeros(5, np.float32)
    )
    text = text_of(a, b)
    assert "2 parameters have nothing in common" in text
    spread = text.split("standard deviations differ too: ")[1]
    assert spread.startswith("two.weight 0.99") and "one.weight" not in spread
    # a trained copy is related
    assert "nothing in common" not in text_of(a, weights(one__weight=draw(1, 50, 50) + draw(9, 50, 50, scale=0.3)))


def test_what_a_step_did():
    before = weights(w=draw(1, 30, 30), v=draw(2, 30))
    gradient = {"w": draw(3, 30, 30), "v": draw(4, 30)}

    def stepped(rate):
        return weights(**{k: before.arrays[k].load() - np.float32(rate) * gradient[k] for k in gradient})

    same = compare_weights(stepped(0.01), stepped(0.01), since=(before, before))
    assert {row.verdict for row in same.rows} == {"identical"}
    text = text_of(stepped(0.01), stepped(0.1), since=(before, before))
    assert "those of B 10 times the length: look at the learning rate" in text
    near = compare_weights(stepped(0.01), stepped(0.010001), since=(before, before))
    assert {row.verdict for row in near.rows} == {"rounding"}


def test_only_moving_statistics_differ():
    a = weights(bn__weight=np.ones(4), bn__running_mean=np.arange(4.0))
    b = weights(bn__gamma=np.ones(4), bn__moving_mean=np.arange(4.0) * 9)
    assert "Only moving statistics differ: bn.running_mean. Look at BatchNorm's momentum" in text_of(a, b)


# --- the command --------------------------------------------------------------------------------------------------
def test_the_command(tmp_path):
    np.savez(tmp_path / "a.npz", **{"conv.weight": draw(1, 8, 8), "bn.gamma": np.ones(8), "gone.bias": np.ones(2)})
    np.savez(tmp_path / "b.npz", **{"conv.weight": draw(2, 8, 8), "bn.weight": np.ones(8), "extra.w": np.ones(3)})
    done = ask(
        tmp_path / "a.npz", tmp_path / "b.npz", "--lang", "en", "--csv", tmp_path / "c.csv", "--fail-on-difference"
    )
    assert done.exit_code == 1
    assert "2 parameters matched: differs 1, identical 1." in done.output
    assert "Only in A (1): gone.bias." in done.output and "Only in B (1): extra.w." in done.output
    assert (tmp_path / "c.csv").read_text().splitlines()[0].startswith("a,b,matched_by,verdict,shape_a")
    assert ask(tmp_path / "a.npz", tmp_path / "a.npz", "--lang", "zh", "--fail-on-difference").exit_code == 0
    given = json.loads(ask(tmp_path / "a.npz", tmp_path / "b.npz", "--json", "-").output)
    assert given["only_b"] == ["extra.w"]
    done = ask(tmp_path / "a.npz", tmp_path / "none.pth")
    assert done.exit_code == 2 and len(done.output.splitlines()) == 1
    np.savez(tmp_path / "c.npz", zzz=np.ones(17))
    done = ask(tmp_path / "a.npz", tmp_path / "c.npz")
    assert done.exit_code == 2 and "no parameter of a.npz fits one of c.npz" in done.output


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_pytorch_network_beside_its_migration(tmp_path, lang):
    torch, ms = pytest.importorskip("torch"), pytest.importorskip("mindspore")
    from mindspore import nn

    class TorchNet(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.conv1d, self.bn = (
                torch.nn.Conv2d(3, 4, 3),
                torch.nn.Conv1d(3, 4, 3),
                torch.nn.BatchNorm2d(4),
            )
            self.norm, self.emb, self.lstm = torch.nn.LayerNorm(8), torch.nn.Embedding(9, 8), torch.nn.LSTM(8, 5, 2)
            self.fc = torch.nn.Linear(5, 2)

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.conv, self.conv1d, self.bn = (
                nn.Conv2d(3, 4, 3, has_bias=True),
                nn.Conv1d(3, 4, 3, has_bias=True),
                nn.BatchNorm2d(4),
            )
            self.norm, self.emb, self.lstm = nn.LayerNorm((8,)), nn.Embedding(9, 8), nn.LSTM(8, 5, 2)
            self.fc = nn.Dense(5, 2)

    theirs, ours = TorchNet(), Net()
    torch.save(theirs.state_dict(), tmp_path / "a.pth")
    ms.save_checkpoint(ours, str(tmp_path / "b.ckpt"))
    a, b = read_weights(tmp_path / "a.pth"), read_weights(tmp_path / "b.ckpt")
    found = compare_weights(a, b)
    assert not found.matched.only_a and not found.matched.only_b
    assert {m.how for m in found.matched.pairs} <= {"name", "words"}
    assert conclusion(found, lang)
    for row in found.rows:  # the migration done right
        parameter = next(p for p in ours.get_parameters() if p.name == row.match.b)
        parameter.set_data(ms.Tensor(a.arrays[row.match.a].load().reshape(parameter.shape).copy()))
    ms.save_checkpoint(ours, str(tmp_path / "b.ckpt"))
    found = compare_weights(a, read_weights(tmp_path / "b.ckpt"))
    assert {row.verdict for row in found.rows} == {"identical"}
