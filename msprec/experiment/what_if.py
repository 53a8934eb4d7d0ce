"""What if a setting were another: mode, jit, fusion, precision, workers, sink. The same runs as for remedies, without a patch.

Fusion switches act on Ascend only; elsewhere they are not run, and said to be without effect.
"""

from typing import Optional

from msprec.bilingual import Text
from msprec.experiment.case import CannotExperiment, Case
from msprec.experiment.plan import SEEDS, Plan
from msprec.experiment.present import both
from msprec.experiment.remedies.base import Remedy
from msprec.experiment.remedies.network import trained_network
from msprec.experiment.trials import BudgetSpent, Trials, as_facts

_HALF = ("float16", "bfloat16")


class Setting(Remedy):
    """A setting that is changed from outside.

    Attributes:
        topic: Its name after ``--what-if``.
        ascend: Whether it acts on Ascend alone.
    """

    topic = ""
    ascend = False

    def __init__(self, case: Case, id: str, topic: str, title: Text, hook: dict, ascend: bool = False) -> None:
        super().__init__(case)
        self.id, self.topic, self.title, self._hook, self.ascend = id, topic, title, hook, ascend

    def hook(self) -> Optional[dict]:
        return self._hook


def settings(case: Case, topics: tuple) -> list:
    """The settings of the topics that differ from what the run had.

    Raises:
        CannotExperiment: There is no such topic.
    """
    unknown = [name for name in topics if name not in TOPICS]
    if unknown:
        raise CannotExperiment(f"there is no setting {', '.join(unknown)}; there are {', '.join(TOPICS)}")
    return [one for name in dict.fromkeys(topics) for one in TOPICS[name](case)]


def _precision(case: Case) -> list:
    if not case.facts("precision").get("half_compute"):
        return []
    title = Text("全部用 float32 计算", "everything computed in float32")
    return [Setting(case, "float32", "precision", title, {"name": "float32"})]


def _mode(case: Case) -> list:
    other = "pynative" if case.folder.run.get("mode") == "graph" else "graph"
    title = Text("{mode} 模式", "{mode} mode", mode={"graph": "Graph", "pynative": "PyNative"}[other])
    return [Setting(case, other, "mode", title, {"name": "context", "mode": other})]


def _jit(case: Case) -> list:
    return [Setting(case, "no_jit", "jit", Text("关闭 jit", "jit off"), {"name": "no_jit"})]


def _deterministic(case: Case) -> list:
    title = Text("确定性算子", "deterministic operators")
    return [Setting(case, "deterministic", "deterministic", title, {"name": "deterministic"})]


def _fusion(case: Case) -> list:
    kernels = Text("关闭图算融合", "graph-kernel fusion off")
    switch = Text("关闭算子融合", "operator fusion off")
    off = {"name": "context", "enable_graph_kernel": False}
    return [
        Setting(case, "no_graph_kernel", "fusion", kernels, off, ascend=True),
        Setting(case, "no_fusion", "fusion", switch, {"name": "no_fusion"}, ascend=True),
    ]


def _workers(case: Case) -> list:
    title = Text("数据处理只用一个 worker", "one worker for the data")
    return [Setting(case, "one_worker", "workers", title, {"name": "one_worker"})]


def _sink(case: Case) -> list:
    return [Setting(case, "no_sink", "sink", Text("关闭数据下沉", "data sink off"), {"name": "no_sink"})]


TOPICS = {
    "precision": _precision,
    "mode": _mode,
    "jit": _jit,
    "deterministic": _deterministic,
    "fusion": _fusion,
    "workers": _workers,
    "sink": _sink,
}


def settings_plan(case: Case, topics: tuple) -> Plan:
    """The plan of trying settings.

    Raises:
        CannotExperiment: There is no such topic.
    """
    return Plan(case, tuple(settings(case, topics)), (), ())


def what_if(plan: Plan, runner, budget: Optional[float] = None) -> dict:
    """The facts ``what_if``: each setting against the script as it is, and the cells whose float16 costs the result.

    Raises:
        BaselineFailed: The script fails as it is.
    """
    case, tried = plan.case, plan.remedies
    trials = Trials(plan, runner, budget)
    entries, cells = [], None
    try:
        trials.baseline()
        for one in tried:
            if _without_effect(one):
                entries.append({**_named(one), "verdict": "without_effect_here"})
                continue
            entries.append(_entry(one, trials.attempt((one,)), trials))
            if one.topic == "precision" and entries[-1]["verdict"] == "helps":
                cells = _cells(case, guilty_cells(case, trials, one))
    except BudgetSpent:
        trials.spent = True
    return {
        "score": trials.score.name,
        "higher": trials.score.higher,
        "baseline": trials.measured((), None),
        "settings": entries,
        "first": next((one["id"] for one in entries if one["verdict"] == "helps"), None),
        "cells": cells,
        "budget_spent": trials.spent,
    }


def _without_effect(one: Setting) -> bool:
    return one.ascend and one.case.folder.run.get("device_target") != "Ascend"


def _named(one: Setting) -> dict:
    return {"id": one.id, "topic": one.topic, "title": both(one.title)}


def _entry(one: Setting, found, trials: Trials) -> dict:
    return {**_named(one), **as_facts(found), **trials.measured((one,), None)}


def guilty_cells(case: Case, trials: Trials, whole: Setting) -> list:
    """The fewest cells that have to compute in float32 for the result that float32 throughout has: delta debugging (Zeller
    and Hildebrandt, 2002) over the cells that compute in float16.

    Raises:
        BudgetSpent: There is no time left.
    """
    paths, network = half_cells(case), trained_network(case).get("class")
    trials.more((whole,), SEEDS)  # the spread of what each set of cells is compared with

    def enough(some: list) -> bool:
        title = Text("{n} 个 Cell 用 float32", "{n} cells in float32", n=len(some))
        one = Setting(
            case,
            f"float32_in_{len(some)}_cells",
            "precision",
            title,
            {"name": "float32", "cells": some, "network": network},
        )
        return (
            trials.attempt((one,)).verdict == "helps"
            and trials.attempt((one,), (whole,), worse=True).verdict != "harms"
        )

    return fewest(paths, enough) if paths and enough(paths) else []


def half_cells(case: Case) -> list:
    """The paths of the cells without cells inside that compute in float16 or bfloat16."""
    cells = trained_network(case).get("cells", [])
    paths = [one["path"] for one in cells]
    half = [one["path"] for one in cells if one.get("compute_dtype") in _HALF and one["path"]]
    return [path for path in half if not any(other.startswith(path + ".") for other in paths)]


def fewest(items: list, enough) -> list:
    """A subset that is enough and of which none can be left out (ddmin); ``enough(items)`` holds."""
    parts = 2
    while len(items) > 1:
        size = -(-len(items) // parts)
        groups = [items[at : at + size] for at in range(0, len(items), size)]
        found = next((group for group in groups if enough(group)), None)
        if found is not None:
            items, parts = found, 2
            continue
        rest = ([one for one in items if one not in group] for group in groups) if len(groups) > 2 else ()
        found = next((group for group in rest if enough(group)), None)
        if found is not None:
            items, parts = found, max(parts - 1, 2)
        elif parts >= len(items):
            break
        else:
            parts = min(2 * parts, len(items))
    return items


def _cells(case: Case, paths: list) -> list:
    known = {one["path"]: one for one in trained_network(case).get("cells", [])}
    return [{"path": path, "class": known[path].get("class"), "place": known[path].get("created")} for path in paths]
