"""Are planted faults repaired? Faults of `benchmarks/faults` and `benchmarks/mutants` that a remedy answers, each repaired by
`msprec remedy`.

    python benchmarks/remedies.py --list
    python benchmarks/remedies.py --only sine_relu_output         # one program; also an operator, or program/operator
    python benchmarks/remedies.py --pairs                         # then a fault that matters with one that does not
    python benchmarks/remedies.py --kept                          # starts nothing: what was measured so far
    python benchmarks/remedies.py --sound                         # the originals: no patch is wanted

An original is trained with five seeds, that of a pair with three; the faulty program is run under `msprec run`, then
`msprec remedy` tries what it finds. It is *repaired* when its result with the remedies together is not worse than the
original's (p < 0.05 and at least a hundredth, `msprec.experiment.effect.compare`), and *patched* when the patch was
offered, which means that the patched script did as well. The result is what a mutant prints of data that it was not
trained with, and of a pair what msprec reads: the score that the program evaluates or prints, else its training loss.
A fault whose result is not worse than the original's is harmless and does not count. What is done is kept in WORK;
started again, it goes on. WORK may be the folder WORK/LABEL of `benchmarks/faults/run.py`: runs that are there are
taken from it.

A pair of two faults is a fault that was repaired, and beside it one that does no harm alone: of the mutants another
operator, of the short programs a training set that is not shuffled or, where that harms, one whose order is mixed and the
same in each epoch. It is right when a remedy of the first comes first.

AUTOTRAINER (Zhang et al., ICSE 2021) repairs 98.4 % of 422 problematic trainings in Keras, with 36 points of accuracy
gained on average. The two sets differ: its faults are symptoms of training (vanishing and exploding gradients, dying
ReLU, oscillating loss, slow convergence) in models of its own, found by their gradients, repaired by changing the
model's settings; these are mistakes in data, loss, optimizer and weights, in programs as people write them, and the
repair is a patch of the source. The rates planted in the mutants are too large by 100 and too small by 1000; the
remedies try powers of ten as well, which is kind to them.

Measured on 2026-11-23 on two cores that much other work shared, 26 of the 93 faults of --list; the others were not run, or
not to the end:

    quadratic_rate_too_low            loss     0.017  3.311  -> 0.028   lr_range_middle   patched
    iris_sorted_no_shuffle            accuracy 0.936  0.809  -> 0.936   shuffle           patched
    iris_sigmoid_before_ce            acc      0.978  0.719  -> 0.978   output_activation patched
    sine_relu_output                  mse      7e-05  0.250  -> 7e-05   output_activation patched
    diabetes_tanh_output              mse      1.049  6.629  -> 1.049   output_activation patched
    digits_relu_logits                accuracy 0.879  0.426  -> 0.879   output_activation patched
    autoencoder_sigmoid_standardized  mse      0.244  0.559  -> 0.244   output_activation patched
    multilabel_softmax                accuracy 0.777  0.537  -> 0.777   output_activation patched
    xor_softmax_one_unit              accuracy 1.000  0.500  -> 1.000   output_activation patched
    ratings_sigmoid_output            rmse     0.295  2.351  -> 0.358   output_activation, more_epochs: not repaired
    nll_on_raw_logits                 accuracy 0.973  0.667  -> 0.973   loss_form         patched
    own_loss_softmax_axis             acc      0.893  0.751  -> 0.893   loss_form         patched
    lstm_forecast_broadcast           mse      0.015  0.463  -> 0.012   output_shape, more_epochs patched
    digits_cnn_raw_pixels             accuracy 0.908  0.098  -> 0.872   lr_much_lower     patched
    mlp_zero_weights                  accuracy 0.980  0.101  -> 0.996   standardise, initial_weights patched
    cnn_dropout_left_on               accuracy 0.870  0.769  -> 0.872   evaluation_mode   patched
    batch_is_whole_set                acc      0.887  0.435  -> 0.887   batch_size        patched
    regression_diverges               loss     0.010  none   -> 0.001   lr_range_upper    patched
    features_stop_gradient            accuracy 0.838  0.497  -> 0.896   gradient_flow, many_epochs patched
    graph_network/rate_x100           accuracy 0.899  0.238  -> 0.870   lr_range_test     patched
    graph_network/rate_d1000          accuracy 0.899  0.261  -> 0.898   lr_far_higher     patched
    graph_network/epochs_few          accuracy 0.899  0.238             no finding, so nothing was tried
    regression/rate_x100              R2       0.969  0.550  -> 0.974   lr_range_test     patched
    regression/rate_d1000             R2       0.969  -8.86  -> 0.974   lr_range_test     patched
    image_classes/epochs_one          accuracy 0.956  0.533  -> 0.941   many_epochs       patched

Repaired 23 of 25 and all of these patched; +42.2 points on average of the 16 with shares of right answers. The 26th,
double_softmax_jit, does no harm. Few are blind: the remedies for the output and the loss's form were written after looking
at eight pairs, `lr_range_middle` after quadratic_rate_too_low. For ratings_sigmoid_output, where the sound program
stretches its sigmoid to 1..5, `output_range` was added and has not run; since graph_network/epochs_few was measured hp.02 has
come to find it. The six mutants are rates and epochs; of mutants of data, loss and weights nothing is measured.
Of two faults ten pairs were run, and a remedy of the one that matters came first in all ten: iris_sigmoid_before_ce,
lstm_forecast_broadcast, batch_is_whole_set, regression_diverges, nll_on_raw_logits and multilabel_softmax without shuffling,
digits_relu_logits, own_loss_softmax_axis, mlp_zero_weights and sine_relu_output with an order that repeats. In nine of them the
other fault was found as well and its remedy tried. autoencoder_sigmoid_standardized and digits_cnn_raw_pixels give no pair:
either second fault does harm there.
The originals get no patch where they have no finding: nothing is tried on them.

The interpreter needs MindSpore, scikit-learn, LibCST and rich.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
from itertools import product, zip_longest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "mutants"))
sys.path.insert(0, str(Path(__file__).parent / "faults"))

from catalogue import FAULTS, KINDS, Kind, mutants_of
from operators import Fault, mutate
from pairs import FAULT, PAIRS, faulty, second_faults
from rich.console import Console
from rich.table import Table
from source import Program

from msprec.experiment import effect
from msprec.experiment.case import CannotExperiment, Case
from msprec.experiment.effect import Measured, Score
from msprec.experiment.plan import MOST_SEEDS, SEEDS, make_plan
from msprec.experiment.processes import stopped_by_signals
from msprec.experiment.runner import Runner, Task
from msprec.experiment.trials import Trials

#: The faults that a remedy of the list answers, by the operators' names, and the remedies that would repair them.
ANSWERED = {
    "rate_x100": ("lr_range_test", "lr_range_middle", "lr_range_upper", "lr_lower", "lr_much_lower"),
    "rate_d1000": (
        "lr_range_test",
        "lr_range_middle",
        "lr_range_upper",
        "lr_higher",
        "lr_much_higher",
        "lr_far_higher",
    ),
    "init_zeros": ("initial_weights",),
    "output_softmax": ("logits",),
    "data_unscaled": ("standardise",),
    "shuffle_off": ("shuffle",),
    "order_repeats": ("shuffle",),
    "partial_parameters": ("all_parameters",),
    "data_unbalanced": ("class_weights",),
    "epochs_few": ("more_epochs", "many_epochs", "most_epochs"),
    "epochs_one": ("more_epochs", "many_epochs", "most_epochs"),
    "batch_large": ("batch_size",),
}
_RATES = (
    "lr_range_test",
    "lr_range_middle",
    "lr_range_upper",
    "lr_lower",
    "lr_much_lower",
    "lr_higher",
    "lr_much_higher",
    "lr_far_higher",
)
_EPOCHS = ("more_epochs", "many_epochs", "most_epochs")
#: The same of the pairs of `benchmarks/faults`, the quickest first. The others hold faults that no remedy of the list answers.
ANSWERED_PAIRS = {
    "quadratic_rate_too_low": _RATES,
    "iris_sorted_no_shuffle": ("shuffle",),
    "iris_sigmoid_before_ce": ("output_activation",),
    "sine_relu_output": ("output_activation",),
    "diabetes_tanh_output": ("output_activation", "output_range"),
    "digits_relu_logits": ("output_activation",),
    "autoencoder_sigmoid_standardized": ("output_activation", "output_range"),
    "multilabel_softmax": ("output_activation",),
    "xor_softmax_one_unit": ("output_activation",),
    "ratings_sigmoid_output": ("output_activation", "output_range"),
    "double_softmax_jit": ("logits",),
    "nll_on_raw_logits": ("loss_form",),
    "own_loss_softmax_axis": ("loss_form",),
    "lstm_forecast_broadcast": ("output_shape",),
    "housing_inputs_unscaled": ("standardise",),
    "digits_cnn_raw_pixels": ("standardise",),
    "siamese_half_optimizer": ("all_parameters",),
    "features_stop_gradient": ("gradient_flow",),
    "mlp_zero_weights": ("initial_weights",),
    "moons_huge_initial_weights": ("initial_weights",),
    "dead_relu_large_negative_bias": ("initial_weights",),
    "cnn_dropout_left_on": ("evaluation_mode",),
    "batch_is_whole_set": ("batch_size",),
    "digits_rate_too_high": _RATES,
    "regression_diverges": _RATES,
    "loss_summed": _RATES,
    "elman_exploding": (*_RATES, "clip_gradients"),
    "half_precision_no_scale": ("loss_scale", "float32"),
    "fraud_imbalanced": ("class_weights",),
    "two_epochs_only": _EPOCHS,
}
SETTINGS = {"GLOG_v": "3", "MS_DEV_LAUNCH_BLOCKING": "1", "PYTHONDONTWRITEBYTECODE": "1", "LC_ALL": "C.UTF-8"}


def prepared(texts: dict, folder: Path, probe_seconds: float) -> Case:
    """The program in ``folder/program``, run once under msprec into ``folder/run``."""
    program, run = folder / "program", folder / "run"
    if not (run / "checklist.json").is_file():
        shutil.rmtree(run, ignore_errors=True)  # of a call that was ended
        program.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (program / name).write_text(text, encoding="utf-8")
        given = (
            "run",
            "--no-word",
            "--lang",
            "en",
            "--probe-seconds",
            str(probe_seconds),
            "--out",
            str(run),
            "train.py",
        )
        msprec(program, *given)
    return Case(run)


def msprec(cwd: Path, *args: str) -> subprocess.CompletedProcess:
    """One call of msprec; what it prints is kept from the terminal."""
    command = [sys.executable, "-m", "msprec", *args]
    return subprocess.run(command, cwd=cwd, env={**os.environ, **SETTINGS}, capture_output=True, text=True, check=False)


def remedied(case: Case) -> dict:
    """The facts of `msprec remedy`; empty where there was nothing to try."""
    facts = case.run / "facts" / "remedies.json"
    if not facts.is_file():
        (case.run.parent / "remedy.log").write_text(
            msprec(case.cwd, "remedy", "--yes", "--lang", "en", str(case.run)).stderr
        )
    return json.loads(facts.read_text()) if facts.is_file() else {}


class Benchmark:
    """All that is measured, below ``work``."""

    def __init__(self, work: Path, probe_seconds: float) -> None:
        self._work, self._probe_seconds = work.absolute(), probe_seconds
        self._originals: dict[str, tuple] = {}

    def original(self, kind: Kind) -> tuple[Case, Score]:
        """The original, run over seeds, and its score."""
        if kind.name not in self._originals:
            case = prepared(Program(kind.folder).texts, self._work / kind.name / "original", self._probe_seconds)
            runs = Runner(case).run([Task((), seed) for seed in range(SEEDS if is_pair(kind) else MOST_SEEDS)])
            # what a pair comes to is read as msprec reads it: the score it evaluates or prints, else the training loss
            score = effect.choose_score(runs) if is_pair(kind) else Score(kind.metric, kind.higher_is_better)
            self._originals[kind.name] = case, score
        return self._originals[kind.name]

    def mutant(self, kind: Kind, operator: str, texts: dict) -> dict:
        """What became of one mutant."""
        original, score = self.original(kind)
        case = prepared(texts, self._work / kind.name / operator, self._probe_seconds)
        facts = remedied(case)
        if not facts:
            Runner(case).run([Task((), seed) for seed in range(SEEDS)])
        together = (facts.get("together") or {}).get("ids", [])
        if is_pair(kind) and facts.get("score"):
            score = Score(facts["score"], facts["higher"])  # another one where the classes are unbalanced
        sides = (original, []), (case, []), (case, together)
        sound, broken, best = (measured(*one, score, is_pair(kind)) for one in sides)
        patch = facts.get("patch") or {}
        return {
            "name": f"{kind.name}/{operator}",
            "problems": [one.item for one in case.problems],
            "score": score.name,
            "higher": score.higher,
            **verdict(score, sound, broken, best),
            "first": facts["remedies"][0]["id"] if facts.get("remedies") else None,
            "remedies": together,
            "planned": [one["id"] for one in facts.get("remedies", [])],
            "patch": patch.get("file"),
            "why_not": patch.get("why_not"),
        }

    def is_kept(self, kind: Kind, operator: str) -> bool:
        """Whether the remedies of a fault were tried before."""
        return (self._work / kind.name / operator / "run" / "facts" / "remedies.json").is_file()

    def first_of_two(self, kind: Kind, operator: str, texts: dict) -> dict:
        """Which remedy comes first for a program with two faults; None where none helps."""
        folder = self._work / kind.name / operator
        if not (folder / "first.json").is_file():
            case = prepared(texts, folder, self._probe_seconds)
            plan = make_plan(case)
            trials = Trials(plan, Runner(case))
            if plan.remedies:
                trials.alone()
            helping = [one.id for one in trials.helping()]
            found = {"helping": helping, "planned": [one.id for one in plan.remedies]}
            (folder / "first.json").write_text(json.dumps(found), encoding="utf-8")
        found = json.loads((folder / "first.json").read_text(encoding="utf-8"))
        right = found["helping"][:1] and found["helping"][0] in answers(kind, operator.split("+")[0])
        return {"name": f"{kind.name}/{operator}", "right": bool(right), **found}

    def is_harmless(self, kind: Kind, operator: str, texts: dict) -> bool:
        """Whether a change alone leaves the result of the original within its spread."""
        original, score = self.original(kind)
        case = prepared(texts, self._work / kind.name / operator, self._probe_seconds)
        Runner(case).run([Task((), seed) for seed in range(SEEDS)])
        before, after = (measured(one, [], score, is_pair(kind)) for one in (original, case))
        return effect.compare(before, after, score).verdict not in ("harms", "open")


def is_pair(kind: Kind) -> bool:
    """Whether the program is one of `benchmarks/faults`."""
    return kind in PAIRS


def measured(case: Case, remedies: list, score: Score, as_read: bool) -> Measured:
    """The results of all runs with these remedies, in the order of their seeds: what the program itself prints at its end of
    data that it was not trained with, ``result: NAME VALUE``; with ``as_read`` what msprec reads."""
    runs = [json.loads(path.read_text(encoding="utf-8")) for path in (case.run / "remedies" / "runs").glob("*.json")]
    mine = sorted(
        (one for one in runs if one["remedies"] == remedies and not one["edited"]), key=lambda one: one["seed"]
    )
    if as_read:
        return effect.measure(mine, score)
    scores = tuple(printed(one["said"]) if one["status"] == 0 else None for one in mine)
    return Measured(scores, (), sum(one["status"] != 0 for one in mine))


def printed(lines: list) -> float | None:
    """The value of the last line ``result: NAME VALUE``; None where it is not finite or there is none."""
    found = [float(line.split()[2]) for line in lines if line.startswith("result: ")]
    return found[-1] if found and math.isfinite(found[-1]) else None


def verdict(score: Score, sound: Measured, broken: Measured, best: Measured) -> dict:
    """Whether the fault does harm and whether it is repaired."""
    harm = effect.compare(sound, broken, score).verdict
    harmful = harm == "harms"
    repaired = harmful and effect.compare(sound, best, score).verdict != "harms"
    values = {name: mean(one, score) for name, one in (("original", sound), ("mutant", broken), ("repaired_to", best))}
    return {"harm": harm, "harmful": harmful, "repaired": repaired, **values}


def mean(one: Measured, score: Score) -> float | None:
    """The mean over seeds; None where one has no result."""
    values = one.scores if score.name else one.losses
    return None if None in values or not values else statistics.mean(values)


def singles(only: list[str]) -> list[tuple[Kind, str, dict]]:
    """``(program, operator, files)`` of the faults that a remedy answers: the pairs, then the mutants."""
    known = {kind.name: kind for kind in PAIRS}
    made = [(known[name], FAULT, faulty(known[name]).texts) for name in ANSWERED_PAIRS]
    for kind in KINDS:
        if wanted_kind(kind, only):
            made += [(kind, one.operator, one.texts) for one in mutants_of(kind) if one.operator in ANSWERED]
    return [one for one in made if not only or {one[0].name, one[1], f"{one[0].name}/{one[1]}"} & set(only)]


def answers(kind: Kind, operator: str) -> tuple[str, ...]:
    """The remedies that would repair a fault."""
    return ANSWERED_PAIRS[kind.name] if is_pair(kind) else ANSWERED[operator]


def wanted_kind(kind: Kind, only: list[str]) -> bool:
    """Whether a program may be among those asked for."""
    return not only or any(name.split("/")[0] == kind.name or name in ANSWERED for name in only)


def two_faults(benchmark: Benchmark, only: list[str], rows: list[dict]) -> list[tuple[Kind, str, dict]]:
    """A repaired fault with a harmless one of the same program."""
    repaired = [row["name"] for row in rows if row["repaired"]]
    made = []
    for kind in (one for one in PAIRS if f"{one.name}/{FAULT}" in repaired):
        for alone, beside in second_faults(kind):
            if benchmark.is_harmless(kind, alone.operator, alone.texts):
                made.append((kind, beside.operator, beside.texts))
                break
    return [*made, *in_turn(two_of_mutants(only, rows))]


def two_of_mutants(only: list[str], rows: list[dict]) -> list[tuple[Kind, str, dict]]:
    """The same of the mutants: all that are harmless beside all that are repaired."""
    by_name = {row["name"]: row for row in rows}
    made = []
    for kind in (one for one in KINDS if wanted_kind(one, only)):
        program = Program(kind.folder)
        faults = {name: fault for name, fault in FAULTS[kind.name](program) if f"{kind.name}/{name}" in by_name}
        bad = [name for name in faults if by_name[f"{kind.name}/{name}"]["repaired"]]
        idle = [name for name in faults if by_name[f"{kind.name}/{name}"]["harm"] in ("none", "helps")]
        for one, other in product(bad, idle):
            edits = [*faults[one].edits, *faults[other].edits]
            try:
                mutant = mutate(program, kind.name, f"{one}+{other}", Fault(edits, faults[one].items, ""))
            except (SyntaxError, IndexError):  # the two change the same place
                continue
            made.append((kind, mutant.operator, mutant.texts))
    return made


def in_turn(made: list) -> list:
    """One of each program, then a second of each, and so on."""
    by_kind = [[one for one in made if one[0] is kind] for kind in KINDS]
    return [one for row in zip_longest(*by_kind) for one in row if one is not None]


def show(console: Console, rows: list[dict]) -> None:
    """The table, and the shares below it."""
    table = Table("fault", "score", "original", "faulty", "repaired to", "remedies", "patch", title_justify="left")
    for row in rows:
        values = ["—" if row[key] is None else f"{row[key]:.4g}" for key in ("original", "mutant", "repaired_to")]
        patch = row["patch"] or row["why_not"] or "—"
        table.add_row(row["name"], row["score"] or "loss", *values, " + ".join(row["remedies"]) or "—", patch)
    console.print(table)
    harmful = [row for row in rows if row["harmful"]]
    repaired = [row for row in harmful if row["repaired"]]
    if harmful:
        share = len(repaired) / len(harmful)
        patched = sum(bool(row["patch"]) for row in repaired)
        console.print(f"harmful: {len(harmful)}; repaired: {len(repaired)} ({share:.0%}); of these patched: {patched}")
        shares = [row for row in repaired if row["higher"]]
        within = [row for row in shares if all(0 <= (row[key] or 0.0) <= 1 for key in ("original", "mutant"))]
        gains = [row["repaired_to"] - row["mutant"] for row in within if row["mutant"] is not None]
        if gains:
            console.print(
                f"mean gain of the {len(gains)} with scores in 0..1: {100 * statistics.mean(gains):+.1f} points"
            )
        console.print("AUTOTRAINER on its own set: 98.4 % repaired, +36 points (see --help for what differs)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", default=[], help="a program, an operator, or program/operator")
    parser.add_argument("--work", type=Path, default=Path("remedies-work"))
    parser.add_argument("--probe-seconds", type=float, default=30.0)
    parser.add_argument("--list", action="store_true", help="the faults and their remedies")
    parser.add_argument(
        "--pairs",
        type=int,
        nargs="?",
        const=20,
        metavar="N",
        help="then N (20) pairs of a repaired fault and a harmless one",
    )
    parser.add_argument("--kept", action="store_true", help="start nothing: show what was measured before")
    parser.add_argument("--sound", action="store_true", help="the originals instead of mutants")
    args = parser.parse_args()
    console, benchmark = (
        Console(highlight=False, soft_wrap=True, file=sys.stdout),
        Benchmark(args.work, args.probe_seconds),
    )
    if args.list:
        for kind, operator, _ in singles(args.only):
            console.print(f"{kind.name}/{operator}: {', '.join(answers(kind, operator))}")
        return
    if args.sound:
        for kind in (one for one in KINDS if wanted_kind(one, args.only)):
            facts = remedied(benchmark.original(kind)[0])
            console.print(f"{kind.name}: patch {(facts.get('patch') or {}).get('file')}")
        return
    chosen = [one for one in singles(args.only) if not args.kept or benchmark.is_kept(*one[:2])]
    rows = [row for row in (measure_one(benchmark, console, *one) for one in chosen) if row]
    show(console, rows)
    if args.pairs:
        twos = []
        for kind, operator, texts in two_faults(benchmark, args.only, rows)[: args.pairs]:
            twos.append(benchmark.first_of_two(kind, operator, texts))
            console.print(twos[-1])
        right, both = sum(one["right"] for one in twos), sum("shuffle" in one["planned"] for one in twos)
        console.print(f"of {len(twos)} pairs the other fault was found too, and its remedy tried, in {both}")
        console.print(f"two faults: a remedy of the one that matters comes first in {right} of {len(twos)}")
    (args.work / "remedies.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def measure_one(benchmark: Benchmark, console: Console, kind: Kind, operator: str, texts: dict) -> dict | None:
    """The row of a mutant, None where it cannot be run."""
    try:
        row = benchmark.mutant(kind, operator, texts)
    except CannotExperiment as error:
        console.print(f"{kind.name}/{operator}: {error}")
        return None
    said = {key: row[key] for key in ("harmful", "repaired", "original", "mutant", "repaired_to", "remedies", "patch")}
    console.print(f"{row['name']}: {said}")
    return row


if __name__ == "__main__":
    with stopped_by_signals():
        main()
