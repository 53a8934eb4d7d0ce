"""api.02: The mode of mode-dependent cells (Dropout, BatchNorm, …) at every kind of call that was seen."""

import ast
import re
from typing import Any, Optional

from msprec.bilingual import Joined, Text, english, listed
from msprec.checklists.api.train_eval_mode.fixed_statistics import fixed_statistics
from msprec.checklists.api.train_eval_mode.flag_left_on import flag_left_on
from msprec.checklists.api.train_eval_mode.lost_statistics import lost_statistics
from msprec.checklists.api.train_eval_mode.never_switched_off import SAMPLES, never_switched_off
from msprec.checklists.api.train_eval_mode.repeated_calls import (
    called_cells,
    functional_dropout,
    not_run,
    unused_in_training_mode,
)
from msprec.checklists.api.train_eval_mode.static_modes import with_scripts
from msprec.checklists.common.findings import at, missing, named
from msprec.checklists.common.script.call_sites import called_from
from msprec.checklists.common.weights.weight_updates import untrained_roots
from msprec.engine.finding import Finding, ok, problem, table, together, undecided
from msprec.engine.item import item
from msprec.engine.rank_merge import PROBLEMS
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import bound_names, called_name, names_read, nodes_within

#: Words of names that speak of evaluation; "latest", "retrieval" and "predictor" do not.
_EVALUATES = re.compile(
    r"(eval(uat\w*|s)?|test(s|ing|er)?|val(s|id(at\w*)?)?|dev)(set|data\w*|loader|iter\w*|ds)?"
    r"|infer(s|ence|red|encing)?|predict(s|ed|ions?|ing)?|accurac\w*|acc|metrics?",
    re.IGNORECASE,
)
#: What makes the arguments of a call ready.
_CONVERTS = ("Tensor", "tensor", "from_numpy", "astype", "cast", "reshape")


@item("api.02", ranks=PROBLEMS)
def modes(run_data: RunData) -> Finding:
    """The mode of mode-dependent cells (Dropout, BatchNorm, …) at every kind of call that was seen.

    Problem: training with such cells in inference mode (all of them under a root that is itself in inference mode; or in
    inference mode after an evaluation, having been in training mode before), evaluation or inference with one in training
    mode, or a BatchNorm with use_batch_statistics=True while evaluating. Single cells in inference mode under a root in
    training mode are a frozen BatchNorm or a frozen backbone: ok. A call outside any gradient counts as evaluation when it
    comes after the training (not where only dropout acts and the script has switched it on again, as for Monte Carlo
    dropout), in a loop over data that fed no training, or in code that calls itself so; a call before the first step
    (building, summary), beside every step (logging, a GAN's generator) or whose result nothing takes (moving statistics) does
    not. Of an evaluation call that was made twice after the run, only cells that ran count, and a functional dropout that
    gave two results for one input is a problem; so is dropout that an argument switches (``keep_prob``, ``training``) where
    an evaluation leaves it at a value that drops, and so are moving statistics of a class's own that are computed and not
    written back, and a BatchNorm that trains with ``use_batch_statistics=False`` and the statistics that it began with, and a
    flag of the script's own that an evaluation in a loop sets and nothing sets back. Scripts named beside the run
    (``--also``) count with what their source shows for sure.
    """
    found = never_switched_off(run_data) or with_scripts(run_data, _recorded_modes(run_data))
    judges = (lost_statistics, fixed_statistics, flag_left_on)
    beside = [one for one in (judge(run_data) for judge in judges) if one is not None]
    return together([found, *beside]) if beside else found


def _recorded_modes(run_data: RunData) -> Finding:
    phases = [phase for phase in run_data.phases if phase.calls != 0]
    if not phases:
        return missing("网络的调用与模式", "call of the network and its mode")
    functional = functional_dropout(run_data, [p for p in phases if _is_evaluation(run_data, p)])
    if functional is not None:
        return functional
    if not any(phase.dependent for phase in phases) and not _has_dependent(run_data):
        return ok(
            Text(
                "网络中没有行为随训练/推理模式变化的 Cell（如 Dropout、BatchNorm）。",
                "No cell of the network behaves differently in training and inference mode (such as Dropout or "
                "BatchNorm).",
            ),
            [_table(phases)],
        )
    verdicts = [_Verdict(phase, *_judge(run_data, phase, phases)) for phase in phases]
    bad = [verdict for verdict in verdicts if verdict.wrong]
    if bad:
        return _problem(run_data, phases, bad)
    open_ones = [verdict for verdict in verdicts if verdict.unsure]
    if open_ones:
        return _open(run_data, phases, open_ones)
    if "callbacks" in (run_data.run.notes or []) and all(map(_is_training, phases)):
        return _training_only(run_data, phases)
    return _right(run_data, phases)


