"""The pipelines that scripts build, read without running them."""

import pytest

from msprec.source.files import File
from msprec.source.pipelines import read_pipelines
from msprec.source.pipelines.values import UNREAD, origin_of
from msprec.source.project import Project
from msprec.source.values import Values

HEAD = """import mindspore as ms
import mindspore.dataset as ds
import mindspore.dataset.vision as vision
from mindspore import nn
"""
DATA = """import mindspore.dataset as ds
from mindspore.dataset import vision, transforms
import mindspore as ms
MEAN = [0.5 * 255]
BOTH = [vision.Rescale(1 / 255, 0.0)]

def normalise(x):
    return x / 255

def create(path, training, size=32, batch=16):
    data = ds.MnistDataset(path, shuffle=training)
    steps = [vision.Resize(size)]
    if training:
        steps += [vision.RandomHorizontalFlip()]
    steps.append(vision.Normalize(MEAN, [51.0]))
    data = data.map(operations=steps, input_columns="image")
    data = data.map(transforms.TypeCast(ms.int32), "label")
    return data.batch(batch, drop_remainder=True)
"""


def read(script, **others):
    files = [File("eval.py", None, HEAD + script)]
    files += [File(f"{name}.py", None, text) for name, text in {"data": DATA, **others}.items()]
    project = Project(files, [], follow=False)
    return read_pipelines(project, Values(project), project.modules["eval"])


def only(reading):
    uses = [use for use in reading.uses if use.role != "train"]
    assert len(uses) == 1 and reading.complete, reading
    return uses[0]


def operations(use):
    return [text for step in use.pipe.steps if step.op == "map" for text in step.args["operations"]]


def test_a_function_of_another_file_with_the_arguments_of_this_call():
    use = only(
        read("from data import create\nmodel = ms.Model(nn.ReLU())\nmodel.eval(create('x', False, size=(28, 28)))")
    )
    assert use.role == "eval" and use.place == ("eval.py", 7)
    assert [step.op for step in use.pipe.steps] == ["MnistDataset", "map", "map", "batch"]
    assert operations(use) == [
        "Resize(interpolation=Inter.BILINEAR, size=(28, 28))",
        "Normalize(is_hwc=True, mean=(127.5,), std=(51.0,))",
        "TypeCast(data_type=mindspore.int32)",
    ]
    assert use.pipe.steps[1].place == ("data.py", 16) and use.pipe.steps[3].args["batch_size"] == 16


@pytest.mark.parametrize(
    "script",
    [
        "parser = argparse.ArgumentParser()\nparser.add_argument('--size', type=int, default=24)\nargs = parser.parse_args()\n"
        "for image, label in create('x', False, args.size).create_tuple_iterator():\n    net(image)",
        "def main(size=24):\n    evaluate(create('x', training=False, size=size))\n"
        "def evaluate(data):\n    for batch in data.create_dict_iterator():\n        net(batch['image'])\nmain()",
        "class Tester:\n    def __init__(self, size):\n        self.data = create('x', False, size)\n"
        "    def run(self):\n        ms.Model(net).eval(self.data)\nTester(24).run()",
        "if __name__ == '__main__':\n    data = create('x', 1 > 2, **{'size': 24}) if False else create('x', False, 24)\n"
        "    acc = ms.Model(net, metrics={'acc'}).eval(data)",
        "for usage in ['test']:\n    ms.Model(net).eval(create('x', usage == 'train', 24))",
        "print([net(image) for image, label in create('x', False, 24).create_tuple_iterator()])",
    ],
)
def test_ways_to_get_there(script):
    use = only(read(f"import argparse\nfrom data import create\nnet = make()\n{script}"))
    assert use.role in ("eval", "loop")
    assert operations(use)[:2] == [
        "Resize(interpolation=Inter.BILINEAR, size=24)",
        "Normalize(is_hwc=True, mean=(127.5,), std=(51.0,))",
    ]


def test_lists_objects_and_functions():
    use = only(
        read(
            "from data import BOTH, normalise\nimport numpy as np\n"
            "class Scale:\n    def __init__(self, by):\n        self.by = by\n"
            "    def __call__(self, x):\n        return x * self.by\n"
            "data = ds.ImageFolderDataset('x', decode=True)\n"
            "steps = vision.Compose if False else BOTH + [normalise, Scale(2.0), lambda x: x]\n"
            "steps.insert(0, vision.HWC2CHW())\n"
            "data = data.map(steps, ['image'])\nms.Model(net()).eval(data)"
        )
    )
    assert operations(use) == [
        "HWC2CHW()",
        "Rescale(rescale=0.00392156862745098, shift=0.0)",
        "data.normalise",
        "Scale(by=2.0)",
        "<lambda>@eval.py:13",
    ]
    assert use.pipe.steps[0].args["decode"] is True


@pytest.mark.parametrize(
    "steps",
    [
        "from_somewhere()",
        "[vision.Resize(8), *from_somewhere()]",
        "[functools.partial(f, 2)]",
        "np.float32",
    ],
)
def test_what_cannot_be_read_stays_in_the_pipeline(steps):
    use = only(read(f"data = ds.MnistDataset('x').map({steps}, 'image')\nms.Model(net()).eval(data)"))
    assert operations(use)[-1].startswith(UNREAD)


def test_a_list_times_a_number():
    use = only(
        read(
            "data = ds.MnistDataset('x').map(vision.Normalize([0.5] * 3, [0.1 * 2] * 3), 'image')\nms.Model(net()).eval(data)"
        )
    )
    assert operations(use) == ["Normalize(is_hwc=True, mean=(0.5, 0.5, 0.5), std=(0.2, 0.2, 0.2))"]


