"""td.05: a data source that changes the arrays it holds."""

import pytest
from building import Run, run_data

from msprec.checklists.td.received_batches.changed_in_place import changed_in_place

_CODE = """
class Source:
    def __getitem__(self, i):
        image = self.images[i]{copy}
        label = self.labels[i]
        {change}
        return image, label

    def cut(self, picture):
        top = self.rng.randint(0, 5)
        picture[top : top + 2] = 0
        return picture

    def shift(self, number):
        number -= 1
        return number

    def cut_copy(self, picture):
        picture = picture.copy()
        picture -= 1
        return picture
"""


@pytest.mark.parametrize(
    ("copy", "change", "lines"),
    [
        ("", "image = self.cut(image)", [4, 11]),
        ("", "image[:, 2:] -= self.mean", [4, 6]),
        (".copy()", "image = self.cut(image)", None),
        ("", "image = self.cut_copy(image)", None),
        ("", "image = image - self.mean", None),
        ("", "image -= self.mean", [4, 6]),
        ("", "label -= 1", None),  # a number
        ("", "label = self.shift(label)", None),
        ("", "image[0] = 1.0", None),  # the same each time
    ],
)
def test_what_a_source_writes_into(tmp_path, copy, change, lines):
    told = run_data(tmp_path, Run(source={"train.py": _CODE.format(copy=copy, change=change)}))
    found = changed_in_place(told)
    assert ([one["line"] for one in found.locations] if found else None) == lines


@pytest.mark.parametrize(("index", "found"), [("i : i + 8", True), ("order[i : i + 8]", False), ("i", True)])
def test_a_generator(tmp_path, index, found):
    code = (
        "def batches(images):\n    for i in range(0, 80, 8):\n"
        f"        x = images[{index}]\n        x[:, 0] *= 2\n        yield x\n"
    )
    assert (changed_in_place(run_data(tmp_path, Run(source={"train.py": code}))) is not None) is found