class _Verdict:
    def __init__(self, phase: Fact, wrong: Optional[Text], unsure: Optional[Text]):
        self.phase, self.wrong, self.unsure = phase, wrong, unsure


def _has_dependent(run_data: RunData) -> bool:
    return any(cell.mode_dependent for network in run_data.networks for cell in network.cells)


def _is_training(phase: Fact) -> bool:
    return phase.phase == "train" or phase.gradient is True


def _judge(run_data: RunData, phase: Fact, phases: list) -> tuple:
    """(what is wrong, what is unsure) with one kind of call; (None, None) where all is right."""
    if not phase.dependent:
        return None, None
    if _is_training(phase):
        return _judge_training(run_data, phase, phases)
    # cells that such a call does not run, guarded by an argument, say, are in no mode that matters
    ran = called_cells(run_data, phase)
    dependent = [cell for cell in phase.dependent if ran is None or cell.path in ran]
    on = [cell for cell in dependent if cell.training]
    batch_statistics = [cell for cell in dependent if cell.use_batch_statistics]
    if phase.phase in ("eval", "predict"):
        what = Text("推理", "inference") if phase.phase == "predict" else Text("评估", "evaluation")
        return _while_evaluating(what, phase, on, batch_statistics), None
    if not on and not batch_statistics:
        return None, None
    nature = _nature(run_data, phase)
    if nature == "evaluation":
        return _while_evaluating(Text("评估/推理", "evaluation or inference"), phase, on, batch_statistics), None
    if nature == "unknown" and on:
        return None, Text(
            "{root} 在梯度之外以训练模式被调用 {n} 次（{place}），无法确定是否为评估",
            "{root} was called {n} times outside any gradient in training mode ({place}); whether to evaluate is not "
            "known",
            root=phase.root,
            n=phase.calls,
            place=at(phase.place),
        )
    return None, None


def _is_evaluation(run_data: RunData, phase: Fact) -> bool:
    if _is_training(phase):
        return False
    return phase.phase in ("eval", "predict") or _nature(run_data, phase) == "evaluation"


def _while_evaluating(what: Text, phase: Fact, on: list, batch_statistics: list) -> Optional[Text]:
    if on:
        return Text(
            "{what}时（{n} 次调用，{place}）{cells} 仍处于训练模式",
            "During {what} ({n} calls, {place}) {cells} {was} in training mode",
            what=what,
            n=phase.calls,
            place=at(phase.place) or phase.via,
            cells=_cells(on),
            was=english("was", len(on), "were"),
        )
    if batch_statistics:
        return Text(
            "{what}时（{n} 次调用）{cells} 设了 use_batch_statistics=True，仍会更新滑动均值与方差",
            "During {what} ({n} calls) {cells} has use_batch_statistics=True and goes on changing its moving mean and "
            "variance",
            what=what,
            n=phase.calls,
            cells=_cells(batch_statistics),
        )
    return None


def _cells(cells: list) -> Text:
    return listed(map(named, cells), most=3)


def _judge_training(run_data: RunData, phase: Fact, phases: list) -> tuple:
    off = [cell for cell in phase.dependent if cell.training is False]
    if not off or _frozen(run_data, phase, off) or _lends(phase, phases):
        return None, None
    wrong = Text(
        "训练时（第 {first} 到 {last} 步，{n} 次调用）{cells} 处于推理模式",
        "While training (steps {first} to {last}, {n} calls) {cells} {was} in inference mode",
        first=(phase.first_step or 0) + 1,
        last=max((phase.first_step or 0) + 1, min((phase.last_step or 0) + 1, run_data.training_steps or 0)),
        n=phase.calls,
        cells=_cells(off),
        was=english("was", len(off), "were"),
    )
    if _switched_off(phase, phases, off) and not _norms_frozen(phase, phases, off):
        return wrong, None
    if _another_trains(phase, phases):
        return (None, None) if phase.root in untrained_roots(run_data) else (None, wrong)
    if phase.root_training is False:
        return wrong, None
    if phase.root_training is None and len(off) == len(phase.dependent):
        return wrong, None
    only_norms = all("Norm" in (cell.class_ or "") for cell in off)
    if only_norms or len(off) < len(phase.dependent):
        return None, None
    return wrong, None


