"""Why a probe that would have decided an item was not made, and what to do about it."""

from msprec.bilingual import Text
from msprec.engine.run_data import RunData

_WHY = {
    "batch": Text(
        "没有可供重放的 batch（如数据下沉模式）", "no batch could be kept to run a step again (as in sink mode)"
    ),
    "ranks": Text(
        "一个进程只有各进程梯度中自己的一份", "one rank has only its own of the gradients that all ranks gave"
    ),
    "other_rank": Text("只在 rank 0 上做探测", "rank 0 alone is probed"),
    "share": Text("一个进程只有 batch 中自己的一份", "one rank has only its share of a batch"),
    "accumulation": Text("训练使用了梯度累积", "gradients are accumulated over several steps"),
    "optimizers": Text(
        "训练步使用的优化器不止一个或没有看到", "the step has several optimizers, or none that was seen"
    ),
    "weights": Text("初始权重过大，没有保留", "the initial weights were too large to keep"),
    "gradients": Text(
        "传给优化器的梯度不是 loss 的梯度（被缩放、裁剪或累积）",
        "the optimizer is given other gradients than those of the loss (scaled, clipped or added up)",
    ),
    "slow": Text("时间预算内步数不够", "too few steps fit into the budget"),
    "crashed": Text("脚本因异常而中止", "the script ended with an exception"),
    "bounded": Text(
        "loss 的算子遇到 0 到 1 之外的值会终止进程，而网络末尾没有 sigmoid，较大的学习率会使其越界",
        "the loss ends the process over values beyond 0 and 1, and without a sigmoid at the end larger rates lead there",
    ),
}
_SWEEP = Text(
    "用 `msprec lr SCRIPT`：它以逐步增大的学习率运行脚本自己的训练步。",
    "Use `msprec lr SCRIPT`, which runs the script's own training step with a rising rate.",
)
_REMEDY = {
    "accumulation": _SWEEP,
    "weights": _SWEEP,
    "gradients": _SWEEP,
    "bounded": Text(
        "在网络末尾加 sigmoid，或改用 BCEWithLogitsLoss，再运行一次。",
        "End the network with a sigmoid, or use BCEWithLogitsLoss, and run once more.",
    ),
    "optimizers": Text(
        "采用参考实现的学习率，或用几个不同的学习率各训练一次并比较。",
        "Take the rates of a reference implementation, or compare short trainings with a few rates.",
    ),
    "batch": Text("用 dataset_sink_mode=False 运行一小段训练。", "Run a short training with dataset_sink_mode=False."),
    **dict.fromkeys(("ranks", "share", "waits"), Text("用单进程运行同一脚本。", "Run the same script in one process.")),
    "slow": Text(
        "增大 `msprec run --probe-seconds`，或用 `msprec lr SCRIPT`。",
        "Give `msprec run --probe-seconds` more, or use `msprec lr SCRIPT`.",
    ),
}


def skipped(run_data: RunData, name: str) -> Text:
    """Why there is no result of the probe ``name`` ("graph" or "range_test")."""
    if not run_data.has("probes"):
        return Text("运行中没有做事后探测", "no probe was made after the run")
    why = run_data.probes.skipped.get(name)
    if why is None:
        return Text("探测没有给出结果", "the probe gave no result")
    kind, _, rest = why.partition(": ")
    if kind == "side_effect":
        return Text("重放会再次产生副作用（{what}）", "running a step again would be noticed ({what})", what=rest)
    if kind == "waits":
        return Text(
            "单独重放会等待其他进程（{what}）",
            "a step run on one rank alone would wait for the others ({what})",
            what=rest,
        )
    return _WHY.get(kind, Text("探测失败：{why}", "the probe failed: {why}", why=why))


def remedy(run_data: RunData, name: str) -> Text:
    """What would make the probe possible."""
    return _REMEDY.get(
        (run_data.probes.skipped.get(name) or "").partition(": ")[0],
        Text(
            "用 `msprec run`（--probe-seconds 大于 0）把脚本运行到结束。",
            "Run the script to its end with `msprec run` (--probe-seconds above 0).",
        ),
    )
