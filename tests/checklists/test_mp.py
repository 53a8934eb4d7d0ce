"""mp.01 and mp.02 on facts, with the near misses."""

import pytest
from building import DYNAMIC, ZERO, Run, fixed, optimizer, parameter, train_step

HALF = {"half_compute": True, "dtypes": ["float16"]}


def trained(steps, scale=DYNAMIC, **changes):
    return Run(steps=steps, train_step=[train_step(scale, overflow_flag=True)], precision=HALF, **changes)


def simulate(n, bad, start=65536.0, window=1000, factor=2.0):
    """Steps of a dynamic loss scale; ``bad(step, scale)`` says whether a step overflows."""
    rows, scale, good = [], start, 0
    for step in range(1, n + 1):
        over = bad(step, scale)
        good = 0 if over else good + 1
        after = max(1.0, scale / factor) if over else scale * factor if good == window else scale
        good = 0 if good == window else good
        rows.append(
            {
                "step": step,
                "epoch": 1,
                "loss": 2.0 / step,
                "overflow": int(over),
                "scale": scale,
                "next_scale": after,
                "lr": 0.1,
            }
        )
        scale = after
    return rows


@pytest.mark.parametrize(
    "steps",
    [
        simulate(100, lambda step, scale: False),
        simulate(100, lambda step, scale: scale > 2**10, start=2.0**24),  # its own search
        simulate(400, lambda step, scale: scale > 2**16, window=50),  # a probe after each growth
        simulate(400, lambda step, scale: scale > 2**16, window=10),
        simulate(400, lambda step, scale: step in (100, 300)),  # two chance overflows
        simulate(2000, lambda step, scale: scale > 2 ** (16 if step < 1000 else 13), window=400),  # gradients grew once
    ],
)
def test_the_search_of_the_scale_is_ok(verdict, steps):
    entry = verdict("mp.01", trained(steps))
    assert entry["conclusion"] == "ok", entry["summary"]


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        (simulate(300, lambda step, scale: step % 7 == 0, start=2.0**60), "keeps returning"),
        (simulate(200, lambda step, scale: step % 20 == 0), "keeps returning"),
        (simulate(200, lambda step, scale: step > 30), "floor"),
        (simulate(60, lambda step, scale: step > 50), "last 10 of 60"),
        (simulate(20, lambda step, scale: True, start=2.0**60), "not a single update"),
        (simulate(30, lambda step, scale: scale > 2**10, start=2.0**35), "initial scale search took 25 of 30"),
        (simulate(300, lambda step, scale: scale > 2**16, window=2), "too many updates"),
    ],
)
def test_overflow_that_harms(verdict, steps, said):
    entry = verdict("mp.01", trained(steps, parameters=[]))
    assert entry["conclusion"] == "problem" and said in entry["summary"], entry["summary"]
    assert {"loss_scale", "loss"} <= {piece.get("figure") for piece in entry["evidence"]}
    assert entry["locations"] == [{"file": "train.py", "line": 10}]


def test_too_few_steps_of_the_search_are_undecided(verdict):
    steps = simulate(3, lambda step, scale: True, start=2.0**60)
    assert verdict("mp.01", trained(steps, parameters=[]))["conclusion"] == "undecided"


def test_flags_that_the_weights_contradict_are_undecided(verdict):
    entry = verdict(
        "mp.01", trained([{**step, "next_scale": 1024.0} for step in simulate(20, lambda step, scale: True)])
    )
    assert entry["conclusion"] == "undecided" and "weights were updated" in entry["summary"]


def test_an_infinite_scale_is_a_problem(verdict):
    steps = simulate(40, lambda step, scale: False)
    steps[-1]["next_scale"] = "inf"
    entry = verdict("mp.01", trained(steps))
    assert entry["conclusion"] == "problem" and "step 40" in entry["summary"]


def test_a_fixed_scale_that_overflows_is_a_problem(verdict):
    steps = [
        {"step": step, "loss": 1.0, "overflow": int(step == 7), "scale": 1024, "next_scale": 1024}
        for step in range(1, 50)
    ]
    entry = verdict("mp.01", trained(steps, fixed(1024.0, True)))
    assert entry["conclusion"] == "problem" and "1 of 49 steps" in entry["summary"]
    clean = [{**step, "overflow": 0} for step in steps]
    assert verdict("mp.01", trained(clean, fixed(1024.0, True)))["conclusion"] == "ok"


@pytest.mark.parametrize("loss", ["nan", "inf"])
def test_a_loss_that_is_not_finite_is_a_problem_in_float32_too(verdict, loss):
    steps = [{"step": step, "loss": loss if step >= 12 else 1.0} for step in range(1, 30)]
    entry = verdict("mp.01", Run(steps=steps))
    assert entry["conclusion"] == "problem" and "18 of 29" in entry["summary"] and "step 12" in entry["summary"]


def test_an_infinite_loss_in_a_skipped_step_is_part_of_the_search(verdict):
    steps = simulate(60, lambda step, scale: step <= 3)
    steps[0]["loss"] = "inf"
    assert verdict("mp.01", trained(steps))["conclusion"] == "ok"


def test_weights_that_are_not_finite_are_a_problem(verdict):
    poisoned = parameter("fc.weight", [10, 8], final={**ZERO, "nonfinite": 80})
    entry = verdict("mp.01", Run(parameters=[poisoned]))
    assert entry["conclusion"] == "problem" and "fc.weight" in entry["summary"]


def test_a_crash_on_nan_is_a_problem_with_its_place(verdict):
    place = {"file": "train.py", "line": 9}
    crash = {
        "exit": {
            "kind": "exception",
            "code": 1,
            "exception": {
                "type": "ValueError",
                "message": "epoch: 1 step: 3. Invalid loss: nan, terminating training.",
                "place": place,
            },
        }
    }
    entry = verdict("mp.01", Run(run=crash))
    assert entry["conclusion"] == "problem" and entry["locations"] == [place]


@pytest.mark.parametrize(
    "message", ["name 'nan' is not defined", "could not convert string to float: 'inf'", "banana train"]
)
def test_other_crashes_are_no_overflow(verdict, message):
    crash = {
        "exit": {"kind": "exception", "code": 1, "exception": {"type": "NameError", "message": message, "place": None}}
    }
    assert verdict("mp.01", Run(run=crash))["conclusion"] == "ok"


def test_float16_without_flags_rests_on_losses_and_weights(verdict):
    assert verdict("mp.01", Run(precision=HALF))["conclusion"] == "ok"
    assert verdict("mp.01", Run(precision=HALF, parameters=[]))["conclusion"] == "undecided"


def test_no_steps_are_undecided(verdict):
    assert verdict("mp.01", Run(steps=[]))["conclusion"] == "undecided"


def test_the_scale_kind_is_guessed_from_the_steps_of_a_callback(verdict):
    run = trained(simulate(100, lambda step, scale: scale > 2**10, start=2.0**20)).set("train_step", None)
    assert verdict("mp.01", run)["conclusion"] == "ok"


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


def test_a_scale_at_the_edge_that_falls_back_some_steps_after_growing_is_ok(verdict):
    late = {31, 51, 61, 143, 152, 244, 334}  # as a real run of digits in float16 with a window of 40 had them
    steps = simulate(352, lambda step, scale: step <= 5 or step in late, start=2.0**24, window=40)
    assert verdict("mp.01", trained(steps))["conclusion"] == "ok"


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