def _frozen(run_data: RunData, phase: Fact, cells: list) -> bool:
    """All weights around these cells are frozen, or no optimizer of these steps has them: a feature extractor kept in inference
    mode on purpose, or a teacher that was trained before."""
    if not cells:
        return False
    held = _held_by_optimizers(run_data, phase)
    for cell in cells:
        home = cell.path.rsplit(".", 1)[0] if "." in cell.path else cell.path
        around = [
            parameter
            for parameter in run_data.parameters
            if parameter.kind != "statistic"
            and any(f"{name}.".startswith(f"{home}.") for name in (parameter.path, parameter.name))
        ]
        if not around or any(parameter.requires_grad is not False and parameter.name in held for parameter in around):
            return False
    return True


def _held_by_optimizers(run_data: RunData, phase: Fact) -> set:
    """Names of the parameters of the optimizers that took part in the phase's steps; where those are not known, of all."""
    first, last = (phase.first_step or 0) + 1, (phase.last_step or 0) + 1
    known = [one for one in run_data.optimizers if one.steps and one.parameter_names]
    if not known or len(known) < sum(bool(one.used) for one in run_data.optimizers):
        return {one.name for one in run_data.parameters if one.in_optimizer is not False}
    during = [one for one in known if one.steps[0] <= last and first <= one.steps[1]]
    return {name for one in during for name in one.parameter_names}


def _switched_off(phase: Fact, phases: list, off: list) -> bool:
    """Were these cells in training mode in an earlier stretch of the training?"""
    paths = {cell.path for cell in off}
    return any(
        _is_training(other)
        and _same_network(other, phase)
        and (other.first_step or 0) < (phase.first_step or 0)
        and any(cell.training and cell.path in paths for cell in other.dependent)
        for other in phases
    )


def _same_network(one: Fact, other: Fact) -> bool:
    if one.network is None or other.network is None:
        return one.root == other.root
    return one.network == other.network


def _norms_frozen(phase: Fact, phases: list, off: list) -> bool:
    """Normalisation alone was put into inference mode, the network was not, and no evaluation was there to leave it so."""
    paths = {cell.path for cell in off}
    evaluated = any(
        not _is_training(other)
        and (other.first_step or 0) <= (phase.first_step or 0)
        and any(cell.training is False and cell.path in paths for cell in other.dependent)
        for other in phases
    )
    return phase.root_training is True and not evaluated and all("Norm" in (cell.class_ or "") for cell in off)


def _lends(phase: Fact, phases: list) -> bool:
    """Whether no optimizer updates the network at these steps while another is updated: a teacher, an extractor of features."""
    return phase.updated is False and any(
        _is_training(other)
        and other.updated
        and (other.first_step or 0) <= (phase.last_step or 0)
        and (other.last_step or 0) >= (phase.first_step or 0)
        for other in phases
    )


def _another_trains(phase: Fact, phases: list) -> bool:
    """Another network trains in training mode at the same steps, so this one may be a teacher.

    At the same steps: between the same first and last of them, as no network is in both modes at once. Networks of one
    class are told apart by that alone.
    """
    same = (phase.first_step, phase.last_step)
    return phase.root_training is not True and any(
        _is_training(other)
        and (not _same_network(other, phase) or (other.first_step, other.last_step) == same)
        and any(cell.training for cell in other.dependent)
        and (other.last_step or 0) >= (phase.first_step or 0)
        for other in phases
    )


