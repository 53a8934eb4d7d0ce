"""The lowest scores taken for the best ones in an evaluation (ds.02)."""

import ast
import re
from collections.abc import Iterator
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import bound_names, called_name, root_name

_SORTS = ("argsort", "argpartition")
#: What is best where it is highest; what is best where it is lowest.
_SCORES = re.compile(r"(?i)score|sim(ilarit|s?$|_)|logit|prob|pred|rating|relevan|^out(put)?s?$|cos")
_COSTS = re.compile(r"(?i)dist|loss|err|cost|rank|uncertain|entropy|energy|margin|conf|time|residual")
_BEST = re.compile(r"(?i)top|best|recom|nearest|retriev|hits?$")
#: A name that is given what is wanted from below.
_WORST = re.compile(r"(?i)worst|bottom|hard|low|least|bad|fail|last|neg")


def lowest_for_best(run_data: RunData, _dataset: Fact, _column: Fact) -> Optional[tuple]:
    """Where the first ones of an ascending order of scores are taken for the best, as by ``np.argsort(scores)[:, :k]``."""
    files = dict.fromkeys(file for file, _ in run_data.source.calls_anywhere(_SORTS))
    found = next((one for file in files for one in _found(run_data, file)), None)
    if found is None:
        return None
    where, sort, scores = found
    says = Text(
        "{where} 用 {sort} 从小到大排序后取最前面的几个作为最好的：得到的是 {scores} 最低的，而不是最高的",
        "{where} takes the first of what {sort} puts in ascending order for the best: those are the lowest of {scores}, not the "
        "highest",
        where=at(where),
        sort=sort,
        scores=scores,
    )
    advice = Text("对取负的分数排序，或取最后面的几个。", "Sort the negated scores, or take the last ones.")
    return says, advice, where


def _found(run_data: RunData, file: str) -> Iterator[tuple]:
    for store in run_data.source.nodes(file, ast.Assign):
        names = bound_names(store.targets)
        cut = store.value
        if not any(map(_BEST.search, names)) or any(map(_WORST.search, names)) or not isinstance(cut, ast.Subscript):
            continue
        call = cut.value
        if not isinstance(call, ast.Call) or called_name(call) not in _SORTS or not _takes_first(cut.slice):
            continue
        scores = _sorted_array(call)
        if scores and _SCORES.search(scores) and not _COSTS.search(scores) and not _descending(call):
            yield place(file, store.lineno), called_name(call), scores


def _takes_first(index: ast.expr) -> bool:
    """Whether the last axis is cut as ``:k``."""
    last = index.elts[-1] if isinstance(index, ast.Tuple) else index
    if not isinstance(last, ast.Slice) or last.lower is not None or last.step is not None or last.upper is None:
        return False
    return not (isinstance(last.upper, ast.UnaryOp) and isinstance(last.upper.op, ast.USub))


def _sorted_array(call: ast.Call) -> str:
    """The name of the array that is sorted as it is; empty of an expression, such as a negated one."""
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    module = isinstance(owner, ast.Name) and owner.id in ("np", "numpy", "ops", "mint", "ms", "torch")
    given = (call.args[0] if call.args else None) if module else owner
    return root_name(given) if isinstance(given, (ast.Name, ast.Subscript, ast.Attribute)) else ""


def _descending(call: ast.Call) -> bool:
    return any(one.arg == "descending" and getattr(one.value, "value", True) for one in call.keywords)
