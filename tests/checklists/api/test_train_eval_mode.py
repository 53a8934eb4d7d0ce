"""api.02 on facts, with the near misses."""

import pytest
from building import STILL, Run, dataset, optimizer, parameter, phase

# api.02

BOTH = (("bn", True), ("drop", True))
NEITHER = (("bn", False), ("drop", False))


def seen(*phases, code=None):
    run = Run(modes=list(phases))
    return run if code is None else run.set("source", {"train.py": code})


def test_right_modes_are_ok(verdict):
    entry = verdict(
        "api.02", seen(phase(dependent=BOTH), phase("eval", NEITHER, calls=12, first_step=135, via="Model.eval"))
    )
    assert entry["conclusion"] == "ok" and "135" in entry["summary"] and "12" in entry["summary"]


def test_nothing_that_depends_on_the_mode_is_ok(verdict):
    run = seen(phase(dependent=(), root_training=False))
    run.facts["network"]["networks"][0]["cells"][1]["mode_dependent"] = False
    entry = verdict("api.02", run)
    assert entry["conclusion"] == "ok" and "No cell" in entry["summary"]


def test_training_without_set_train_is_a_problem(verdict):
    entry = verdict("api.02", seen(phase(dependent=NEITHER, root_training=False)))
    assert entry["conclusion"] == "problem" and "bn (BatchNorm2d)" in entry["summary"]
    assert entry["locations"] == [{"file": "train.py", "line": 10}]


def test_training_resumed_after_an_evaluation_without_switching_back(verdict):
    first = phase(dependent=BOTH, last_step=45, calls=45)
    rest = phase(dependent=NEITHER, first_step=45, calls=90, root_training=False)
    assert verdict("api.02", seen(first, phase("eval", NEITHER, first_step=45), rest))["conclusion"] == "problem"
    wrapped = {**rest, "root_training": True}  # the wrapper still says training, its network does not
    assert verdict("api.02", seen(first, wrapped))["conclusion"] == "problem"


def test_a_frozen_batchnorm_is_meant(verdict):
    entry = verdict("api.02", seen(phase(dependent=(("bn", False), ("drop", True)))))
    assert entry["conclusion"] == "ok" and "on purpose" in entry["summary"]
    assert verdict("api.02", seen(phase(dependent=(("bn", False),))))["conclusion"] == "ok"


def test_a_frozen_backbone_is_meant(verdict):
    cells = (("backbone.bn", False), ("backbone.drop", False))
    frozen = [
        parameter("backbone.bn.gamma", [8], kind="norm", requires_grad=False, moved=STILL),
        parameter("head.weight", [2, 8]),
    ]
    run = seen(phase(dependent=cells)).set("parameters", frozen)
    assert verdict("api.02", run)["conclusion"] == "ok"


def test_a_teacher_trained_before_by_another_optimizer_is_right(verdict):
    """It is a part of the second step's network, no optimizer of those steps has its weights, and its cells bear other names."""
    before = phase(dependent=(("net.drop", True),), root="Net", network=0, last_step=44)
    later = phase(dependent=(("teacher.drop", False),), root="Both", network=1, first_step=45, root_training=False)
    weights = [parameter("teacher.dense.weight", [8, 8]), parameter("student.weight", [2, 8])]
    weights[0]["path"] = "net.dense.weight"
    run = seen(before, later).set("parameters", weights)
    parts = [("teacher.dense.weight", [1, 45]), ("student.weight", [46, 135])]
    made = [optimizer(id=n, steps=steps, parameter_names=[name]) for n, (name, steps) in enumerate(parts)]
    run.facts["optimizer"] = {"optimizers": made}
    assert verdict("api.02", run)["conclusion"] == "ok"
    made[1]["parameter_names"].append("teacher.dense.weight")
    assert verdict("api.02", run)["conclusion"] == "problem"


def test_all_dropout_off_under_a_training_root_is_a_problem(verdict):
    assert verdict("api.02", seen(phase(dependent=(("drop", False),))))["conclusion"] == "problem"


def test_a_teacher_in_inference_mode_is_no_certain_fault(verdict):
    teacher = phase(dependent=NEITHER, root="Teacher", root_training=False)
    assert verdict("api.02", seen(phase(dependent=BOTH), teacher))["conclusion"] == "undecided"


