"""A reconstruction that is the same whatever is reconstructed, as another term of the loss outweighs it (td.08)."""

import ast
import re
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.checklists.common.script.call_sites import made_for_calls
from msprec.checklists.common.script.own_classes import class_names
from msprec.checklists.td.units.lost_units import Moments
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import bound_names, target_names

#: A line that reduces a term of a loss over an axis.
_REDUCES = re.compile(r"\.(mean|sum)\(|\b(reduce_)?(mean|sum)\(")
#: What the term is called that keeps the codes near their prior.
_PRIOR = r"(?i)(^|[^a-z])kl(d|_?div\w*|_?loss\w*|_?term\w*)?\s*=|kullback"
_CUTS = r"\bstop_gradient\(|\.detach\("
#: What is seen of a reconstruction that was not found.
_TOGETHER = Text(
    "训练结束时各样本的输出几乎相同（见 td.03）",
    "by the end the outputs are nearly the same for all samples (see td.03)",
)


def collapsed_reconstruction(run_data: RunData) -> Optional[Finding]:
    """A problem where a network's output, compared with its inputs by one term of a loss, does not change with them
    (td.08.still), or its outputs have come together (as td.03 tells) where such a term is written out and was not found, and
    another term is called a divergence: the codes between carry nothing."""
    found, priors = run_data.probes.reconstruction, run_data.find_lines(_PRIOR, 2)
    if not priors:
        return None
    if found.of_inputs is None:
        together = any(one.why == "collapsed" for one in Moments(run_data).lost())
        terms = [one.place for one in run_data.probes.terms if one.place]
        return _finding(run_data, _TOGETHER, terms, priors) if together else None
    if found.of_inputs > run_data.limit("td.08.still"):
        return None
    moved = Text(
        "把 {n} 个样本互换位置，输出的变化只有输入差异的 {share}",
        "with {n} samples put in each other's place, the output changes by {share} of the spread of the inputs",
        n=found.samples,
        share=f"{100 * found.of_inputs:.2g} %",
    )
    return _finding(run_data, moved, [found.place] if found.place else [], priors)


def _cuts(run_data: RunData) -> list:
    """Where a class that ran takes what it computes off the gradient."""
    ran = class_names(run_data)
    around = ((one, run_data.source.class_around(one.file, one.line or 0)) for one in run_data.find_lines(_CUTS, 8))
    return [one for one, node in around if node is not None and node.name in ran]


def _cut_off(run_data: RunData, seen: Text, cuts: list) -> Finding:
    return problem(
        Text(
            "重建结果与输入无关：{seen}。{where} 切断了梯度，编码器得不到重建误差的梯度，编码不再携带信息。",
            "The reconstruction does not depend on what is reconstructed: {seen}. {where} takes what comes before it off the "
            "gradient, so that the encoder learns nothing of the reconstruction, and the codes carry nothing.",
            seen=seen,
            where=at(cuts[0]),
        ),
        Text("去掉 stop_gradient（或 detach）。", "Leave the stop_gradient, or detach, out."),
        [run_data.code_at(cuts, Text("切断梯度之处", "Where the gradient is cut"))],
        cuts,
    )


def _finding(run_data: RunData, seen: Text, terms: list, priors: list) -> Finding:
    cuts = _cuts(run_data)
    if cuts:
        return _cut_off(run_data, seen, cuts)
    made = [where for one in terms for where in (*reduced_at(run_data, one), *made_for_calls(run_data, one))]
    places = [*terms, *priors, *made]
    return problem(
        Text(
            "重建结果与输入无关：{seen}。loss 的另一项（如 KL）压过了重建误差，编码不再携带信息。",
            "The reconstruction does not depend on what is reconstructed: {seen}. Another term of the loss, such as a KL "
            "divergence, outweighs it, and the codes carry nothing.",
            seen=seen,
        ),
        Text(
            "使各项按同样的方式归约（重建误差与 KL 都对元素求和、再对样本取平均），或给 KL 较小的权重并逐步增大。",
            "Reduce the terms alike (sum both over the elements of a sample, and take the mean over samples), or give the KL "
            "divergence a small weight and raise it step by step.",
        ),
        [run_data.code_at(places, Text("loss 的各项", "The terms of the loss"))],
        places,
    )


def reduced_at(run_data: RunData, term: Optional[Fact]) -> list:
    """The lines right behind a term that reduce it, as ``term = term.mean(axis=1)`` or ``mean = term.mean()`` does."""
    if not term or not term.file or not term.line:
        return []
    around = run_data.source.function_around(term.file, term.line) or run_data.source.trees.get(term.file)
    stores = [one for one in ast.walk(around) if isinstance(one, ast.Assign)] if around is not None else []
    own = [one for one in stores if one.lineno <= term.line <= (one.end_lineno or 0)]
    names = {name for one in own for name in bound_names(one.targets)}
    return [
        place(term.file, one.lineno)
        for one in stores
        if one.lineno > term.line and (bound_names(one.targets) | set(target_names(one.value))) & names
        if _REDUCES.search(ast.unparse(one.value))
    ]
