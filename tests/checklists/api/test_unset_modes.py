"""api.02: dropout that an argument switches, and moving statistics that are thrown away."""

import pytest
from building import Run, run_data

from msprec.checklists.api.train_eval_mode.check import modes
from msprec.checklists.api.train_eval_mode.lost_statistics import lost_statistics
from msprec.checklists.api.train_eval_mode.never_switched_off import never_switched_off

_NET = """
def drop(x, keep):
    return x * (np.random.rand(*x.shape) < keep) / keep


def net(x, {parameter}):
    return matmul({used}, W)


def cost(x, y):
    return cross_entropy(net({training}), y)


step = value_and_grad(cost, None, weights)
print(net({evaluation}).argmax(1))
"""


@pytest.mark.parametrize(
    ("parameter", "used", "training", "evaluation", "found"),
    [
        ("keep_prob=0.5", "drop(x, keep_prob)", "x", "test", True),
        ("keep_prob=0.5", "drop(x, keep_prob)", "x, 0.5", "test", True),
        ("keep_prob", "drop(x, keep_prob)", "x, 0.5", "test, keep_prob=0.5", True),
        ("training=True", "ops.dropout(x, 0.5, training)", "x", "test", True),
        ("dropout=0.3", "ops.dropout(x, dropout)", "x", "test", True),
        ("keep_prob=0.5", "drop(x, keep_prob)", "x", "test, 1.0", False),
        ("keep_prob=1.0", "drop(x, keep_prob)", "x, 0.5", "test", False),
        ("training=False", "ops.dropout(x, 0.5, training)", "x, True", "test", False),
        ("keep_prob=0.5", "drop(x, keep_prob)", "x", "test, keep", False),  # not known
        ("keep_prob=0.5", "scale(x, keep_prob)", "x", "test", False),  # draws nothing
        ("keep_prob=0.5", "drop(x, keep_prob)", "x", "mc_samples", False),
    ],
)
def test_dropout_by_an_argument(tmp_path, parameter, used, training, evaluation, found):
    code = _NET.format(parameter=parameter, used=used, training=training, evaluation=evaluation)
    assert (never_switched_off(run_data(tmp_path, Run(source={"train.py": code}))) is not None) is found


_NORM = """
class Norm(nn.Cell):
    def __init__(self, n):
        self.mean = Parameter(zeros(n), requires_grad={trained})

    def construct(self, x, training):
        if training:
            mean = x.mean(0)
            {update}
        else:
            mean = self.mean
        return x - mean
"""


@pytest.mark.parametrize(
    ("trained", "update", "found"),
    [
        ("False", "moving = 0.9 * self.mean + 0.1 * mean", True),
        ("False", "moving = 0.9 * self.mean + 0.1 * mean; ops.assign(self.mean, moving)", False),
        ("False", "moving = 0.9 * self.mean + 0.1 * mean; self.mean.set_data(moving)", False),
        ("False", "self.mean = 0.9 * self.mean + 0.1 * mean", False),
        ("False", "pass", False),  # a constant
        ("True", "moving = 0.9 * self.mean + 0.1 * mean", False),  # the optimizer moves it
    ],
)
def test_statistics_that_are_thrown_away(tmp_path, trained, update, found):
    code = _NORM.format(trained=trained, update=update)
    assert (lost_statistics(run_data(tmp_path, Run(source={"train.py": code}))) is not None) is found


def test_both_are_told(tmp_path):
    dropped = _NET.format(parameter="keep_prob=0.5", used="drop(x, keep_prob)", training="x", evaluation="test")
    code = dropped + _NORM.format(trained="False", update="moving = 0.9 * self.mean + 0.1 * mean")
    data = run_data(tmp_path, Run(source={"train.py": code}))
    alone = [never_switched_off(data), lost_statistics(data)]
    found = modes(data)
    assert found.conclusion == "problem"
    assert all(at in found.locations for one in alone if one is not None for at in one.locations) and all(alone)
