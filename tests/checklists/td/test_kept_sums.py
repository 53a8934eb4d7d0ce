"""Sums of gradients that are never cleared (td.04)."""

import pytest
from building import Run, run_data

from msprec.checklists.td.update_gradients.kept_sums import kept_sums

HEAD = "def update(grads):\n    for p, g in zip(params, grads):\n        ops.assign_sub(p, 0.1 * g)\n\n"
ZERO = "acc = [ops.zeros_like(p) for p in params]\n"
MADE = "pair = ms.value_and_grad(forward, None, weights)\nacc = zeros()\n"
INNER = "        loss, grads = value_and_grad(x)\n        acc = [{} for a, g in zip(acc, grads)]\n"


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        (ZERO + "for b in batches:\n    for x in b:\n" + INNER.format("a + g / 2") + "    update(acc)\n", [5, 10]),
        ("for b in batches:\n    " + ZERO + "    for x in b:\n" + INNER.format("a + g") + "    update(acc)\n", None),
        (ZERO + "for b in batches:\n    for x in b:\n" + INNER.format("0.9 * a + g") + "    update(acc)\n", None),
        (ZERO + "for b in batches:\n    for x in b:\n" + INNER.format("a + g") + "    update(grads)\n", None),
        (ZERO + "for b in batches:\n    for x in b:\n" + INNER.format("a + g") + "    print(acc)\n", None),
        (
            MADE + "for x in b:\n    loss, g = pair(x)\n    acc = [a + d for a, d in zip(acc, g)]\n    if n % 4 == 0:\n"
            "        opt(tuple(acc))\n",
            [6, 11],
        ),
        (
            MADE + "for x in b:\n    loss, g = pair(x)\n    acc = [a + d for a, d in zip(acc, g)]\n    if n % 4 == 0:\n"
            "        opt(tuple(acc))\n        acc = zeros()\n",
            None,
        ),
    ],
)
def test_sums(tmp_path, code, lines):
    told = kept_sums(run_data(tmp_path, Run(source={"train.py": HEAD + code})))
    assert ([one["line"] for one in told.locations] if told else None) == lines
