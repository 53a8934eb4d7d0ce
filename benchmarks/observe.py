"""What `msprec run` costs, as paired processes: of a training loop, or of a whole run with everything that comes after it.

    python benchmarks/observe.py
    python benchmarks/observe.py --samples 98304 --hidden 1280 --pairs 2
    python benchmarks/observe.py --whole 60 --pairs 3
    python benchmarks/observe.py --whole 60 --hidden 1280 --pairs 3
    python benchmarks/observe.py --whole 60 --style loop --pairs 3
    python benchmarks/observe.py --whole 600 --pairs 1 --together

A network is trained on images of 3 x 32 x 32 for one pass, once as it is and once under ``msprec run``, which comes first
alternating. All of it runs on one core (see ``overhead.py``). With the width that `--hidden` has by default a step takes a few
milliseconds, with 1280 about 20. ``--style model``: by ``Model.train`` in graph mode; ``loop``: by ``value_and_grad`` and the
optimizer in PyNative mode, where reading any tensor waits for all that was launched.

Of the loop, without the probes and the report that come after the script: the clock runs from the end of the fifth step to the
end of the loop. With the ratio, which holds all that is observed, steps and gradients too, stand the time that looking at data
took, as the run counts it, and the share of the delivered samples that the statistics rest on: what is not looked at costs
nothing.

Of a whole run (``--whole``, so many seconds without msprec): from the start of the process to its end, with the options that
`msprec run` has by default, and the seconds of each part: until the script begins, the script, the facts that are written at
its end, probes, conclusion and report. Of the script, what is paid at each step is told by the second half of its steps, by the
clock and by CPU time; the rest is paid once, and both together tell what ten minutes would take. With ``--together`` both run
at the same time, each on a core of its own, which they swap from pair to pair: on a machine that others use too, both have the
same neighbours. Beside the ratio of the clock stands that of the CPU time and, where Linux's `perf` can count them, that of
the instructions: two runs of the bare training were seen to differ by 14 % in their cycles and by 0.02 % in their instructions,
as cores, caches and neighbours are not the same.
"""

import argparse
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from cores import one_core

SCRIPT = """
import sys, time
print("BEGIN", time.time())
import numpy as np
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn
from mindspore.train import Callback, Model

style, samples, hidden = sys.argv[1], *map(int, sys.argv[2:])
ms.set_context(mode=ms.GRAPH_MODE if style == "model" else ms.PYNATIVE_MODE)
ms.set_context(runtime_num_threads=1)
ms.set_seed(1)
rng = np.random.default_rng(1)
images = rng.integers(0, 256, (2048, 3, 32, 32), dtype=np.uint8)
labels = rng.integers(0, 10, 2048).astype(np.int32)


class Source:
    def __getitem__(self, index):
        return (images[index % 2048] / np.float32(255) - np.float32(0.5)) * np.float32(4), labels[index % 2048]

    def __len__(self):
        return samples


class Clock(Callback):
    def __init__(self):
        super().__init__()
        self.ends, self.cpu = [], []

    def on_train_step_end(self, run_context=None):
        self.ends.append(time.perf_counter())
        self.cpu.append(time.process_time())


data = ds.GeneratorDataset(Source(), ["image", "label"], shuffle=True, num_parallel_workers=1).batch(32)
net = nn.SequentialCell(nn.Flatten(), nn.Dense(3072, hidden), nn.ReLU(), nn.Dense(hidden, 10))
loss_fn = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
optimizer, clock = nn.Adam(net.trainable_params(), 1e-4), Clock()


def forward(image, label):
    return loss_fn(net(image), label)


if style == "model":
    Model(net, loss_fn, optimizer).train(1, data, callbacks=[clock], dataset_sink_mode=False)
else:
    gradients = ms.value_and_grad(forward, None, optimizer.parameters)
    net.set_train()
    for image, label in data.create_tuple_iterator(num_epochs=1):
        loss, found = gradients(image, label)
        optimizer(found)
        clock.on_train_step_end()
    print(float(loss.asnumpy()))
print("LOOP", clock.ends[-1] - clock.ends[4], (clock.ends[-1] - clock.ends[4]) / (len(clock.ends) - 5))
late = len(clock.ends) // 2
print("LATE", *((times[-1] - times[late]) / (len(times) - 1 - late) for times in (clock.ends, clock.cpu)))
print("END", time.time())
"""


