"""Another class that is drawn as ``(label + randint(0, k)) % k``, and is the label's own one time in k (td.05)."""

import ast
import re
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import called_name, target_names

#: Draws whose end is not drawn, from 0 where one bound is given.
_DRAWS = ("randint", "integers", "randrange")
_LABELS = re.compile(
    r"^y(s|_\w*|\d*|tr\w*|te\w*|val\w*)?$|(^|_)(labels?|targets?|lab|cls|class(es)?)(_|\d|$)", re.IGNORECASE
)


def own_class_drawn(run_data: RunData) -> Optional[Finding]:
    """A problem where an offset is added to labels, modulo the number of classes, that may be 0: what is to be of another class
    is now and then of the same. A draw of any class would need no label."""
    for file in run_data.source.trees:
        for node in run_data.source.nodes(file, ast.BinOp):
            if isinstance(node.op, ast.Mod) and _may_stay(node):
                where = place(file, node.lineno)
                return problem(
                    Text(
                        "{where} 用 {code} 取另一个类别，而加数可能为 0：有时取到的就是原来的类别。",
                        "{where} takes another class by {code}, and what is added may be 0: now and then it is the class itself.",
                        where=at(where),
                        code=ast.unparse(node),
                    ),
                    Text("从 1 开始抽取加数。", "Draw what is added from 1 on."),
                    [run_data.code_at([where], Text("抽取之处", "Where it is drawn"))],
                    [where],
                )
    return None


def _may_stay(node: ast.BinOp) -> bool:
    added = node.left
    if not isinstance(added, ast.BinOp) or not isinstance(added.op, ast.Add):
        return False
    classes = ast.unparse(node.right)
    for draw, label in ((added.left, added.right), (added.right, added.left)):
        if isinstance(draw, ast.Call) and called_name(draw) in _DRAWS and _bounds(draw) == ("0", classes):
            return any(_LABELS.search(name) for name in target_names(label))
    return False


def _bounds(draw: ast.Call) -> tuple:
    """How the least and the first number beyond are written; of ``random.randint`` the last is drawn too, which is left out."""
    given = [ast.unparse(one) for one in draw.args[:2]]
    words = {one.arg: ast.unparse(one.value) for one in draw.keywords}
    low, high = words.get("low", given[0] if given else ""), words.get("high", given[1] if len(given) > 1 else "")
    return (low, high) if high else ("0", low)
