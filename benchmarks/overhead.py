"""What the monitors cost: time of a step with them over the time without, as the median of alternating pairs.

    python benchmarks/overhead.py --step-ms 20 --mode graph
    python benchmarks/overhead.py --step-ms 5 --mode pynative --pairs 40 --peers

One process trains one network; blocks of steps with and without a set of callbacks alternate, and a ratio is taken of each
neighbouring pair. `msprec run` is measured by `--run`, in processes that alternate. Only ratios are printed: single times
depend on the machine and on what else it does.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BATCH = 32


def build(width: int, depth: int = 6):
    """A model of ``depth`` square layers, and its data."""
    import mindspore as ms
    import mindspore.dataset as ds
    import numpy as np
    from mindspore import nn
    from mindspore.train import Model

    ms.set_seed(1)
    layers = [layer for _ in range(depth) for layer in (nn.Dense(width, width), nn.ReLU())]
    net = nn.SequentialCell(*layers, nn.Dense(width, 1))
    model = Model(net, nn.MSELoss(), nn.Momentum(net.trainable_params(), 1e-4, 0.9))
    rng = np.random.default_rng(1)
    x = rng.normal(size=(BATCH * 8, width)).astype(np.float32)
    y = x[:, :1].copy()

    def data(steps: int):
        return ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(BATCH).repeat(max(1, steps // 8))

    return model, data


def timer():
    """A callback, put first, that takes the time from the end of one step to the end of the next."""
    from mindspore.train import Callback

    class Timer(Callback):
        def __init__(self) -> None:
            super().__init__()
            self.ends = []

        def on_train_step_end(self, run_context) -> None:
            self.ends.append(time.perf_counter())

    return Timer()


def block(model, data, steps: int, callbacks: list) -> float:
    """Median seconds of a step; the first steps of a block, which start the pipeline, are left out.

    The median leaves out what a busy machine does to single steps; what the monitors do once a second is in the share that
    they measure themselves.
    """
    clock = timer()
    model.train(1, data(steps), callbacks=[clock, *callbacks], dataset_sink_mode=False)
    return statistics.median(b - a for a, b in zip(clock.ends[3:], clock.ends[4:]))


def width_for(step_ms: float) -> int:
    """A width whose step takes about ``step_ms``."""
    width = 128
    for _ in range(8):
        model, data = build(width)
        block(model, data, 8, [])
        seconds = block(model, data, 16, [])
        ratio = step_ms / 1e3 / seconds
        if 0.8 < ratio < 1.25:
            break
        width = max(16, int(width * min(3.0, max(0.3, ratio**0.5))) // 8 * 8)
    return width


def sets(folder: Path, peers: bool) -> dict:
    """Callbacks to measure, each made anew for each block."""
    import msprec

    made = {
        "LossScaleMonitor": lambda: [msprec.LossScaleMonitor(folder / "a")],
        "NonFiniteMonitor": lambda: [msprec.NonFiniteMonitor(out=folder / "b")],
        "NonFiniteMonitor(locate=True)": lambda: [msprec.NonFiniteMonitor(out=folder / "c", locate=True)],
        "StepTimeMonitor": lambda: [msprec.StepTimeMonitor(folder / "d")],
        "PrecisionMonitor": lambda: [msprec.PrecisionMonitor(out=folder / "e")],
    }
    if peers:
        from mindspore.train import LossMonitor, SummaryCollector

        summary = {"collect_dataset_graph": False, "collect_graph": False}
        made["mindspore LossMonitor"] = lambda: [LossMonitor(10**9)]
        made["mindspore SummaryCollector"] = lambda: [
            SummaryCollector(str(folder / "summary"), collect_freq=1, collect_specified_data=summary)
        ]
    return made


def ratios(model, data, steps: int, pairs: int, make) -> tuple:
    """Time with over time without, of ``pairs`` neighbouring pairs of blocks, which comes first alternating; and the share
    of the time that the monitors themselves say they took, all of it: beginning, flushes and end too."""
    from msprec.callbacks._base import clock

    found, spent = [], 0.0
    began = time.perf_counter()
    for number in range(pairs):
        order = [make(), []] if number % 2 else [[], make()]
        times, before = {}, clock.read()[1]
        for callbacks in order:
            times[bool(callbacks)] = block(model, data, steps, callbacks)
        spent += clock.read()[1] - before
        found.append(times[True] / times[False])
    # half of the blocks had monitors
    return found, 2 * spent / (time.perf_counter() - began)


def show(name: str, found: list, share: float = 0.0) -> None:
    low, middle, high = statistics.quantiles(found, n=4)
    own = f"   own share {share:.2%}" if share else ""
    print(f"{name:32s} {middle:7.4f}   quartiles {low:.4f} to {high:.4f}   {len(found)} pairs{own}", flush=True)


SCRIPT = """
import sys
sys.path.insert(0, {here!r})
import mindspore as ms
from overhead import block, build, watched_by_msprobe
ms.set_context(mode={mode})
model, data = build({width})
if "msprobe" in sys.argv:
    watched_by_msprobe(model)
