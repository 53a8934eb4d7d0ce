"""Running programs: their results over seeds, kept by the hash of what was run, and what msprec concludes of one run."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import shutil
import subprocess
import tempfile
import time
import warnings
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from catalogue import Kind
from scipy import stats

RESULT = re.compile(r"^result: (\w+) (\S+)\s*$", re.MULTILINE)
#: PyNative mode runs each operator when it is called: its threads wait for each other in busy loops otherwise.
SETTINGS = {"GLOG_v": "3", "MS_DEV_LAUNCH_BLOCKING": "1", "PYTHONDONTWRITEBYTECODE": "1", "LC_ALL": "C.UTF-8"}
SIGNIFICANT = 0.05
MEDIUM_EFFECT = 0.5
#: Where a difference is not significant, but this likely, more seeds would have to say whether the mutant does harm.
UNCLEAR = 0.25


@dataclass(frozen=True)
class Trained:
    """The end of one training: its result, None where it failed or is not finite, and how long it took."""

    value: float | None
    status: int
    seconds: float
    message: str = ""


@dataclass(frozen=True)
class Harm:
    """Whether the results of a mutant are worse than those of the original."""

    verdict: str  # harmful, harmless, unclear
    p_value: float
    effect: float
    original: float
    mutant: float
    failed: int


@dataclass(frozen=True)
class Problem:
    """One item that was concluded to be a problem."""

    item: str
    summary: str
    locations: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Concluded:
    """What `msprec run` said of one program."""

    items: dict[str, str]
    problems: tuple[Problem, ...]
    status: int
    seconds: float
    message: str = ""
    value: float | None = None


class Runner:
    """Starts processes, one folder each, and keeps the results of trainings in a JSON file."""

    def __init__(self, python: str, msprec: str, cache: Path, niceness: int, timeout: float) -> None:
        self.python, self.msprec, self.niceness, self.timeout = python, msprec, niceness, timeout
        self.cache_file = cache
        self.cache = json.loads(cache.read_text()) if cache.exists() else {}

    def trained(self, kind: Kind, texts: dict[str, str], seed: int) -> Trained:
        """The result of the program with one seed."""
        key = content_hash(texts, seed)
        if key not in self.cache:
            self.cache[key] = asdict(self._train(kind, texts, seed))
            write_json(self.cache_file, self.cache)
        return Trained(**self.cache[key])

    def kept(self, texts: dict[str, str], out: Path, seeds: Iterable[int]) -> bool:
        """Whether all trainings and the conclusions are kept, so that nothing would have to run."""
        concluded = out / "concluded.json"
        if not all(content_hash(texts, seed) in self.cache for seed in seeds) or not concluded.exists():
            return False
        return json.loads(concluded.read_text())["hash"] == content_hash(texts, 1)

    def _train(self, kind: Kind, texts: dict[str, str], seed: int) -> Trained:
        with tempfile.TemporaryDirectory() as name:
            folder = _written(texts, Path(name))
            status, output, seconds = self._run([self.python, *script(kind, seed)], folder, seed)
        value = result(output) if status == 0 else None
        return Trained(value, status, round(seconds, 2), "" if value is not None else output[-600:])

    def concluded(self, kind: Kind, texts: dict[str, str], out: Path, seed: int, again: bool) -> Concluded:
        """What msprec concludes of the program; read from its folder where the very same was run before."""
        kept, key = out / "concluded.json", content_hash(texts, seed)
        if kept.exists() and not again:
            stored = json.loads(kept.read_text())
            if stored["hash"] == key:
                return _concluded(stored)
        shutil.rmtree(out, ignore_errors=True)
        folder = _written(texts, out / "program")
        command = [self.msprec, "run", "--lang", "en", "--no-word", "--out", str(out / "run"), *script(kind, seed)]
        status, output, seconds = self._run(command, folder, seed)
        stored = {"hash": key, "status": status, "seconds": round(seconds, 2), "message": output[-1500:]}
        stored["value"] = result(output)
        checklist = out / "run" / "checklist.json"
        stored["checklist"] = json.loads(checklist.read_text()) if checklist.exists() else None
        write_json(kept, stored)
        return _concluded(stored)

    def _run(self, command: list[str], folder: Path, seed: int) -> tuple[int, str, float]:
        start = time.perf_counter()
        environment = {**os.environ, **SETTINGS, "SEED": str(seed)}
        niced = ["nice", "-n", str(self.niceness), *command]
        try:
            done = subprocess.run(niced, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, errors="replace", timeout=self.timeout, check=False)  # fmt: skip
            status, output = done.returncode, done.stdout
        except subprocess.TimeoutExpired:
            status, output = -1, f"still running after {self.timeout:g} s"
        return status, output, time.perf_counter() - start


def result(output: str) -> float | None:
    """The value of the last line `result: NAME VALUE`; None where there is none or it is not finite."""
    found = RESULT.findall(output)
    value = float(found[-1][1]) if found else math.nan
    return value if math.isfinite(value) else None


def script(kind: Kind, seed: int) -> list[str]:
    """The script and its arguments; a program without an option reads its seed from the environment."""
    return ["train.py", *(["--seed", str(seed)] if kind.seed_option else [])]


def content_hash(texts: dict[str, str], seed: int) -> str:
    """What identifies a training: its files and its seed."""
    content = json.dumps([sorted(texts.items()), seed]).encode()
    return hashlib.sha256(content).hexdigest()[:20]


def write_json(path: Path, data: object) -> None:
    """Written beside and moved into place, so that an interrupted run leaves a whole file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(".part")
    beside.write_text(json.dumps(data, indent=1, ensure_ascii=False), encoding="utf-8")
    beside.replace(path)


