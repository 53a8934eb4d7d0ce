"""What observing costs: the time of a training loop under `msprec run` over the time without, as paired processes.

    python benchmarks/observe.py
    python benchmarks/observe.py --samples 98304 --hidden 1280 --pairs 2

A network is trained on images of 3 x 32 x 32 for one pass, once as it is and once under ``msprec run`` (without the probes
and the report that come after the script), which comes first alternating. The clock runs from the end of the fifth step to the
end of the loop. With the ratio, which holds all that is observed, steps and gradients too, stand the time that looking at data
took, as the run counts it, and the share of the delivered samples that the statistics rest on: what is not looked at costs
nothing. All of it runs on one core (see ``overhead.py``).
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from cores import one_core

SCRIPT = """
import sys, time
import numpy as np
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn
from mindspore.train import Callback, Model

ms.set_context(mode=ms.GRAPH_MODE)
ms.set_context(runtime_num_threads=1)
ms.set_seed(1)
samples, hidden = map(int, sys.argv[1:])
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
        self.ends = []

    def on_train_step_end(self, run_context):
        self.ends.append(time.perf_counter())


data = ds.GeneratorDataset(Source(), ["image", "label"], shuffle=True, num_parallel_workers=1).batch(32)
net = nn.SequentialCell(nn.Flatten(), nn.Dense(3072, hidden), nn.ReLU(), nn.Dense(hidden, 10))
model = Model(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"), nn.Adam(net.trainable_params(), 1e-4))
clock = Clock()
model.train(1, data, callbacks=[clock], dataset_sink_mode=False)
print("LOOP", clock.ends[-1] - clock.ends[4], (clock.ends[-1] - clock.ends[4]) / (len(clock.ends) - 5))
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=32768, help="samples of the pass (default 32768)")
    parser.add_argument("--hidden", type=int, default=256, help="width of the network, for a longer step (default 256)")
    parser.add_argument("--pairs", type=int, default=4)
    args = parser.parse_args()
    one_core()
    ratios, shares, whole, data = [], [], [], []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "train.py").write_text(SCRIPT, encoding="utf-8")
        for number in range(args.pairs):
            bare = [sys.executable, "train.py", str(args.samples), str(args.hidden)]
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
