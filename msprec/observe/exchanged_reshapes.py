"""Where the script itself lays an array out anew with the sizes of its own shape in another order."""

import ast
import sys
from collections import Counter
from typing import Optional

from msprec.observe.evaluation.expression_shapes import array_of, shape_of
from msprec.observe.evaluation.returned_names import own_statements, scope_of
from msprec.runtime.source_locations import is_user_file, place_in

#: So many are kept.
_MOST = 20


def exchanged_reshapes() -> list:
    """The entry ``reshapes`` of ``datasets.json``: of the script that was started, by the arrays that its names hold at the end;
    of a name that is given several values nothing is known."""
    main = sys.modules.get("__main__")
    file = getattr(main, "__file__", None)
    tree = scope_of(file, 0, "<module>") if file and is_user_file(file) else None
    if main is None or tree is None:
        return []
    nodes = list(own_statements(tree))
    stored = Counter(one.id for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store))
    names = {name: value for name, value in vars(main).items() if stored[name] == 1}
    found = []
    for call in (one for one in nodes if isinstance(one, ast.Call)):
        told = _exchanged(call, names)
        if told is not None:
            array, shape, sizes = told
            found.append({"place": place_in(file, call.lineno), "array": array, "shape": shape, "sizes": sizes})
    return found[:_MOST]


def _exchanged(call: ast.Call, names: dict) -> Optional[tuple]:
    """``(array, its shape, the sizes)`` of ``a.reshape(…)`` and ``np.reshape(a, …)`` of a name, where two of the sizes that are
    not 1 have changed places, or the last of three axes or more, the largest, comes first and the others are one."""
    if not (isinstance(call.func, ast.Attribute) and call.func.attr == "reshape") or call.keywords or not call.args:
        return None
    array, given = array_of(call)
    before, after = shape_of(array, names), shape_of(call, names)
    if not isinstance(array, ast.Name) or not given or before is None or after is None:
        return None
    whole, anew = ([size for size in shape if size != 1] for shape in (before, after))
    exchanged = len(set(whole)) > 1 and whole != anew and sorted(whole) == sorted(anew)
    last_first = len(whole) > 2 and len(anew) == 2 and anew[0] == whole[-1] > max(whole[:-1])
    return (array.id, list(before), list(after)) if exchanged or last_first else None