def test_a_teacher_that_no_optimizer_updates_is_right(verdict):
    # of one class with its student, and trained itself before
    student = phase(dependent=BOTH, root="Net", network=1, updated=True, first_step=45, last_step=135)
    teacher = phase(dependent=NEITHER, root="Net", network=0, updated=False, root_training=False, first_step=45)
    before = phase(dependent=BOTH, root="Net", network=0, updated=True, first_step=0, last_step=44)
    assert verdict("api.02", seen(before, student, teacher))["conclusion"] == "ok"
    assert verdict("api.02", seen(before, {**teacher, "updated": True}))["conclusion"] == "problem"


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("latest = net(x)", "undecided"),
        ("z = retrieval(x)", "undecided"),
        ("z = predictor(x)", "undecided"),
        ("valAcc = score(net(x))", "problem"),
        ("z = self.testloader_step(x)", "problem"),
        ("print('acc', net(x))", "problem"),
    ],
)
def test_words_that_speak_of_evaluation(verdict, line, wanted):
    between = forward(first_step=45, last_step=135, calls=36, place={"file": "train.py", "line": 1})
    assert verdict("api.02", seen(phase(dependent=BOTH), between, code=line))["conclusion"] == wanted


@pytest.mark.parametrize("name", ["eval", "predict"])
def test_evaluation_in_training_mode_is_a_problem(verdict, name):
    late = phase(name, BOTH, first_step=135, calls=12)
    assert verdict("api.02", seen(phase(dependent=BOTH), late))["conclusion"] == "problem"


def test_batch_statistics_while_evaluating_are_a_problem(verdict):
    late = phase("eval", NEITHER, first_step=135)
    late["dependent"][0]["use_batch_statistics"] = True
    entry = verdict("api.02", seen(phase(dependent=BOTH), late))
    assert entry["conclusion"] == "problem" and "use_batch_statistics" in entry["summary"]
    training = phase(dependent=BOTH)
    training["dependent"][0]["use_batch_statistics"] = True
    assert verdict("api.02", seen(training))["conclusion"] == "ok"


def forward(**changes):
    return phase("forward", BOTH, gradient=False, root_training=True, **changes)


LOOP = """def run():
    for epoch in range(3):
        for x, y in train:
            loss = step(x, y)
        correct = 0
        for x, y in {name}:
            logits = net(x)
"""


def test_a_call_after_the_training_is_inference(verdict):
    late = forward(first_step=135, last_step=135, calls=12)
    code = "\n" * 20 + "y = net(x)\n"
    late["place"] = {"file": "train.py", "line": 21}
    assert verdict("api.02", seen(phase(dependent=BOTH), late, code=code))["conclusion"] == "problem"


@pytest.mark.parametrize(
    ("line", "conclusion"),
    [
        ("net(x)", "ok"),  # for the moving statistics
        ("net(Tensor(x).astype(ms.float32))", "ok"),
        ("y = net(x)", "problem"),
        ("print(net(x))", "problem"),
        ("found.append(net(x).asnumpy())", "problem"),
    ],
)
def test_a_call_whose_result_nothing_takes(verdict, line, conclusion):
    code = "\n" * 4 + f"for x in data:\n    {line}\n"
    after = phase("forward", BOTH, first_step=135, last_step=135, calls=40, place={"file": "train.py", "line": 6})
    assert verdict("api.02", seen(phase(dependent=BOTH), after, code=code))["conclusion"] == conclusion


def test_calls_in_an_evaluation_loop_between_epochs(verdict):
    between = forward(first_step=45, last_step=135, calls=36, place={"file": "train.py", "line": 7})
    assert (
        verdict("api.02", seen(phase(dependent=BOTH), between, code=LOOP.format(name="test_set")))["conclusion"]
        == "problem"
    )
    unnamed = seen(phase(dependent=BOTH), between, code=LOOP.format(name="held_out"))
    assert verdict("api.02", unnamed)["conclusion"] == "undecided"
    unnamed.set("datasets", [dataset(), dataset(role="eval", iterated_at={"file": "train.py", "line": 6})])
    assert verdict("api.02", unnamed)["conclusion"] == "problem"