def loop(command: list, folder: Path) -> tuple:
    """Seconds of the loop, and of a step."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    line = next(line for line in done.stdout.splitlines() if line.startswith("LOOP"))
    return tuple(map(float, line.split()[1:]))


def recorded(run: Path) -> tuple:
    """Of the training's data set, the share of the samples that the statistics rest on; and the seconds that looking at data
    took, as the run counted them."""
    facts = json.loads((run / "facts" / "datasets.json").read_text(encoding="utf-8"))
    return max((data["scanned"]["share"] for data in facts["datasets"]), default=0.0), facts["cost"]["seconds"]


_TOLD = ("BEGIN", "END", "LATE")


class Timed(NamedTuple):
    """Seconds of a process: all of them, its CPU time, until the script began, in it, and after it; of a step in its second half,
    by the clock and of the CPU; and its instructions outside the kernel (NaN where `perf` cannot count them)."""

    whole: float
    cpu: float
    instructions: float
    start: float
    script: float
    after: float
    late: float
    late_cpu: float


def counting(file: Path) -> list:
    """What stands before a command whose instructions, those of its children too, `perf` writes into a file."""
    counted = ["perf", "stat", "-x,", "-e", "instructions:u", "-o", str(file)]
    able = shutil.which("perf") and not subprocess.run([*counted, "true"], capture_output=True).returncode
    return counted if able else []


def instructions(file: Path) -> float:
    """The number that `perf` wrote, or NaN."""
    rows = (line.split(",") for line in file.read_text(encoding="utf-8").splitlines()) if file.is_file() else ()
    return next((float(row[0]) for row in rows if row[0].isdigit()), math.nan)


def timed(command: list, folder: Path, core) -> Timed:
    """Runs a command in a folder, on one core."""
    counts = folder / f"instructions_{core}"
    command = [*counting(counts), *command]
    pinned = (lambda: os.sched_setaffinity(0, {core})) if core is not None else None
    with tempfile.TemporaryFile("w+", dir=folder) as out:
        began = time.time()
        process = subprocess.Popen(command, cwd=folder, stdout=out, stderr=subprocess.DEVNULL, preexec_fn=pinned)
        _, status, used = os.wait4(process.pid, 0)
        ended = time.time()
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        told = {line.split()[0]: line.split()[1:] for line in out.read().splitlines() if line.startswith(_TOLD)}
    begin, end = float(told["BEGIN"][0]), float(told["END"][0])
    late = map(float, told["LATE"])
    cpu = used.ru_utime + used.ru_stime
    return Timed(ended - began, cpu, instructions(counts), begin - began, end - begin, ended - end, *late)


def parts(run: Path, watched: Timed, bare: Timed, steps: int) -> str:
    """Where the seconds of a watched run went beyond those of the bare one."""
    probes = json.loads((run / "facts" / "probes.json").read_text(encoding="utf-8"))["seconds"]
    report = watched.after - bare.after - probes
    step, of_cpu = watched.late - bare.late, watched.late_cpu - bare.late_cpu
    once = watched.whole - bare.whole - step * steps
    long = 1 + step / bare.late + once / 600
    return (
        f"start {watched.start - bare.start:+.1f} s, script {watched.script - bare.script:+.1f} s, probes {probes:.1f} s, "
        f"record, conclusion and report {report:.1f} s; each of {steps} steps {step * 1e6:+.0f} µs (CPU {of_cpu * 1e6:+.0f}) "
        f"of {bare.late * 1e3:.1f} ms, once {once:.1f} s: ten minutes would take {long:.3f}"
    )


def whole_runs(seconds: float, style: str, hidden: int, pairs: int, together: bool) -> None:
    """Prints the ratio of each pair of whole runs of about so many seconds."""
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else [None]
    with tempfile.TemporaryDirectory() as scratch:
        folder, found = Path(scratch), []
        (folder / "train.py").write_text(SCRIPT, encoding="utf-8")
        step = loop([sys.executable, "train.py", style, "4096", str(hidden)], folder)[1]
        steps = round(seconds / step)
        for number in range(pairs):
            bare = [sys.executable, "train.py", style, str(steps * 32), str(hidden)]
            watched = [sys.executable, "-m", "msprec", "run", "--out", f"run{number}", *bare[1:]]
            order = (bare, watched) if number % 2 else (watched, bare)
            if together:
                with ThreadPoolExecutor() as both:
                    times = both.map(timed, order, (folder, folder), (cores[0], cores[-1]))
                took = dict(zip((one is watched for one in order), times))
            else:
                took = {one is watched: timed(one, folder, cores[-1]) for one in order}
            found.append(tuple(with_it / without for with_it, without in zip(took[True][:3], took[False][:3])))
            told = parts(folder / f"run{number}", took[True], took[False], steps)
            print(
                f"pair {number + 1}: {took[False].whole:.0f} s without; time {found[-1][0]:.3f}, CPU {found[-1][1]:.3f}, "
                f"instructions {found[-1][2]:.3f}; {told}",
                flush=True,
            )
        clock, cpu, counted = (statistics.median(ratios) for ratios in zip(*found))
        print(f"time under msprec run / without: {clock:.3f}, of the CPU {cpu:.3f}, of the instructions {counted:.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=32768, help="samples of the pass (default 32768)")
    parser.add_argument("--hidden", type=int, default=256, help="width of the network, for a longer step (default 256)")
    parser.add_argument("--style", choices=("model", "loop"), default="model")
    parser.add_argument("--pairs", type=int, default=4)
    parser.add_argument(
        "--whole", type=float, metavar="SECONDS", help="whole runs of about so many seconds without msprec"
    )
    parser.add_argument("--together", action="store_true", help="the two of a pair of whole runs at the same time")
    args = parser.parse_args()
    if args.whole:
        whole_runs(args.whole, args.style, args.hidden, args.pairs, args.together)
        return
    one_core()
    ratios, shares, whole, data = [], [], [], []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "train.py").write_text(SCRIPT, encoding="utf-8")
        for number in range(args.pairs):
            bare = [sys.executable, "train.py", args.style, str(args.samples), str(args.hidden)]
            options = ["--out", f"run{number}", "--probe-seconds", "0", "--no-word"]
            watched = [sys.executable, "-m", "msprec", "run", *options, *bare[1:]]
            order = (bare, watched) if number % 2 else (watched, bare)
            seconds = {command is watched: loop(command, folder) for command in order}
            ratios.append(seconds[True][0] / seconds[False][0])
            whole.append(seconds[False][0])
            share, spent = recorded(folder / f"run{number}")
            shares.append(share)
            data.append(spent / seconds[True][0])
            print(
                f"pair {number + 1}: {ratios[-1]:.4f}, {shares[-1]:.0%} of the samples seen, {data[-1]:.1%} of the "
                "time for looking at data",
                flush=True,
            )
    step = args.samples // 32
    print(
        f"a loop of about {statistics.median(whole):.0f} s and {step} steps; time under msprec run / without: "
        f"{statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f}), "
        f"{statistics.median(shares):.0%} of the samples seen; looking at data took "
        f"{statistics.median(data):.1%} of the time"
    )


if __name__ == "__main__":
    main()
