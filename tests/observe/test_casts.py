"""Which conversions to float16 in the source belong to the networks that a script makes."""

from msprec.observe.network.precision import find_casts

LIBRARY = """
import mindspore as ms
from mindspore import nn, ops

class Used(nn.Cell):
    def construct(self, x):
        return ops.cast(x, ms.float16)

class Other(nn.Cell):
    def construct(self, x):
        return self.halve(x)
    def halve(self, x):
        return x.astype(ms.float16)

def forward_fn(x):
    return x.half()
"""


def test_a_class_that_is_never_made_is_in_no_network() -> None:
    def inside(made):
        return {cast["place"]["line"]: cast["in_network"] for cast in find_casts("models.py", LIBRARY, made)}

    assert inside(None) == {7: True, 13: True, 16: True}
    assert inside({(None, "Used")}) == {7: True, 13: False, 16: True}
    assert inside({("elsewhere.py", "Other")}) == {7: False, 13: False, 16: True}