def test_a_function_that_evaluates(verdict):
    code = "def evaluate(net, data):\n    for x, y in data:\n        logits = net(x)\n"
    between = forward(first_step=45, last_step=135, calls=36, place={"file": "train.py", "line": 3})
    assert verdict("api.02", seen(phase(dependent=BOTH), between, code=code))["conclusion"] == "problem"


SCORED = """def main():
    for epoch in range(200):
        net.set_train(True)
        loss = step(x, a)
        if epoch % 40 == 0:
            logits = net(x, a)
            print(loss, {what})
    logits = net(x, a)
    print({what})
"""


@pytest.mark.parametrize(
    ("line", "what", "calls", "conclusion"),
    [
        (6, "'val acc', share(logits, y, held)", 5, "problem"),
        (6, "share(logits, y, held)", 5, "undecided"),
        (6, "'val acc', share(loss, y, held)", 5, "undecided"),
        (6, "'acc', share(logits, y, held)", 135, "ok"),  # beside every step
        (8, "share(logits, y, held)", 1, "problem"),  # the mode was set before the training
    ],
)
def test_what_is_made_of_the_result_tells_evaluation(verdict, line, what, calls, conclusion):
    first = 135 if line == 8 else 1
    call = forward(first_step=first, last_step=135, calls=calls, place={"file": "train.py", "line": line})
    call["dependent"] = [one for one in call["dependent"] if one["class"] == "Dropout"]
    training = phase(dependent=BOTH, place={"file": "train.py", "line": 4})
    assert verdict("api.02", seen(training, call, code=SCORED.format(what=what)))["conclusion"] == conclusion


MEASURED = """def measure(net, x, y):
    net.set_train(True)
    scores = {call}
    return ({right}).mean()
step(x, y)
"""


@pytest.mark.parametrize(
    ("call", "right", "conclusion"),
    [
        ("net(x).asnumpy()", "scores.argmax(1) == y", "problem"),
        (
            "np.mean([net(x).asnumpy() for _ in range(20)], 0)",
            "scores.argmax(1) == y",
            "undecided",
        ),  # Monte Carlo dropout
        ("net(x).asnumpy()", "scores", "undecided"),
    ],
)
def test_right_answers_are_counted_beside_dropout_that_is_on(verdict, call, right, conclusion):
    made = forward(first_step=135, last_step=135, calls=1, place={"file": "train.py", "line": 3})
    made["dependent"] = [one for one in made["dependent"] if one["class"] == "Dropout"]
    training = phase(dependent=BOTH, place={"file": "train.py", "line": 5})
    code = MEASURED.format(call=call, right=right)
    assert verdict("api.02", seen(training, made, code=code))["conclusion"] == conclusion


@pytest.mark.parametrize(
    "call",
    [
        forward(
            first_step=0, last_step=0, calls=1, place={"file": "train.py", "line": 5}
        ),  # to build or to print a summary
        forward(
            first_step=0, last_step=134, calls=135, place={"file": "train.py", "line": 5}
        ),  # logging beside every step
        forward(first_step=1, last_step=135, calls=135, place={"file": "train.py", "line": 5}),
    ],
)
def test_calls_that_evaluate_nothing(verdict, call):
    assert verdict("api.02", seen(phase(dependent=BOTH), call))["conclusion"] == "ok"


def test_inference_alone(verdict):
    nothing = {"steps": [], "train_step": None, "optimizer": [], "run": {"training_steps": 0}}
    on = Run(modes=[forward(first_step=0, last_step=0, calls=5)], **nothing)
    on.source["train.py"] = "\n" * 20 + "y = net(x)\n"
    on.facts["modes"]["phases"][0]["place"] = {"file": "train.py", "line": 21}
    assert verdict("api.02", on)["conclusion"] == "problem"
    off = Run(modes=[phase("forward", NEITHER, gradient=False, first_step=0, last_step=0, calls=5)], **nothing)
    assert verdict("api.02", off)["conclusion"] == "ok"


def test_no_call_seen_is_undecided(verdict):
    assert verdict("api.02", Run(modes=[]))["conclusion"] == "undecided"