def test_an_argument_that_is_not_known():
    use = only(
        read(
            "import os\ndata = ds.MnistDataset('x').map(vision.Rescale(float(os.environ['S']), 0), 'image')\n"
            "ms.Model(net()).eval(data)"
        )
    )
    assert operations(use) == ["Rescale(rescale=UNKNOWN, shift=0)"]


def test_a_condition_that_is_not_known_leaves_a_step_of_its_own():
    use = only(
        read(
            "import os\ndata = ds.MnistDataset('x')\nif os.path.exists('big'):\n"
            "    data = data.map(vision.Resize(9), 'image')\ndata = data.batch(4)\n"
            "ms.Model(net()).eval(data)"
        )
    )
    assert [step.op for step in use.pipe.steps] == ["MnistDataset", f"{UNREAD}condition", "batch"]


def test_shards_and_workers_make_no_other_pipeline():
    use = only(
        read(
            "import os\ndevices = int(os.environ['N'])\n"
            "if devices == 1:\n    data = ds.Cifar10Dataset('x', num_parallel_workers=8, shuffle=True)\n"
            "else:\n    data = ds.Cifar10Dataset('x', shuffle=True, num_shards=devices, shard_id=0)\n"
            "data = data.map(vision.HWC2CHW(), 'image')\nms.Model(net()).eval(data)"
        )
    )
    assert [step.op for step in use.pipe.steps] == ["Cifar10Dataset", "map"]


def test_a_closure_over_values_cannot_be_told():
    use = only(
        read(
            "def make(scale):\n    def inner(x):\n        return x * scale\n    return inner\n"
            "data = ds.MnistDataset('x').map(make(3), 'image')\nms.Model(net()).eval(data)"
        )
    )
    assert operations(use)[0].startswith(UNREAD)


def test_training_is_no_evaluation():
    reading = read(
        "from data import create\nmodel = ms.Model(net())\nmodel.train(3, create('x', True))\nmodel.eval(create('y', False))"
    )
    assert [use.role for use in reading.uses] == ["train", "eval"] and reading.trains
    loop = read(
        "from data import create\nfor x, y in create('x', True).create_tuple_iterator():\n    loss, grads = grad_fn(x, y)"
    )
    assert [use.role for use in loop.uses] == ["train"]


def test_a_loop_of_a_script_that_trains_may_be_its_training():
    reading = read(
        "from data import create\ngrad_of = ms.value_and_grad(f, None, w)\n"
        "@ms.jit\ndef step(x, y):\n    return grad_of(x, y)\n"
        "for x, y in create('x', True).create_tuple_iterator():\n    step(x, y)"
    )
    assert [use.role for use in reading.uses] == ["loop"] and reading.trains


def test_batches_that_are_calculated_with():
    reading = read("from data import create\nfor x, y in create('x', False).create_tuple_iterator():\n    net(x / 255)")
    assert reading.altered == [reading.uses[0].pipe]
    label = read(
        "from data import create\nfor b in create('x', False).create_dict_iterator():\n    f(net(b['image']), b['label'] - 1)"
    )
    assert label.altered == []


@pytest.mark.parametrize(
    ("source", "origin"),
    [
        ("load(3)", "eval.load()"),
        ("load(3)[:40]", "eval.load()"),
        ("load(3)[..., ::-1]", "eval.load() [..., ::-1]"),
        ("(load(3) / 255.0, np.load('y.npy'))", "(eval.load() Div 255.0, numpy.load())"),
        ("load(3).astype(np.float32).transpose(2, 0, 1)", "eval.load() transpose(2, 0, 1)"),
        ("{'x': scaled(load(3)), 'y': load(4)}", "(eval.scaled(eval.load()), eval.load())"),
        ("load(unknown())", None),
        ("unknown()", None),
    ],
)
def test_where_arrays_come_from(source, origin):
    head = "import numpy as np\ndef load(seed):\n    return np.random.default_rng(seed).random((9, 4))\n"
    head += "def scaled(x):\n    return x / x.max()\n"
    use = only(read(f"{head}ms.Model(net()).eval(ds.NumpySlicesDataset({source}))"))
    assert origin_of(use.pipe.steps[0].source) == origin


def test_modes_in_order():
    net = "class Net(nn.Cell):\n    def construct(self, x):\n        return x\nnet = Net()\n"
    reading = read(
        f"{net}net.set_train()\nnet(1)\nnet.set_train(mode=False)\n"
        "if unknown():\n    net.set_train(True)\nms.Model(net).predict(1)"
    )
    assert [(mode.what, mode.value, mode.sure) for mode in reading.modes] == [
        ("set", True, True),
        ("call", None, True),
        ("set", False, True),
        ("set", True, False),
        ("predict", None, True),
    ]


@pytest.mark.parametrize(
    "script",
    [
        "while True:\n    f()\n    break",
        "def f(): return f()\nx = f()",
        "async def g():\n    await h()\nmatch = 1\ntry:\n    import nothing\n"
        "except ImportError:\n    nothing = None\nfinally:\n    pass",
        "x = [y for y in range(3) if y]\nz = {k: v for k, v in x}\nx[0], *rest = z",
        "class A(B):\n    pass\na = A(*args, **kwargs)\na.b.c = 3\ndel a",
        "global_name: int = 3\nglobal_name += 'x'\nprint(f'{global_name}')",
        "with open('x') as f:\n    data = f.read()\nraise SystemExit",
        "x = ds.MnistDataset(*unknown).map(**unknown).zip((1, 2))\nx.split([0.5])[0].batch(2)",
    ],
)
def test_odd_scripts_do_no_harm(script):
    assert read(script).complete
