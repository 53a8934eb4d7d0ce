"""mp.02 on facts, and mp.03 and mp.04 without a loss scale."""

import pytest
from building import DYNAMIC, HALF, Run, fixed, optimizer, simulate, train_step


def trained(steps, scale=DYNAMIC, **changes):
    return Run(steps=steps, train_step=[train_step(scale, overflow_flag=True)], precision=HALF, **changes)


# mp.02


def settings(scale=None, half=True, loss_scale=1.0, **changes):
    precision = {"half_compute": half, "dtypes": ["float16"] if half else ["float32"]}
    return Run(
        train_step=[train_step(scale)], precision=precision, optimizer=[optimizer(loss_scale=loss_scale)], **changes
    )


@pytest.mark.parametrize(
    ("run", "conclusion"),
    [
        (settings(), "problem"),
        (settings(DYNAMIC), "ok"),
        (settings(DYNAMIC, loss_scale=1024.0), "problem"),
        (settings(fixed(1024.0, False), loss_scale=1024.0), "ok"),
        (settings(fixed(1024.0, False)), "problem"),
        (settings(fixed(1024.0, False), half=False), "problem"),
        (settings(fixed(1024.0, False), half=False, loss_scale=1024.0), "ok"),
        (settings(fixed(1024.0, True)), "ok"),
        (settings(fixed(1024.0, True), loss_scale=1024.0), "problem"),
        (settings(fixed(1.0, True)), "problem"),
        (settings(fixed(128.0, None)), "ok"),
        (settings(half=False), "not_applicable"),
        (settings(half=False, loss_scale=128.0), "problem"),
        (settings(DYNAMIC, half=False), "ok"),
        (settings(half=None), "undecided"),
        (settings(DYNAMIC, half=None), "undecided"),
        (settings(half=None, loss_scale=128.0), "problem"),
        (settings({**DYNAMIC, "initial": 1.0}), "problem"),
        (settings(fixed(1024.0, False), loss_scale=None), "undecided"),
    ],
)
def test_settings(verdict, run, conclusion):
    entry = verdict("mp.02", run)
    assert entry["conclusion"] == conclusion, entry["summary"]
    if conclusion == "problem":
        assert entry["locations"]


def test_bfloat16_needs_no_scale(verdict):
    run = settings(half=False).set("precision", {"dtypes": ["bfloat16"]})
    entry = verdict("mp.02", run)
    assert entry["conclusion"] == "not_applicable" and "bfloat16" in entry["summary"]


def test_a_dynamic_scale_that_starts_at_one_and_grows_is_ok(verdict):
    steps = simulate(100, lambda step, scale: False, start=1.0, window=10)
    assert verdict("mp.02", settings({**DYNAMIC, "initial": 1.0}, steps=steps))["conclusion"] == "ok"


@pytest.mark.parametrize(
    "code",
    [
        "def forward_fn(x, y):\n    loss = loss_fn(net(x), y)\n    return loss * loss_scale\n",
        "def forward_fn(x, y):\n    loss = loss_fn(net(x), y)\n    return scaler.scale(loss)\n",
        "loss *= SCALE\n".lower(),
    ],
)
def test_scaling_by_hand_that_was_not_recorded_is_undecided(verdict, code):
    assert verdict("mp.02", settings(source={"train.py": code}))["conclusion"] == "undecided"


BY_HAND = """import mindspore as ms
from mindspore import nn, ops
from helper import rescale
SCALE = 1024.0
net = Net()
opt = nn.SGD(net.trainable_params(), 0.1)
def forward(x, y):
    loss = loss_fn(net(x), y)
    return {scaled}
gradient = ms.value_and_grad(forward, None, opt.parameters)
for x, y in data:
    loss, grads = gradient(x, y)
    {after}
    opt(grads)
"""


@pytest.mark.parametrize(
    ("scaled", "after", "conclusion"),
    [
        ("loss * SCALE", "grads = tuple(g / SCALE for g in grads)", "ok"),
        ("loss * SCALE", "grads = rescale(grads, 1.0 / SCALE)", "ok"),
        ("ops.mul(loss, SCALE)", "grads = ops.HyperMap()(lambda g: ops.div(g, SCALE), grads)", "ok"),
        ("ops.mul(loss, SCALE)", "grads = [g * (1 / 1024) for g in grads]", "ok"),
        ("loss * SCALE", "pass", "problem"),
        ("ops.mul(loss, SCALE)", "print(loss / SCALE)", "problem"),
        ("loss * SCALE", "unscaled = tuple(g / SCALE for g in grads)", "problem"),
        ("loss * 4", "pass", "problem"),  # no loss scale at all
        ("loss * 4 * 4 * 4", "pass", "problem"),  # nor any: 64 is written nowhere
        ("loss * SCALE", "grads = tuple(g / 512 for g in grads)", "undecided"),
        ("loss * SCALE", "grads = elsewhere(grads)", "undecided"),
    ],
)
def test_scaling_by_hand_is_read(verdict, scaled, after, conclusion):
    source = {
        "train.py": BY_HAND.format(scaled=scaled, after=after),
        "helper.py": "def rescale(grads, factor):\n    return tuple(g * factor for g in grads)\n",
    }
    entry = verdict("mp.02", settings(source=source))
    assert entry["conclusion"] == conclusion, entry["summary"]
    assert entry["locations"]