def _nature(run_data: RunData, phase: Fact) -> str:
    """What a call outside any gradient was for: "evaluation", "beside" training, "before" it, or "unknown"."""
    steps = run_data.training_steps
    first, last, calls = phase.first_step or 0, phase.last_step or 0, phase.calls or 0
    if _draws_samples(run_data, phase):
        return "unknown"
    if _result_unused(run_data, phase.place):
        return "beside"
    says_so = _named_so(run_data, phase.place)
    if not run_data.trained or (first >= steps and steps > 0):
        sampled = not says_so and not _counts_right(run_data, phase.place) and _keeps_dropping(run_data, phase)
        return "unknown" if sampled else "evaluation"
    if last == 0:
        return "evaluation" if says_so and calls >= 2 else "before"
    if says_so or _over_other_data(run_data, phase.place):
        return "evaluation"
    each = calls / max(1, last - first + 1)
    if each < run_data.limit("api.02.calls_least") and _scored(run_data, phase.place):
        return "evaluation"
    if first <= 1 and run_data.limit("api.02.calls_least") <= each <= run_data.limit("api.02.calls_most"):
        return "beside"
    return "unknown"


def _result_unused(run_data: RunData, where: Fact) -> bool:
    """Whether nothing takes what the call gives, as where a network is run for the moving statistics of its BatchNorms."""
    nodes = run_data.source.nodes_at(where.file, where.line, ast.Expr) if where and where.file and where.line else []
    made = [one.value for one in nodes if isinstance(one.value, ast.Call)]
    inside = [part for one in made for part in ast.walk(one) if isinstance(part, ast.Call) and part is not one]
    return bool(made) and all(called_name(one) in _CONVERTS for one in inside)


def _keeps_dropping(run_data: RunData, phase: Fact) -> bool:
    """Whether the script puts the network into training mode between its training and these calls, and only dropout acts: samples
    of a posterior, as Gal and Ghahramani draw them ("Dropout as a Bayesian Approximation", 2016)."""
    place = phase.place
    if not place or any("Drop" not in (cell.class_ or "") for cell in phase.dependent if cell.training):
        return False
    functions = [node.lineno for node in _around(run_data, place) if isinstance(node, ast.FunctionDef)]
    trained = [one.place.line for one in run_data.phases if _is_training(one) and one.place.file == place.file]
    begin = max([*functions, *(line for line in trained if line and line < place.line)], default=0)
    return any(begin < one.line for one in _set_on(run_data, place))


def _draws_samples(run_data: RunData, phase: Fact) -> bool:
    """The same in one function that says so, or that calls the network again and again for the same inputs."""
    around = _around(run_data, phase.place)
    function = next((node for node in reversed(around) if isinstance(node, ast.FunctionDef)), None)
    if function is None or not _keeps_dropping(run_data, phase):
        return False
    loops = [one for one in around if isinstance(one, ast.For) and one.lineno > function.lineno]
    counted = [one for one in loops if isinstance(one.iter, ast.Call) and called_name(one.iter) == "range"]
    unused = [one for one in counted if isinstance(one.target, ast.Name) and not _reads(one, one.target.id)]
    return bool(unused) or SAMPLES.search(function.name) is not None


def _reads(loop: ast.For, name: str) -> bool:
    return any(isinstance(one, ast.Name) and one.id == name for one in nodes_within(loop.body))


def _begins(run_data: RunData, at: Optional[Fact]) -> list:
    """Where the function around a call begins, or the innermost loop where it stands in none: before it, or in the function's
    first line, the mode is for setting."""
    if not at or not at.file:
        return []
    loops = [one for one in _around(run_data, at) if isinstance(one, (ast.For, ast.While))]
    begun = run_data.source.function_around(at.file, at.line or 0) or next(reversed(loops), None)
    return [place(at.file, begun.lineno)] if begun is not None else []


def _decorators(run_data: RunData, where: Fact) -> list:
    """The decorators with arguments of the function around a place, which may set a mode."""
    around = run_data.source.function_around(where.file, where.line) if where and where.file and where.line else None
    made = [one for one in around.decorator_list if isinstance(one, ast.Call)] if around is not None else []
    return [place(where.file, one.lineno) for one in made]


def _set_on(run_data: RunData, place: Fact) -> list:
    """The lines above a place that put a network into training mode."""
    found = _switched_on(run_data) if place else []
    return [one for one in found if one.file == place.file and one.line <= place.line]


