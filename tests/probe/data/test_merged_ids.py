"""Ids that become one before they are looked up."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor, nn, ops

from msprec.locate.replay import of_forward
from msprec.probe.data.merged_ids import merged_ids
from msprec.probe.steps.captured_steps import Material
from msprec.probe.steps.inference_trace import InferenceTraces

IDS = np.random.default_rng(2).integers(0, 40, (32, 6)).astype(np.int32)


@pytest.mark.parametrize(
    ("change", "merged"),
    [
        (lambda ids: ops.clamp(ids, 0, 19), True),
        (lambda ids: ids % 8, True),
        (lambda ids: ops.clamp(ids, 0, 39), False),
        (lambda ids: ops.clamp(ids, 0, 38), False),  # one is cut off
        (lambda ids: ids + 1, None),
    ],
)
def test_what_is_looked_up(change, merged):
    ms.set_context(mode=ms.PYNATIVE_MODE)
    table, head = nn.Embedding(64, 4), nn.Dense(4, 1)
    table.update_parameters_name("table."), head.update_parameters_name("head.")
    weights = [*table.trainable_params(), *head.trainable_params()]

    def forward(ids):
        return head(table(change(ids)).mean(axis=1)).mean()

    def build(given, _=None):
        return of_forward(forward, given, weights, [table, head])

    material = Material()
    material.offer("functional", (Tensor(IDS),), build, [table, head], [nn.SGD(weights)])
    found = merged_ids(InferenceTraces(material))
    assert (None if found is None else found["share"] >= 0.3) is merged