def test_inference_in_float16_is_not_applicable(verdict):
    run = Run(run={"training_steps": 0}, steps=[], train_step=[], modes=[], optimizer=[], precision=HALF)
    for item in ("mp.01", "mp.02", "mp.03", "mp.04"):
        assert verdict(item, run)["conclusion"] == "not_applicable"


def test_the_order_items_are_not_applicable_without_any_scale(verdict):
    assert verdict("mp.03", settings(half=False))["conclusion"] == "not_applicable"
    assert verdict("mp.04", settings(half=False))["conclusion"] == "not_applicable"
    clip = {"train.py": "grads = ops.clip_by_global_norm(grads, 1.0)\n"}
    entry = verdict("mp.03", settings(DYNAMIC, source=clip))
    assert entry["conclusion"] == "undecided" and entry["locations"] == [{"file": "train.py", "line": 1}]


SCALER = {**DYNAMIC, "class": "DynamicLossScaler", "drop_overflow_update": None}
MADE = "scaler = DynamicLossScaler(1024, 2, 100)\n"


@pytest.mark.parametrize(
    ("code", "conclusion", "said"),
    [
        (MADE + "def forward(x, y):\n    return loss_fn(net(x), y)\n", "problem", "never called"),
        (MADE + "def forward(x, y):\n    return scaler.scale(loss_fn(net(x), y))\n", "problem", "never unscaled"),
        (
            MADE + "def forward(x, y):\n    return scaler.scale(loss_fn(net(x), y))\n\ngrads = scaler.unscale(grads)\n",
            "ok",
            "agrees",
        ),
        ("from project import scaler\n", "ok", "agrees"),
    ],
)
def test_a_scaler_has_to_be_called(verdict, code, conclusion, said):
    entry = verdict("mp.02", settings(SCALER, source={"train.py": code}))
    assert entry["conclusion"] == conclusion and said in entry["summary"], entry["summary"]


SCALED_STEP = """import mindspore as ms
from mindspore import nn
from mindspore.amp import DynamicLossScaler
net, loss_fn = nn.Dense(2, 1), nn.MSELoss()
optimizer = nn.SGD(net.trainable_params(), 0.1)
scaler = DynamicLossScaler(1024, 2, 100)
def forward(x, y):
    return scaler.scale(loss_fn(net(x), y))
grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
for x, y in data:
    loss, grads = grad_fn(x, y)
    grads = scaler.unscale(grads)
    optimizer(grads)
"""


def test_where_the_optimizer_is_given_scaled_gradients(verdict):
    kept = SCALED_STEP.replace("    grads = scaler.unscale(grads)\n", "    loss = scaler.unscale(loss)\n")
    entry = verdict("mp.02", settings(SCALER, source={"train.py": kept}))
    assert entry["conclusion"] == "problem" and "never unscaled" in entry["summary"], entry["summary"]
    assert entry["locations"][0] == {"file": "train.py", "line": 13}
    assert verdict("mp.02", settings(SCALER, source={"train.py": SCALED_STEP}))["conclusion"] == "ok"


@pytest.mark.parametrize(("updates", "said"), [(200, True), (30, False), (None, False)])
def test_updates_of_steps_that_overflowed(verdict, updates, said):
    """The optimizer counted 200 updates in 200 steps of which 170 overflowed; or skipped those."""
    steps = simulate(200, lambda step, scale: step > 30)
    run = trained(steps, optimizer=[optimizer(updates=updates)], source={"train.py": SCALED_STEP})
    entry = verdict("mp.01", run)
    assert entry["conclusion"] == "problem"
    assert ("170 steps that overflowed were not skipped" in entry["summary"]) == said, entry["summary"]
    assert ({"file": "train.py", "line": 13} in entry["locations"]) == said


@pytest.mark.parametrize(
    ("loss_scale", "factor", "told"),
    [(256.0, 1 / 256, True), (1.0, 1 / 256, False), (256.0, 1.0, False), (256.0, 256.0, False)],
)
def test_an_optimizer_that_divides_once_more(verdict, loss_scale, factor, told):
    updates = [{"update": n, "parts": 1, "factor": factor, "left": 0.0, "rest": 0.0} for n in (2, 60)]
    run = settings(None, loss_scale=loss_scale, source={"train.py": "loss = f(x) * SCALE\n"})
    run.facts["probes"] = {"gradients": {"optimizer": "Momentum", "updates": updates}, "skipped": {}}
    entry = verdict("mp.02", run)
    assert ("divided them by it before the update already" in entry["summary"]) == told, entry["summary"]


def test_where_the_divisor_of_an_optimizer_is_written(verdict):
    run = settings(half=False, loss_scale=128.0)
    lines = run.source["train.py"].splitlines()
    lines[6], lines[7] = "DIVISOR = 128.0", "opt = nn.Momentum(net.trainable_params(), 0.1, 0.9, loss_scale=DIVISOR)"
    run.source["train.py"] = "\n".join(lines) + "\n"
    entry = verdict("mp.02", run)
    assert entry["conclusion"] == "problem" and 7 in [one["line"] for one in entry["locations"]]
