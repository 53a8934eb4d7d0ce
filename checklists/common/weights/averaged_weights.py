"""A moving average of the weights that still holds the first of them when it takes the trained weights' place (wi.02)."""

import ast
from collections.abc import Iterator
from typing import Optional

from msprec.bilingual import Text, percent
from msprec.checklists.common.findings import at
from msprec.checklists.common.script.call_sites import calls_around, in_loop
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact


def holds_first_weights(run_data: RunData) -> Optional[Finding]:
    """Problem: where the code averages weights, those that the script ends with lie on the way from the first weights to what the
    training had reached before (a cosine of wi.02.alike), and have gone less than wi.02.travelled of it; else None."""
    gone = run_data.probes.travelled
    if None in (gone.share, gone.alike, gone.step) or gone.alike < run_data.limit("wi.02.alike"):
        return None
    averages = list(_averages(run_data)) if gone.share < run_data.limit("wi.02.travelled") else []
    if not averages:
        return None
    made = averages[0]
    called = [one for one in calls_around(run_data, made) if in_loop(run_data, one)][:2]
    return problem(
        Text(
            "脚本结束时的权重只走了从初始权重到第 {step} 步的 {share}：{where} 的滑动平均里大部分仍是训练前的权重"
            "（n 次更新后初始权重占 decay^n）。",
            "The weights at the end have come {share} of the way from the first weights to those of step {step}: the "
            "moving average at {where} still holds most of what was there before the training (decay^n of it after n updates).",
            share=percent(max(0.0, gone.share)),
            step=gone.step,
            where=at(made),
        ),
        Text(
            "每个训练步都更新滑动平均，用较小的 decay，或在开头减小 decay（如 min(decay, (1+n)/(10+n))），"
            "或除以 1 − decay^n 校正偏差。",
            "Update the average after each training step, take a smaller decay or let it grow at the start "
            "(min(decay, (1 + n) / (10 + n))), or divide by 1 - decay^n.",
        ),
        [run_data.code_at([*called, made], Text("滑动平均", "The moving average"))],
        [*called, made],
    )


def _averages(run_data: RunData) -> Iterator[Fact]:
    """Where a function that speaks of parameters makes ``d * a + (1 - d) * b``."""
    for file in run_data.source.trees:
        for node in (one for one in run_data.source.nodes(file, ast.BinOp) if isinstance(one.op, ast.Add)):
            factors = {*_factors(node.left), *_factors(node.right)}
            if any(f"1 - {one}" in factors for one in factors):
                around = run_data.source.function_around(file, node.lineno)
                if around is not None and "param" in ast.unparse(around).lower():
                    yield place(file, node.lineno)


def _factors(node: ast.expr) -> list:
    """How the factors of a product are written; empty of anything else."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Mult):
        return []
    return [ast.unparse(one).replace("1.0 - ", "1 - ") for one in (node.left, node.right)]