def _written(texts: dict[str, str], folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def _concluded(stored: dict) -> Concluded:
    checklist = stored["checklist"] or {"items": []}
    items = [*checklist["items"], *checklist.get("beyond", [])]
    problems = [
        Problem(item["id"], item["summary"], tuple((Path(at["file"]).name, at["line"]) for at in item["locations"]))
        for item in items
        if item["conclusion"] == "problem"
    ]
    conclusions = {item["id"]: item["conclusion"] for item in items}
    return Concluded(conclusions, tuple(problems), stored["status"], stored["seconds"], stored["message"],
                     stored.get("value"))  # fmt: skip


def harm(kind: Kind, original: list[Trained], mutant: list[Trained]) -> Harm:
    """Significance and effect as in DeepCrime's "killed", but in the direction of a worse result only.

    p is the smaller one of Welch's t-test and the Mann-Whitney test, both two-sided: the first sees a shift that repeats
    itself, the second a training that fails with some seeds only. d is Cohen's.
    Harmful: p < 0.05 and d of at least 0.5 to the worse side, or half of the trainings fail or end with a result that is not
    finite. Unclear: worse by d of at least 0.5 with 0.05 <= p < 0.25. Harmless: all else.
    """
    before = [run.value for run in original if run.value is not None]
    after = [run.value for run in mutant if run.value is not None]
    failed = len(mutant) - len(after)
    if failed * 2 >= len(mutant) or len(after) < 2 or len(before) < 2:
        return Harm("harmful", 0.0, math.inf, mean(before), mean(after), failed)
    sign = 1 if kind.higher_is_better else -1
    spread = math.sqrt((variance(before) + variance(after)) / 2)
    worse = sign * (mean(before) - mean(after))
    effect = worse / max(spread, 1e-3 * abs(mean(before)), 1e-9)
    p_value = significance(before, after) if spread > 0 else float(worse == 0)
    verdict = "harmless"
    if effect >= MEDIUM_EFFECT and p_value < UNCLEAR:
        verdict = "harmful" if p_value < SIGNIFICANT else "unclear"
    return Harm(verdict, p_value, effect, mean(before), mean(after), failed)


def significance(before: list[float], after: list[float]) -> float:
    """The smaller p-value of the two tests."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # nearly equal values within one group
        welch = float(stats.ttest_ind(before, after, equal_var=False).pvalue)
    ranks = float(stats.mannwhitneyu(before, after, alternative="two-sided").pvalue)
    return ranks if math.isnan(welch) else min(welch, ranks)


def mean(values: list[float]) -> float:
    """The mean; not a number without values."""
    return sum(values) / len(values) if values else math.nan


def variance(values: list[float]) -> float:
    """The sample variance."""
    middle = mean(values)
    return sum((value - middle) ** 2 for value in values) / (len(values) - 1)
