"""One batch in every step: an iterator that is made anew for each, or a function that gives the same each time (td.05)."""

import ast
import re
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at, train_sets
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import called_name, names_read, root_name

#: Functions that are asked for a batch.
_GIVES_BATCH = re.compile(r"batch|^next|^sample$|^draw", re.IGNORECASE)
#: Passes of one batch each from which on it is one batch throughout.
_LEAST = 8


def same_batch(run_data: RunData) -> Optional[Finding]:
    """A problem where all steps were given the samples of one batch in one order, and the line that takes it calls ``next`` of an
    iterator made there, inside a loop: each step then begins the data anew; or where the loop asks a function for a batch of a
    size before each step. A training whose data are one batch iterates over them, or calls its step with them."""
    for dataset in filter(_is_one_batch, train_sets(run_data)):
        where = _anew(run_data, dataset.iterated_at)
        if where is None:
            found = _asked_for(run_data, dataset.iterated_at)
            if found is not None:
                return _same_each_time(run_data, dataset, *found)
            continue
        return problem(
            Text(
                "每一步都得到同一个 batch：{where} 每次新建迭代器并取第一个 batch，{passes} 步都是同样的 {samples} 个样本。",
                "Each step is given one and the same batch: {where} makes a new iterator every time and takes its first batch, "
                "so that {passes} steps were given the same {samples} samples.",
                where=at(where),
                passes=dataset.passes,
                samples=dataset.samples_per_pass,
            ),
            Text(
                "在循环之前建立迭代器，或直接用 for 遍历数据集。",
                "Make the iterator before the loop, or iterate over the data set with for.",
            ),
            [run_data.code(where, Text("取 batch 之处", "Where the batch is taken"))],
            [where],
        )
    return None


def _same_each_time(run_data: RunData, dataset: Fact, where: Fact, function: str) -> Finding:
    places = [where, *_forgotten(run_data, function)]
    return problem(
        Text(
            "每一步都得到同一个 batch：{where} 每次要一个 batch，{passes} 次都得到同样的 {samples} 个样本。",
            "Each step is given one and the same batch: {where} asks for a batch every time, and {passes} times it was given the "
            "same {samples} samples.",
            where=at(where),
            passes=dataset.passes,
            samples=dataset.samples_per_pass,
        ),
        Text(
            "检查取 batch 的函数是否记住了取到哪里（例如写成了局部变量，而不是 self 的属性）。",
            "See whether the function that gives it keeps where it stands (a local name, say, in the place of one of self).",
        ),
        [run_data.code_at(places, Text("取 batch 之处", "Where the batch is taken"))],
        places,
    )


def _asked_for(run_data: RunData, line: Optional[Fact]) -> Optional[tuple]:
    """``(place, function)`` where the loop around a step's call assigns what a function gives that is asked for a batch of some
    size."""
    if not line or not line.file:
        return None
    around = run_data.source.enclosing(line.file, line.line or 0)
    loops = [one for one in around if isinstance(one, (ast.For, ast.While))]
    for node in (one for loop in loops for one in ast.walk(loop)):
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
            continue
        call, function = node.value, called_name(node.value)
        of_iterator = isinstance(call.func, ast.Name) and function == "next"
        if call.args and _GIVES_BATCH.search(function) and not of_iterator:
            return place(line.file, node.lineno), function
    return None


def _forgotten(run_data: RunData, function: str) -> list:
    """The places in functions of that name that give a local name, which nothing reads, what a field of ``self`` of the same name
    was to be given."""
    found = []
    for file in run_data.source.trees:
        for node in run_data.source.nodes(file, ast.FunctionDef):
            if node.name != function:
                continue
            inside = list(ast.walk(node))
            fields = {one.attr for one in inside if isinstance(one, ast.Attribute) and root_name(one) == "self"}
            read = names_read(inside)
            names = [one for one in inside if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
            found += [place(file, one.lineno) for one in names if one.id in fields and one.id not in read]
    return found


def _is_one_batch(dataset: Fact) -> bool:
    keys = {tuple(one.first_keys) for one in dataset.order.passes if one.first_keys}
    whole = dataset.samples_per_pass and dataset.batch_size and dataset.samples_per_pass <= dataset.batch_size
    return bool(whole) and (dataset.passes or 0) >= _LEAST and len(keys) == 1


def _anew(run_data: RunData, line: Optional[Fact]) -> Optional[Fact]:
    """The place of ``next(iter(…))``, or ``next`` of another call, at a line inside a loop."""
    if not line or not line.file:
        return None
    for call, parents in run_data.source.calls_to(line.file, ("next",)):
        made = call.args[0] if call.args else None
        looped = any(isinstance(one, (ast.For, ast.While)) for one in parents)
        # the line that is known takes the batch, or hands it to the step
        if isinstance(made, ast.Call) and looped and abs(call.lineno - (line.line or 0)) <= 1:
            return place(line.file, call.lineno)
    return None
