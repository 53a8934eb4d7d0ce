"""Loss scalers in loops of the user's own, under ``msprec run``: each step's scale and overflow against what the script
itself reads at every step."""

from itertools import product

import pytest
from test_steps import COMMON

LOOP = """
net.to_float(ms.float16)
style, kind = sys.argv[2:4]
scaler = amp.DynamicLossScaler(2**20, 2, 3) if kind == "dynamic" else amp.StaticLossScaler(2.0**10)
ACCUMULATE = int(sys.argv[4]) if len(sys.argv) > 4 else 1
scales = [1.0, 1.0, 1e30, 1.0, 1.0, 1e30, 1e30, 1.0]     # a batch that overflows float16 whatever the scale

def forward(x, y):
    return scaler.scale(loss_fn(net(x).astype(ms.float32), y))
grad_fn = ms.value_and_grad(forward, None, opt.parameters)
sums = opt.parameters.clone(prefix="sum", init="zeros")
add, zero = ops.HyperMap(), ops.HyperMap()

def step(x, y, factor, update):
    loss, grads = grad_fn(x, y)
    loss = scaler.unscale(loss)     # before the scale is adjusted
    grads = add(ops.partial(times, factor), grads)
    good = amp.all_finite(grads)
    scaler.adjust(good)
    if good:
        add(ops.assign_add, sums, scaler.unscale(grads))
        if update:
            opt(sums)
            add(ops.assign, sums, zero(ops.zeros_like, sums))
    return loss, good

def simple(x, y, factor, update):
    loss, grads = grad_fn(x, y)
    loss = scaler.unscale(loss)     # before the scale is adjusted
    grads = add(ops.partial(times, factor), grads)
    good = amp.all_finite(grads)
    if good:
        opt(scaler.unscale(grads))
    scaler.adjust(good)
    return loss, good

def times(factor, gradient):
    return (gradient * factor).astype(ms.float16)

chosen = simple if ACCUMULATE == 1 else step
if style == "jit":
    chosen = ms.jit(chosen)
number = 0
for epoch in range(2):
    for x, y in batches().create_tuple_iterator(num_epochs=1):
        factor = ms.Tensor(scales[number % 8], ms.float32)
        before, made = float(scaler.scale_value.asnumpy()), int(opt.global_step.asnumpy()[0])
        loss, good = chosen(x, y, factor, number % ACCUMULATE == ACCUMULATE - 1)
        number += 1
        print("STEP", float(loss.asnumpy()), int(not bool(good.asnumpy())), before, float(scaler.scale_value.asnumpy()),
              int(opt.global_step.asnumpy()[0]) - made)
"""


def told_by_script(out: str) -> list:
    return [tuple(map(float, line.split()[1:])) for line in out.splitlines() if line.startswith("STEP")]


#: Combinations in which each pair of kind, style and mode occurs: the bare run is compared.
PAIRS = {
    ("dynamic", "jit", "graph"),
    ("dynamic", "plain", "pynative"),
    ("static", "jit", "pynative"),
    ("static", "plain", "graph"),
}


#: Run under the oldest MindSpore too.
OLDEST = {("dynamic", "jit", "graph"), ("static", "plain", "graph")}


def _combination(kind: str, style: str, mode: str):
    marks = [pytest.mark.versions] if (kind, style, mode) in OLDEST else []
    return pytest.param(kind, style, mode, marks=marks, id=f"{kind}-{style}-{mode}")


@pytest.mark.parametrize(
    ("kind", "style", "mode"),
    [_combination(*one) for one in product(("dynamic", "static"), ("jit", "plain"), ("graph", "pynative"))],
)
def test_scaler_step_by_step(scripts, kind, style, mode):
    scripts.write(COMMON + LOOP)
    ran = scripts.observed(mode, style, kind)
    assert ran.status == 0, ran.err
    scripts.no_own_errors()
    expected = told_by_script(ran.out)
    assert 0 < sum(row[1] for row in expected) < 8
    rows = scripts.rows()
    assert [(float(r["overflow"]), float(r["scale"]), float(r["next_scale"])) for r in rows] == [
        row[1:4] for row in expected
    ]
    assert [float(r["loss"]) for r in rows] == pytest.approx([row[0] for row in expected], rel=1e-6, nan_ok=True)
    [entry] = scripts.json("facts/train_step.json")["steps"]
    source = {("jit", "dynamic"): "scale", ("jit", "static"): "update"}.get((style, kind), "flag")
    assert (entry["overflow_from"], entry["overflow_flag"], entry["count"]) == (source, True, 8)
    assert entry["updates"] == 8 - sum(row[1] for row in expected)
    if (kind, style, mode) in PAIRS:
        assert scripts.bare(mode, style, kind).out == ran.out


@pytest.mark.parametrize("style", ["jit", "plain"])
def test_accumulation_with_a_dynamic_scaler(scripts, style):
    """Each batch adjusts the scaler: a compiled step is a batch; a plain loop's step ends at the update or a skip."""
    scripts.write(COMMON + LOOP)
    ran = scripts.observed("graph", style, "dynamic", "2")
    assert ran.status == 0, ran.err
    scripts.no_own_errors()
    expected = told_by_script(ran.out)
    rows = scripts.rows()
    if style == "jit":
        assert [(float(r["overflow"]), float(r["scale"]), float(r["next_scale"])) for r in rows] == [
            row[1:4] for row in expected
        ]
    assert sum(float(r["overflow"]) for r in rows) == sum(row[1] for row in expected)