def _switched_on(run_data: RunData) -> list:
    """The lines that put a network into training mode."""
    return run_data.find_lines(r"\.set_train\(\s*((mode\s*=\s*)?True)?\s*\)", most=50)


def _around(run_data: RunData, place: Fact) -> list:
    return run_data.source.enclosing(place.file, place.line) if place and place.file and place.line else []


def _named_so(run_data: RunData, place: Fact) -> bool:
    """The call's line, its function or its loop speaks of evaluation, testing, prediction, accuracy."""
    for node in _around(run_data, place):
        if isinstance(node, ast.FunctionDef) and _speaks_so(node.name) and node.name != "construct":
            return True
        if isinstance(node, ast.For) and _speaks_so(ast.unparse(node.iter)):
            return True
    found = run_data.lines(place, around=0) if place else None
    return found is not None and _speaks_so(found[1][0])


def _scored(run_data: RunData, place: Fact) -> bool:
    """Whether what the call's line binds is used by one of the next three statements that speaks of evaluation."""
    made, following = _next_statements(run_data, place)
    bound = bound_names(made.targets) if made is not None else set()
    return any(
        any(isinstance(part, ast.Name) and part.id in bound for part in ast.walk(one)) and _speaks_so(ast.unparse(one))
        for one in following
    )


def _next_statements(run_data: RunData, place: Fact) -> tuple:
    """The assignment that a call's line is, and the three statements after it; ``(None, [])`` where it is none."""
    around = _around(run_data, place)
    made = around[-1] if around else None
    if not isinstance(made, ast.Assign):
        return None, []
    holder = around[-2] if len(around) > 1 else run_data.source.trees[place.file]
    return made, [one for one in (*holder.body, *getattr(holder, "orelse", ())) if one.lineno > place.line][:3]


def _counts_right(run_data: RunData, place: Fact) -> bool:
    """Whether what a single call gives is compared with something as classes, by one of the next three statements: samples of a
    posterior are drawn several times, and their mean is compared."""
    made, following = _next_statements(run_data, place)
    if made is None or any(isinstance(one, ast.comprehension) for one in ast.walk(made.value)):
        return False
    bound = bound_names(made.targets)
    compared = [
        part
        for one in following
        for part in ast.walk(one)
        if isinstance(part, ast.Compare) and isinstance(part.ops[0], ast.Eq)
    ]
    return any(
        isinstance(part, ast.Call) and called_name(part) == "argmax" and bound & names_read(ast.walk(part))
        for one in compared
        for part in ast.walk(one)
    )


def _speaks_so(code: str) -> bool:
    """Whether a word of a name in the code, ``valDataset`` or ``run_test``, speaks of evaluation."""
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", code)
    return any(_EVALUATES.fullmatch(word) for word in words)


def _over_other_data(run_data: RunData, place: Fact) -> bool:
    """A loop around the call runs over a data set that fed no training."""
    loops = [node for node in _around(run_data, place) if isinstance(node, ast.For)]
    trained = {
        (dataset.iterated_at.file, dataset.iterated_at.line) for dataset in run_data.datasets if dataset.role == "train"
    }
    others = {
        (dataset.iterated_at.file, dataset.iterated_at.line) for dataset in run_data.datasets if dataset.role != "train"
    }
    return any((place.file, loop.lineno) in others - trained for loop in loops)


def _mode(cell: Fact) -> str:
    return "train" if cell.training else "inference"


def _step(phase: Fact, done: Optional[int]) -> Any:
    """The training step of a call, counted from 1; of one outside training, after which step it was made."""
    if done is None:
        return None
    return done + 1 if _is_training(phase) else Text("第 {n} 步之后", "after step {n}", n=done)


def _table(phases: list):
    rows = [
        [
            phase.phase,
            phase.via,
            phase.root,
            _step(phase, phase.first_step),
            _step(phase, phase.last_step),
            phase.calls,
            phase.gradient,
            phase.root_training,
            ", ".join(f"{cell.path or cell.class_}={_mode(cell)}" for cell in phase.dependent[:6]),
            at(phase.place),
        ]
        for phase in phases
    ]
    heads = [
        Text("阶段", "phase"),
        Text("途径", "via"),
        Text("网络", "network"),
        Text("首次调用（步）", "first call (step)"),
        Text("末次调用（步）", "last call (step)"),
        Text("调用", "calls"),
        Text("求梯度", "gradient"),
        Text("训练模式", "training mode"),
        Text("相关 Cell", "cells that depend on it"),
        Text("位置", "place"),
    ]
    return table(Text("各阶段的模式", "Mode by phase"), heads, rows)


