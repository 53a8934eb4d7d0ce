"""A loss that falls without end (cg.04), and the rate that is not to blame for it (hp.01)."""

import pytest
from building import Run, run_data

from msprec.checklists.common.loss.without_floor import falls_without_floor, terms_of_loss

FALLING = [139.0, 133.0, 122.0, 111.0, 96.0, 27.0, -114.0, -2695.0, -163021.0, -5696541.0]
SOURCE = """def elbo(x):
    recon, mu, s = net(x)
    rec = ((recon - x) ** 2).sum()
    kl = 0.5 * (1 + s - mu * mu - ops.exp(s)).sum()
    loss = rec + kl
    return loss, rec

step = ms.value_and_grad(elbo, None, weights, has_aux=True)
"""


def trained(losses, source=SOURCE):
    rows = [{"step": n, "epoch": 1, "loss": loss, "lr": 0.003} for n, loss in enumerate(losses, 1)]
    return Run(steps=rows, datasets=[], source={"train.py": source})


@pytest.mark.parametrize(
    ("losses", "found"),
    [
        (FALLING, True),
        ([*FALLING, float("nan"), float("nan")], True),
        ([139.0, 133.0, 122.0, 60.0, 20.0, 3.0, -20.0, -41.0, -43.0, -44.0], False),  # a log-likelihood
        ([*FALLING, 120.0, 80.0], False),  # a single leap
        ([139.0 + n for n in range(10)], False),
        (FALLING[:5], False),
    ],
)
def test_fall(tmp_path, losses, found):
    fall = falls_without_floor(run_data(tmp_path, trained(losses)))
    assert (fall is not None) is found
    assert not found or (fall.start, fall.least, fall.step) == (122.0, -5696541.0, 10)


def test_of_an_adversary_or_rewards_it_says_nothing(tmp_path):
    source = SOURCE + "reward = env.step(action)\nreturns = discount(rewards, gamma)\n"
    assert falls_without_floor(run_data(tmp_path, trained(FALLING, source))) is None


def test_the_terms_are_named(tmp_path):
    assert [at.line for at in terms_of_loss(run_data(tmp_path, trained(FALLING)))] == [6, 5, 3, 4]


def test_conclusions(verdict):
    run = trained(FALLING)
    run.facts["probes"] = {"skipped": {}, "graph": {"cells": []}}
    entry = verdict("cg.04", run)
    assert entry["conclusion"] == "problem" and "no lower bound" in entry["summary"]
    assert verdict("hp.01", run)["conclusion"] != "problem"
