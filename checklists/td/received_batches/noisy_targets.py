"""A denoising network whose targets hold the noise (td.05)."""

import ast
from collections.abc import Iterator
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at, train_sets
from msprec.checklists.common.script.array_origin import array_origins
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import bound_names, called_name, operand_names, target_names

#: What draws noise.
_DRAWS = ("normal", "randn", "standard_normal", "standard_laplace", "laplace", "StandardNormal")


def noisy_targets(run_data: RunData) -> Optional[Finding]:
    """A problem where inputs and targets of the training are one array, which a line makes of another by adding noise that
    is drawn, and the script compares something with that other one: what is to be given back is not the clean array."""
    for dataset in train_sets(run_data):
        if len(dataset.columns) < 2 or not _hold_the_same(*dataset.columns[:2]):
            continue
        origins = [array_origins(run_data, dataset, column) for column in dataset.columns[:2]]
        lines = [{(one.file, one.line) for one in of_column} for of_column in origins]
        for file, line in sorted(lines[0] & lines[1]):
            for clean, noisy in _made_noisy(run_data, file, line):
                compared = clean != noisy and _is_compared(run_data, file, clean, noisy)
                if compared and _is_delivered(run_data, origins[1][0], noisy):
                    return _finding(run_data, clean, noisy, place(file, line), origins[1])
    return None


def _hold_the_same(one: Fact, other: Fact) -> bool:
    """Whether two columns were delivered with the same numbers, as far as these are told."""
    told = [(list(c.shape or ()), c.min, c.max, c.mean, c.std) for c in (one, other)]
    return told[0] == told[1] and None not in told[0]


def _made_noisy(run_data: RunData, file: str, line: int) -> Iterator[tuple]:
    """``(array, name)`` of ``name = array + noise`` in a line."""
    for store in run_data.source.nodes_at(file, line, ast.Assign):
        for one in ast.walk(store.value):
            if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Add):
                for held, added in ((one.left, one.right), (one.right, one.left)):
                    drawn = any(isinstance(part, ast.Call) and called_name(part) in _DRAWS for part in ast.walk(added))
                    if drawn and isinstance(held, ast.Name):
                        yield from ((held.id, name) for name in bound_names(store.targets))


def _is_compared(run_data: RunData, file: str, clean: str, noisy: str) -> bool:
    """Whether a difference holds the clean array on one side and something that is neither of the two on the other."""
    differences = [one for one in run_data.source.nodes(file, ast.BinOp) if isinstance(one.op, ast.Sub)]
    for sides in ([operand_names(one.left), operand_names(one.right)] for one in differences):
        if [clean] in sides and not any(one in sides for one in ([], [""], [noisy])) and sides[0] != sides[1]:
            return True
    return False


def _is_delivered(run_data: RunData, where: Fact, noisy: str) -> bool:
    """Whether the last line that gives the targets their values reads the noisy array."""
    stores = run_data.source.nodes_at(where.file, where.line, ast.Assign)
    return any(noisy in target_names(one.value) or noisy in bound_names(one.targets) for one in stores)


def _finding(run_data: RunData, clean: str, noisy: str, made: Fact, origins: list) -> Finding:
    places = [*origins[:1], made]
    return problem(
        Text(
            "训练的输入和目标都来自 {noisy}（{made} 在 {clean} 上加了随机噪声），而脚本把结果与 {clean} 比较："
            "网络学的是还原噪声。",
            "Inputs and targets of the training both come from {noisy}, which {made} makes of {clean} by adding random noise, "
            "and the script compares results with {clean}: the network learns to give the noise back.",
            noisy=noisy,
            clean=clean,
            made=at(made),
        ),
        Text(
            "目标用 {clean}，输入用 {noisy}。",
            "Take {clean} for the targets and {noisy} for the inputs.",
            clean=clean,
            noisy=noisy,
        ),
        run_data.code_at(places, Text("目标的来处", "Where the targets come from")),
        places,
    )
