"""A term of the loss whose weight, a number that each step is given, is 0 all along (td.08)."""

import ast
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.checklists.td.scales.drowned_terms import terms_table
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import bound_names, called_name


def zero_weight(run_data: RunData) -> Optional[Finding]:
    """A problem where a term is 0 throughout, as the number beside it that the training step is given was in each batch that was
    held, the last of them in the second half of the training: a warm-up that never begins. A weight that the code fixes at 0 is
    none of these."""
    term = next((one for one in run_data.probes.terms if one.weighed_by_zero), None)
    if term is None:
        return None
    places = [one for one in (term.place, *_origins(run_data, term.place)) if one]
    return problem(
        Text(
            "loss 的一项（{place}）不起作用：训练步得到的权重在所见的每一步都是 0，直到训练的后半程。",
            "One term of the loss ({place}) counts for nothing: the number that the training step is given as its weight was 0 "
            "in each step that was seen, into the second half of the training.",
            place=at(term.place),
        ),
        Text(
            "打印每个 epoch 的权重；检查预热公式中的整除（//）、取整、上下限与计数。",
            "Print the weight of each epoch; see its formula for whole-number division (//), rounding, limits and counters.",
        ),
        [terms_table(run_data), *run_data.code_at(places, Text("这一项与它的权重", "The term and its weight"))],
        places,
    )


def _origins(run_data: RunData, term: Optional[Fact]) -> list:
    """Where the parameters that a term's line names get their values, and what the functions called there return."""
    function = run_data.source.function_around(term.file or "", term.line or 0) if term else None
    if term is None or function is None:
        return []
    given = {one.arg for one in function.args.args}
    names = {one.id for one in run_data.source.nodes_at(term.file, term.line, ast.Name)} & given
    found = []
    for store in run_data.source.nodes(term.file, ast.Assign):
        if names & bound_names(store.targets) and function.lineno != store.lineno:
            found.append(place(term.file, store.lineno))
            called = {called_name(one) for one in ast.walk(store.value) if isinstance(one, ast.Call)}
            for file, made in [one for name in called for one in run_data.source.functions(name)]:
                found += [place(file, one.lineno) for one in ast.walk(made) if isinstance(one, ast.Return)]
    return found
