"""Whether running a network's code once more would be noticed: what it prints, and what it sets."""

import dis
import types
from typing import Optional

from msprec.observe.cells import is_builtin, walk
from msprec.observe.places import is_user_file
from msprec.observe.reach import reached_from

_SETS = ("STORE_ATTR", "DELETE_ATTR", "STORE_GLOBAL", "DELETE_GLOBAL")
_TELLS = frozenset(("print", "Print", "open", "TensorDump", "ScalarSummary", "TensorSummary", "HistogramSummary",
                    "ImageSummary"))  # fmt: skip


def side_effect(roots: list, functions: tuple = ()) -> Optional[str]:
    """Names the first thing in the users' code below ``roots`` and in ``functions`` that a second run of the same step
    would do again for all to see, such as ``"print in Net.construct"``; ``None``: nothing was found. Parameters may be
    assigned: a replay restores them."""
    seen = set()
    for root in roots:
        for _, cell in walk(root):
            cls = type(cell)
            if not is_builtin(cls) and cls not in seen:
                seen.add(cls)
                functions = (*functions, *reached_from(cls.construct, cell).functions, cls.construct)
    for function in functions:
        code = getattr(getattr(function, "__func__", function), "__code__", None)
        found = _in_code(code) if code is not None and is_user_file(code.co_filename) else None
        if found is not None:
            return f"{found} in {getattr(function, '__qualname__', code.co_name)}"
    return None


def _in_code(code: types.CodeType) -> Optional[str]:
    told = _TELLS.intersection(code.co_names)
    if told:
        return sorted(told)[0]
    for instruction in dis.get_instructions(code):
        if instruction.opname in _SETS:
            return f"an assignment to {instruction.argval}"
    inner = (one for one in code.co_consts if isinstance(one, types.CodeType))
    return next((found for found in map(_in_code, inner) if found is not None), None)
