"""What the monitors cost: time of a step with them over the time without, as the median of alternating pairs.

    python benchmarks/overhead.py --step-ms 20 --mode graph
    python benchmarks/overhead.py --step-ms 5 --mode pynative --pairs 600 --peers
    python benchmarks/overhead.py --step-ms 20 --trainings 40 --only PrecisionMonitor
    python benchmarks/overhead.py --step-ms 20 --trainings 20 --only watch --seconds 5
    python benchmarks/overhead.py --step-ms 20 --trainings 8 --within --seconds 5 --only PrecisionMonitor

One process trains one network. In one training, a set of callbacks is called in every other chunk of a few steps, and a ratio
is taken of each pair of neighbours; everything that is done between the ends of two chunks counts. *Total* is all chunks with
over all without, which the rare things that a median leaves out are in as well; what has a share of the run's time, such as
the samples of gradients, takes twice that share of the half that it is called in. The first line, in which nothing is called,
tells what the measurement itself is worth. Whole trainings (`--trainings`) are timed from the call of ``Model.train`` to its
return; the facts that are written when the process ends are timed by themselves, in seconds a training. Two whole trainings
differ by several percent, so that a few dozen of them decide little: with `--within` the time from a hook's call to its
return is added up instead, which leaves out what a hook costs elsewhere (caches, threads), and is known to a thousandth. All
of it runs on one core, as MindSpore's threads wait by spinning, and where others compute beside them the same step takes a
fifth more or less; in PyNative mode operators are launched one at a time (MS_DEV_LAUNCH_BLOCKING=1), for the same reason.
`msprec.watch` is measured in the same way in a loop of functions.
`msprec run` (`--run`) and msprobe's monitor (`--msprobe`) are measured in processes that alternate. Only ratios are printed:
single times depend on the machine and on what else it does.
"""

import argparse
import contextlib
import io
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import deque
from pathlib import Path

if "pynative" in sys.argv:
    os.environ["MS_DEV_LAUNCH_BLOCKING"] = "1"  # read when MindSpore is loaded

import mindspore as ms
from cores import one_core
from mindspore.train import Callback
from mindspore.train.callback import _CallbackManager

BATCH, CHUNK_SECONDS = 32, 0.01
STEP_HOOKS = ("on_train_step_begin", "on_train_step_end")
#: More than the monitors hold, which write after 256 rows.
HELD = 640


def network(width: int, depth: int = 6) -> tuple:
    """A network of ``depth`` square layers, and its optimizer."""
    from mindspore import nn

    ms.set_seed(1)
    layers = [layer for _ in range(depth) for layer in (nn.Dense(width, width), nn.ReLU())]
    net = nn.SequentialCell(*layers, nn.Dense(width, 1))
    return net, nn.Momentum(net.trainable_params(), 1e-4, 0.9)


