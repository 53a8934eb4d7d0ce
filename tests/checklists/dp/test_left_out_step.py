"""dp.02 where one of two paths to the network leaves out a step of the other."""

import pytest
from building import Run, run_data

from msprec.checklists.dp.preprocessing_consistency.left_out_step import left_out_step

CODE = """def prepare(x, mean):
    return (x / 255.0 - mean).transpose(2, 0, 1)
class Source:
    def __getitem__(self, number):
        {training}
        return prepare({given}, self.mean), self.labels[number]
def predict(net, files):
    found = []
    for name in files:
        {later}
        found.append(net(prepare(picture, mean)))
    return found
"""
READ = "picture = cv2.imread(name)"
TURNED = READ + "\n        picture = picture[:, :, ::-1]"


@pytest.mark.parametrize(
    ("training", "given", "later", "line"),
    [
        (TURNED, "picture", READ, 12),
        (READ, "picture[..., ::-1]", READ, 11),
        (READ, "cv2.cvtColor(picture, cv2.COLOR_BGR2RGB)", READ, 11),
        (READ, "picture", TURNED, 6),
        (TURNED, "picture", TURNED, None),
        (READ, "picture", READ, None),
        # a mirror by chance, and a part of the picture
        (READ + "\n        if self.rng.random() < 0.5:\n            picture = picture[:, ::-1]", "picture", READ, None),
        (READ + "\n        picture = picture[2:30]", "picture", READ, None),
        (READ + "\n        picture = augment(picture)", "picture", READ, None),
        (TURNED, "picture", "picture = capture.frame()", None),  # read by something else
    ],
)
def test_paths_that_differ(tmp_path, training, given, later, line):
    code = CODE.format(training=training, given=given, later=later)
    told = left_out_step(run_data(tmp_path, Run(source={"train.py": code})))
    assert (told.locations[0]["line"] if told else None) == line


PAIR = """def resize(x):
    return cv2.resize(x, (64, 64))
def load_image(path):
    return resize(cv2.imread(path)[:, :, ::-1])
def {name}(path):
    return resize(cv2.imread(path{flag}))
"""
ITEMS = """def resize(x):
    return cv2.resize(x, (64, 64))
class Train:
    def __getitem__(self, n):
        return resize(cv2.imread(self.files[n])[:, :, ::-1])
class Test:
    def __getitem__(self, n):
        return resize(cv2.imread(self.files[n]))
"""
SAME = """def resize(x):
    return cv2.resize(x, (64, 64))
def pair(path, other):
    return resize(cv2.imread(path)[:, :, ::-1]), resize(cv2.imread(other))
"""


@pytest.mark.parametrize(
    ("code", "found"),
    [
        (PAIR.format(name="load_for_serving", flag=""), True),
        (PAIR.format(name="load_mask", flag=""), False),
        (PAIR.format(name="load_second", flag=", 0"), False),  # read as grey
        (ITEMS, True),
        (SAME, False),  # two parts of one sample
    ],
)
def test_parts_that_are_read_otherwise(tmp_path, code, found):
    assert (left_out_step(run_data(tmp_path, Run(source={"train.py": code}))) is not None) is found


def test_numbers_that_are_shown(tmp_path):
    code = "def a(x):\n    print(x.asnumpy() * 100)\ndef b(x):\n    print(x.asnumpy())\n"
    assert left_out_step(run_data(tmp_path, Run(source={"train.py": code}))) is None