block(model, data, 8, [])
print("STEP", block(model, data, {steps}, []))
"""
#: What `PrecisionMonitor` looks at too: gradients and parameters.
MSPROBE = {"targets": {}, "ops": ["norm", "nans"], "wg_distribution": True, "param_distribution": True, "format": "csv"}


def watched_by_msprobe(model) -> None:
    """msprobe's monitor on a model in PyNative mode, the only one that it has; it writes into the working directory."""
    from msprobe.mindspore import TrainerMon

    Path("monitor.json").write_text(json.dumps(MSPROBE), encoding="utf-8")
    monitor = TrainerMon("monitor.json", params_have_main_grad=False)
    monitor.set_monitor(model.predict_network, model.train_network.optimizer)


def runs(width: int, mode: int, steps: int, pairs: int, msprobe: bool = False) -> list:
    """The same for ``msprec run``, or msprobe's monitor, against ``python``: a process each."""
    with tempfile.TemporaryDirectory() as scratch:
        script = Path(scratch) / "train.py"
        here = str(Path(__file__).resolve().parent)
        script.write_text(SCRIPT.format(here=here, mode=mode, width=width, steps=steps), encoding="utf-8")
        found = []
        for number in range(pairs):
            bare = [sys.executable, str(script)]
            options = ["--out", f"{scratch}/run{number}", "--probe-seconds", "0", "--no-word"]
            watched = [sys.executable, "-m", "msprec", "run", *options, str(script)]
            if msprobe:
                watched = [*bare, "msprobe"]
            times = {}
            for command in (bare, watched) if number % 2 else (watched, bare):
                out = subprocess.run(command, capture_output=True, text=True, check=True, cwd=scratch).stdout
                line = next(line for line in out.splitlines() if line.startswith("STEP"))
                times[command is watched] = float(line.split()[1])
            found.append(times[True] / times[False])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--step-ms", type=float, default=20.0, help="about how long a step takes (default 20)")
    parser.add_argument("--mode", choices=["graph", "pynative"], default="graph")
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--steps", type=int, default=48, help="steps a block")
    parser.add_argument("--only", help="only the sets whose name holds this")
    parser.add_argument("--peers", action="store_true", help="MindSpore's own LossMonitor and SummaryCollector too")
    parser.add_argument(
        "--msprobe", action="store_true", help="msprobe's monitor too, in processes (PyNative mode only)"
    )
    parser.add_argument("--run", action="store_true", help="`msprec run` too, in processes of its own (slow)")
    args = parser.parse_args()
    import mindspore as ms

    mode = ms.GRAPH_MODE if args.mode == "graph" else ms.PYNATIVE_MODE
    ms.set_context(mode=mode)
    width = width_for(args.step_ms)
    model, data = build(width)
    seconds = block(model, data, args.steps, [])
    print(f"{args.mode} mode, a step of about {seconds * 1e3:.1f} ms, {args.steps} steps a block; time with / without:")
    with tempfile.TemporaryDirectory() as scratch:
        for name, make in sets(Path(scratch), args.peers).items():
            if args.only and args.only not in name:
                continue
            show(name, *ratios(model, data, args.steps, args.pairs, make))
    if args.msprobe:
        show("msprobe TrainerMon", runs(width, mode, args.steps, max(4, args.pairs // 2), msprobe=True))
    if args.run:
        show("msprec run", runs(width, mode, args.steps * 4, max(4, args.pairs // 2)))


if __name__ == "__main__":
    main()