def build(width: int):
    """A model of that network, and its data."""
    import mindspore.dataset as ds
    import numpy as np
    from mindspore import nn
    from mindspore.train import Model

    net, optimizer = network(width)
    model = Model(net, nn.MSELoss(), optimizer)
    rng = np.random.default_rng(1)
    x = rng.normal(size=(BATCH * 8, width)).astype(np.float32)
    y = x[:, :1].copy()

    def data(steps: int):
        return ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(BATCH).repeat(max(1, -(-steps // 8)))

    return model, data


class Timer(Callback):
    """Takes the time from the end of one step to the end of the next."""

    def __init__(self) -> None:
        super().__init__()
        self.ends = []

    def on_train_step_end(self, run_context) -> None:
        self.ends.append(time.perf_counter())


class Turns:
    """Every other chunk of steps is on; which of a pair of chunks comes first is left to a coin."""

    def __init__(self, chunk: int) -> None:
        self._chunk, self._steps, self.on = chunk, 0, True
        self._coin, self._first, self._ends = random.Random(1), True, []

    def step_ends(self) -> bool:
        """Call it at the end of each step; whether another chunk begins."""
        self._steps += 1
        if self._steps % self._chunk:
            return False
        number, was = self._steps // self._chunk, self.on
        if not number % 2:
            self._first = self._coin.random() < 0.5
        self.on = bool(number % 2) != self._first
        self._ends.append((time.perf_counter(), was))
        return True

    def pairs(self) -> list:
        """``(seconds with, seconds without)`` of each pair of chunks but the first three, in which things begin."""
        chunks = [(end - begin, on) for (begin, _), (end, on) in zip(self._ends[5:], self._ends[6:])]
        both = zip(chunks[::2], chunks[1::2])
        return [(a[0], b[0]) if a[1] else (b[0], a[0]) for a, b in both]


class Alternating:
    """Lets ``callbacks`` be called in every other chunk of steps.

    They are in the list of the training as a user gives them, with nothing of this file beside them: a callback of the user's
    own may set the learning rate, which monitors then have to read at each step.

    Batches and outputs of the last `HELD` steps are held here, whether the callbacks were called or not. In PyNative mode a
    loss ends the graph that it was differentiated through, and to free that takes 0.1 ms. A monitor that keeps the loss for
    a second frees it in a step in which it is called, and saves it the step after, which may be one in which it is not.

    What a monitor has put into the manager of the callbacks, to time them, is taken out where it is not called.
    """

    def __init__(self, callbacks: list, chunk: int) -> None:
        self.turns = Turns(chunk)
        self._held = deque(maxlen=HELD)
        self._bare = {hook: getattr(_CallbackManager, hook) for hook in STEP_HOOKS}
        self._timed = {}
        self.callbacks = callbacks or [Callback()]
        for callback in self.callbacks:
            for hook in STEP_HOOKS:
                self._gate(callback, hook)

    def _gate(self, callback, hook: str) -> None:
        original, ends = getattr(callback, hook), hook.endswith("end")
        last = callback is self.callbacks[-1]

        def gated(run_context) -> None:
            on = self.turns.on
            if on:
                original(run_context)
            if last and ends:
                parameters = run_context.original_args()
                self._held.append((parameters.get("net_outputs"), parameters.get("train_dataset_element")))
                if self.turns.step_ends():
                    self._change(on, self.turns.on)

        setattr(callback, hook, gated)

    def _change(self, was: bool, now: bool) -> None:
        if was and not now:
            self._timed = {hook: getattr(_CallbackManager, hook) for hook in STEP_HOOKS}
        if was != now:
            for hook, method in (self._timed if now else self._bare).items():
                setattr(_CallbackManager, hook, method)


def block(model, data, steps: int) -> float:
    """Median seconds of a step; the first steps, which start the pipeline, are left out."""
    clock = Timer()
    model.train(1, data(steps), callbacks=[clock], dataset_sink_mode=False)
    return statistics.median(b - a for a, b in zip(clock.ends[3:], clock.ends[4:]))


def width_for(step_ms: float) -> int:
    """A width whose step takes about ``step_ms``."""
    width = 128
    for _ in range(8):
        model, data = build(width)
        block(model, data, 8)
        seconds = block(model, data, 16)
        ratio = step_ms / 1e3 / seconds
        if 0.8 < ratio < 1.25:
            break
        width = max(16, int(width * min(3.0, max(0.3, ratio**0.5))) // 8 * 8)
    return width


def sets(folder: Path, peers: bool) -> dict:
    """Callbacks to measure, each made anew for each block."""
    import msprec

    def out() -> str:
        return tempfile.mkdtemp(dir=folder)

    made = {
        "nothing": list,
        "LossScaleMonitor": lambda: [msprec.LossScaleMonitor(out())],
        "NonFiniteMonitor": lambda: [msprec.NonFiniteMonitor(out=out())],
        "NonFiniteMonitor(locate=True)": lambda: [msprec.NonFiniteMonitor(out=out(), locate=True)],
        "StepTimeMonitor": lambda: [msprec.StepTimeMonitor(out())],
        "PrecisionMonitor": lambda: [msprec.PrecisionMonitor(out=out())],
    }
    if peers:
        from mindspore.train import LossMonitor, SummaryCollector

        summary = {"collect_dataset_graph": False, "collect_graph": False}
        made["mindspore LossMonitor"] = lambda: [LossMonitor()]
        made["mindspore SummaryCollector"] = lambda: [
            SummaryCollector(str(folder / "summary"), collect_freq=1, collect_specified_data=summary)
        ]
    return made


def ratios(model, data, chunk: int, pairs: int, callbacks: list) -> tuple:
    """Time with over time without, of ``pairs`` pairs of neighbouring chunks of steps; and that of all of them together."""
    both = Alternating(callbacks, chunk)
    with contextlib.redirect_stdout(io.StringIO()):  # a LossMonitor prints
        model.train(1, data(2 * chunk * (pairs + 3)), callbacks=both.callbacks, dataset_sink_mode=False)
    return _ratios(both.turns.pairs()[:pairs])


def train_step_of(net, optimizer):
    """The step of a loop of functions, compiled in graph mode."""
    from mindspore import nn

    loss_of = nn.MSELoss()

    def forward(x, y):
        return loss_of(net(x), y)

    gradient = ms.value_and_grad(forward, None, optimizer.parameters)

    def train_step(x, y):
        loss, grads = gradient(x, y)
        optimizer(grads)
        return loss

    return ms.jit(train_step) if ms.get_context("mode") == ms.GRAPH_MODE else train_step


def functional(width: int, data, chunk: int, pairs: int, folder=None) -> tuple:
    """The same for a loop of functions, whose batches and steps a `msprec.watch` that writes into ``folder`` is told of in
    every other chunk; ``folder`` None: nobody is."""
    import msprec

    net, optimizer = network(width)
    train_step = train_step_of(net, optimizer)
    batches = iter(data(2 * chunk * (pairs + 3)).create_tuple_iterator(num_epochs=1))
    monitor = msprec.watch(net, optimizer, out=folder) if folder is not None else None
    watched = monitor.batches(batches) if monitor is not None else batches
    turns, held = Turns(chunk), deque(maxlen=HELD)
    for _ in range(2 * chunk * (pairs + 3)):
        x, y = next(watched if turns.on else batches)
        loss = train_step(x, y)
        if turns.on and monitor is not None:
            monitor.step(loss)
        held.append((loss, x, y))
        turns.step_ends()
    if monitor is not None:
        monitor.close()
    return _ratios(turns.pairs()[:pairs])


def model_training(model, data, steps: int, make):
    """A function of whether callbacks are called: seconds of a training, its start and end included; nothing of this file is in
    the list of callbacks."""

    def seconds(watched: bool) -> float:
        source, callbacks = data(steps), (make() if watched else []) or [Callback()]
        with contextlib.redirect_stdout(io.StringIO()):
            began = time.perf_counter()
            model.train(1, source, callbacks=callbacks, dataset_sink_mode=False)
            return time.perf_counter() - began

    return seconds


class Within:
    """Adds up the time in which the hooks of callbacks run, which stay what they are."""

    def __init__(self, callbacks: list) -> None:
        self.seconds, self.callbacks = 0.0, callbacks
        for one in callbacks:
            for hook in (name for name in dir(Callback) if name.startswith("on_train_")):
                setattr(one, hook, self._timed(getattr(one, hook)))

    def _timed(self, function):
        def call(run_context) -> None:
            began = time.perf_counter()
            function(run_context)
            self.seconds += time.perf_counter() - began

        return call


def within(model, data, steps: int, make, count: int) -> list:
    """Of so many trainings in a row: the time of all over that without the callbacks. The first brings what is once a process."""
    found = []
    for _ in range(count):
        spent = Within(make() or [Callback()])
        whole = model_training(model, data, steps, spent.callbacks.copy)(True)
        found.append(whole / (whole - spent.seconds))
    return found


def loop_training(width: int, data, steps: int, folder=None):
    """The same of a loop of functions, which `msprec.watch` is told of; ``folder`` None: nobody ever is."""
    import msprec

    net, optimizer = network(width)
    train_step = train_step_of(net, optimizer)

    def seconds(watched: bool) -> float:
        source = data(steps)
        began = time.perf_counter()
        batches, monitor = source.create_tuple_iterator(num_epochs=1), None
        if watched and folder is not None:
            monitor = msprec.watch(net, optimizer, out=tempfile.mkdtemp(dir=folder))
            batches = monitor.batches(batches)
        for x, y in batches:
            loss = train_step(x, y)
            if monitor is not None:
                monitor.step(loss)
        if monitor is not None:
            monitor.close()
        loss.asnumpy()
        return time.perf_counter() - began

    return seconds


def _ratios(found: list) -> tuple:
    return [a / b for a, b in found], sum(a for a, _ in found) / sum(b for _, b in found)


def trainings(seconds_of, pairs: int) -> tuple:
    """The same, of ``pairs`` of whole trainings; which of a pair comes first is left to a coin.
    ``seconds_of(watched)`` trains."""
    from msprec.observe.callback_facts import write_waiting

    coin, found, at_exit = random.Random(1), [], []
    for watched in (False, True):  # what is imported and compiled once a process
        seconds_of(watched)
    write_waiting()
    for _ in range(pairs):
        order = [True, False] if coin.random() < 0.5 else [False, True]
        took = {on: seconds_of(on) for on in order}
        found.append((took[True], took[False]))
        began = time.perf_counter()
        write_waiting()
        at_exit.append(time.perf_counter() - began)
    print(f"    when the process ends: {statistics.median(at_exit):.3f} s", flush=True)
    return _ratios(found)


def show(name: str, found: list, total: float = 0.0) -> None:
    low, middle, high = statistics.quantiles(found, n=4)
    error = 1.25 * (high - low) / 1.35 / len(found) ** 0.5  # of a median, were the ratios normally distributed
    more = f"   total {total:.4f}" if total else ""
    told = f"quartiles {low:.3f} to {high:.3f}   {len(found)} pairs{more}"
    print(f"{name:32s} {middle:7.4f} ± {error:.4f}   {told}", flush=True)


SCRIPT = """
import sys
sys.path.insert(0, {here!r})
import mindspore as ms
from overhead import block, build, watched_by_msprobe
ms.set_context(mode={mode})
model, data = build({width})
block(model, data, 8)
if "msprobe" in sys.argv:  # only now: what it puts into the optimizer cannot be compiled
    watched_by_msprobe(model)
    block(model, data, 8)
print("STEP", block(model, data, {steps}))
"""
#: Of what `PrecisionMonitor` looks at too, what msprobe 26 can look at on a CPU: the parameters. Its norm has no kernel there,
#: and the gradients it reads from ``Parameter.grad``, which `Model` does not set.
MSPROBE = {"targets": {}, "ops": ["nans", "max", "min", "mean"], "param_distribution": True, "wg_distribution": False}


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
    parser.add_argument("--pairs", type=int, default=400)
    parser.add_argument("--trainings", type=int, help="so many pairs of whole trainings, instead of pairs of steps")
    parser.add_argument("--seconds", type=float, default=3.0, help="about how long a whole training takes (default 3)")
    parser.add_argument(
        "--within",
        action="store_true",
        help="of whole trainings the time in the callbacks alone, over that in all else",
    )
    parser.add_argument("--only", help="only the sets whose name holds this")
    parser.add_argument("--peers", action="store_true", help="MindSpore's own LossMonitor and SummaryCollector too")
    parser.add_argument(
        "--msprobe", action="store_true", help="msprobe's monitor too, in processes (PyNative mode only)"
    )
    parser.add_argument("--run", action="store_true", help="`msprec run` too, in processes of its own (slow)")
    args = parser.parse_args()

    mode = ms.GRAPH_MODE if args.mode == "graph" else ms.PYNATIVE_MODE
    ms.set_context(mode=mode)
    ms.set_context(runtime_num_threads=1)
    one_core()
    width = width_for(args.step_ms)
    model, data = build(width)
    seconds = block(model, data, 48)
    chunk = max(1, round(CHUNK_SECONDS / seconds))
    steps = round(args.seconds / seconds)
    what = f"whole trainings of {steps} steps" if args.trainings else f"{chunk} steps a chunk"
    print(f"{args.mode} mode, a step of about {seconds * 1e3:.1f} ms, {what}; time with / without:")
    with tempfile.TemporaryDirectory() as scratch:
        for name, make in sets(Path(scratch), args.peers).items():
            if args.only and args.only not in name and name != "nothing":
                continue
            if args.trainings and args.within:
                first, *later = within(model, data, steps, make, args.trainings)
                print(f"{name:32s} first {first:.4f}   {len(later)} later: median {statistics.median(later):.4f}")
            elif args.trainings:
                show(name, *trainings(model_training(model, data, steps, make), args.trainings))
            else:
                show(name, *ratios(model, data, chunk, args.pairs, make()))
        if not args.only or args.only in "msprec.watch":
            for name, folder in (("nothing, in a loop", None), ("msprec.watch", Path(scratch))):
                if args.trainings:
                    show(name, *trainings(loop_training(width, data, steps, folder), args.trainings))
                else:
                    show(name, *functional(width, data, chunk, args.pairs, folder))
    if args.msprobe:
        show("msprobe TrainerMon", runs(width, mode, 48, max(4, args.pairs // 20), msprobe=True))
    if args.run:
        show("msprec run", runs(width, mode, 192, max(4, args.pairs // 20)))


if __name__ == "__main__":
    main()
