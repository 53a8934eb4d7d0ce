"""An encoder that a lookup of codes parts from the reconstruction (cg.02)."""

import ast
from typing import Optional

from msprec.bilingual import Text, listed
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import bound_names

#: What picks the nearest code, and has no gradient.
_PICKS = r"(?i)\b(arg_?min|arg_?max|round|sign|topk)\w*\("


def parted_by_lookup(run_data: RunData) -> Optional[Finding]:
    """A problem where the term of the loss that compares with the step's one input gives matrices of weights no gradient, at the
    start and at the end, another term gives them one, and the code picks codes by ``argmin`` or the like: a straight-through
    estimator is missing (van den Oord, Vinyals and Kavukcuoglu 2017, section 3.2). None where a sample of the step has a target
    of its own: a head on features that are not to be changed by it has none of their gradient on purpose."""
    terms = run_data.probes.terms
    compared = [one for one in terms if one.fits]
    picks = run_data.find_lines(_PICKS, 20) if len(compared) == 1 < len(terms) else []
    picks = [one for one in picks if run_data.source.in_construct(one.file or "", one.line or 0)][:3]
    if not picks or len(run_data.probes.first_layers) != 1:
        return None
    parted = [
        one.name
        for one in run_data.parameters
        if len(one.shape or ()) > 1
        and _has_bias(run_data, one)  # the codes themselves have no gradient where the rest is passed straight through
        and one.name in compared[0].no_gradient
        and any(one.name not in term.no_gradient for term in terms if not term.of_weights)
    ]
    if not parted:
        return None
    places = [*_handed_on(run_data, picks), *picks, *([compared[0].place] if compared[0].place else [])]
    return problem(
        Text(
            "重建误差（{where}）对编码器的 {n} 个权重（{names}）没有梯度：编码由 {pick} 处选出，梯度到此为止，"
            "编码器只从其他项学习，学不到重建需要什么。",
            "The reconstruction ({where}) gives {n} weights of the encoder ({names}) no gradient: codes are picked at {pick}, "
            "where it ends. The encoder learns from the other terms alone, and nothing of what the reconstruction wants.",
            where=at(compared[0].place),
            n=len(parted),
            names=listed(parted),
            pick=at(picks[0]),
        ),
        Text(
            "把选出的编码以直通方式传下去：z + stop_gradient(code - z)。",
            "Pass the code on straight through: z + stop_gradient(code - z).",
        ),
        [run_data.code_at(places, Text("选出编码与传下去之处", "Where codes are picked and passed on"))],
        places,
    )


def _has_bias(run_data: RunData, weight: Fact) -> bool:
    """Whether another trained parameter belongs to the same layer."""
    layer = (weight.name or "").rpartition(".")[0]
    names = [one.name or "" for one in run_data.parameters if one.requires_grad and one is not weight]
    return any(one.rpartition(".")[0] == layer for one in names)


def _handed_on(run_data: RunData, picks: list) -> list:
    """Where what the function around the lookup returns first was given its value last."""
    found = []
    for one in picks:
        around = run_data.source.function_around(one.file or "", one.line or 0)
        returned = [node.value for node in ast.walk(around) if isinstance(node, ast.Return)] if around else []
        first = [value.elts[0] if isinstance(value, ast.Tuple) and value.elts else value for value in returned]
        names = {value.id for value in first if isinstance(value, ast.Name)}
        stores = [node for node in ast.walk(around) if isinstance(node, ast.Assign)] if around else []
        lines = [node.lineno for node in stores if names & bound_names(node.targets)]
        found += [place(one.file, max(lines))] if lines else []
    return found