def _problem(run_data: RunData, phases: list, bad: list) -> Finding:
    places = [verdict.phase.place for verdict in bad]
    if any(_is_training(verdict.phase) for verdict in bad):
        switched = run_data.find_lines(r"\.set_train\(\s*(mode\s*=\s*)?False", most=2)
        places += switched + [call for one in switched[:1] for call in called_from(run_data, one)]
        trained = [one.phase.place for one in bad if _is_training(one.phase) and one.phase.place]
        places += [at for one in trained[:1] for at in _switched_on(run_data) if at.file == one.file][:2]
    places += [at for one in bad for at in called_from(run_data, one.phase.place)]
    places += [at for one in bad if not _is_training(one.phase) for at in _set_on(run_data, one.phase.place)[-1:]]
    places += [at for one in bad for at in _decorators(run_data, one.phase.place)]
    places += [at for one in bad if not _is_training(one.phase) for at in _begins(run_data, one.phase.place)]
    return problem(
        Text("{what}。", "{what}.", what=Joined([verdict.wrong for verdict in bad[:3]], zh="；", en=". ")),
        Text(
            "训练前调用 net.set_train(True)，评估或推理前调用 net.set_train(False)，之后再切回；BatchNorm 的 "
            "use_batch_statistics 保持默认 None。",
            "Call net.set_train(True) before training and net.set_train(False) before evaluation or inference, and "
            "back again after it; "
            "leave use_batch_statistics of BatchNorm at None.",
        ),
        [_table(phases), run_data.code_at([place for place in places if place], Text("调用之处", "The call"))],
        places,
    )


def _open(run_data: RunData, phases: list, unsure: list) -> Finding:
    places = [verdict.phase.place for verdict in unsure]
    return undecided(
        Text("{what}。", "{what}.", what=Joined([verdict.unsure for verdict in unsure[:3]], zh="；", en=". ")),
        Text(
            "查看该处代码：若为评估或推理，应先调用 set_train(False)；若为训练，应为 set_train(True)。",
            "Look at the code there: to evaluate or infer, set_train(False) must come first; to train, "
            "set_train(True).",
        ),
        [_table(phases), run_data.code_at([place for place in places if place], Text("调用之处", "The call"))],
        places,
    )


def _training_only(run_data: RunData, phases: list) -> Finding:
    """Callbacks see the training, and the evaluations of ``Model.fit``: none of any other."""
    return undecided(
        Text(
            "训练时的模式正确；回调没有看到评估或推理。",
            "The modes are right in training; the callbacks saw no evaluation or inference.",
        ),
        Text(
            "用 `msprec run` 运行，或改用 Model.fit 评估；若脚本从不评估，则无需处理。",
            "Run the script with `msprec run`, or evaluate by Model.fit; nothing is to be done where it never evaluates.",
        ),
        [_table(phases)],
    )


def _right(run_data: RunData, phases: list) -> Finding:
    training = sum(phase.calls or 0 for phase in phases if _is_training(phase))
    judging = sum(
        phase.calls or 0
        for phase in phases
        if not _is_training(phase) and not any(cell.training for cell in phase.dependent)
    )
    guarded = [path for phase in phases if not _is_training(phase) for path in unused_in_training_mode(run_data, phase)]
    kept = [cell for phase in phases if _is_training(phase) for cell in phase.dependent if cell.training is False]
    frozen = (
        Text("；有意保持推理模式的 Cell：{cells}", "; kept in inference mode on purpose: {cells}", cells=_cells(kept))
        if kept
        else Text("", "")
    )
    return ok(
        Text(
            "模式正确：训练 {training} 次调用处于训练模式，其余 {judging} 次调用处于推理模式{frozen}。",
            "Modes are right: {training} training calls in training mode, {judging} other calls in inference mode"
            "{frozen}.",
            training=training,
            judging=judging,
            frozen=frozen,
        ),
        [_table(phases), not_run(guarded)],
    )
