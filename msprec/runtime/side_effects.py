"""Whether running a network's code once more would be noticed: what it prints, and what it sets."""

import dis
import types
from typing import Optional

from msprec.runtime.cells import is_builtin, walk
from msprec.runtime.closure_scan import names_in, reached_from
from msprec.runtime.source_locations import is_user_file, place_in, place_of_code

_SETS = ("STORE_ATTR", "DELETE_ATTR", "STORE_GLOBAL", "DELETE_GLOBAL")
#: Code that names one of these has its own way of seeding.
_SEEDING = ("seed", "default_rng", "RandomState", "Generator", "SeedSequence", "Random", "SystemRandom", "setstate")
_TELLS = frozenset(
    ("print", "Print", "open", "TensorDump", "ScalarSummary", "TensorSummary", "HistogramSummary", "ImageSummary")
)


def side_effect(roots: list, functions: tuple = (), lasting: bool = False) -> Optional[str]:
    """Names the first thing in the users' code below ``roots`` and in ``functions`` that a second run of the same step
    would do again for all to see, such as ``"print in Net.construct"``; ``None``: nothing was found. Parameters may be
    assigned: a replay restores them. ``lasting``: only what outlives the process, such as a file that is opened."""
    for function in user_functions(roots, functions):
        code = getattr(getattr(function, "__func__", function), "__code__", None)
        found = _in_code(code, lasting) if code is not None and is_user_file(code.co_filename) else None
        if found is not None:
            return f"{found} in {getattr(function, '__qualname__', code.co_name)}"
    return None


def draws_on_host(roots: list, functions: tuple = ()) -> bool:
    """Whether the users' code below ``roots`` and in ``functions`` may draw from Python's or NumPy's random generators."""
    return any(_names_random(getattr(function, "__func__", function)) for function in user_functions(roots, functions))


def host_draws(function) -> Optional[str]:
    """What a function of the user's, or one that it calls by its global name, draws from Python's or NumPy's shared
    generators, such as ``"numpy.random.normal"``; None: nothing that is seen, or it seeds them itself."""
    found = [draw for one in _functions_of(function) for draw in _shared_draws(one)]
    return None if any(_seeds(draw) for draw in found) else next(iter(found), None)


def seeded_draws(function) -> Optional[tuple]:
    """``(what, place)`` of the first generator that a function of the user's, or one that it calls by its global name, makes or
    seeds each time it is called, such as ``"numpy.random.default_rng"``; None: none."""
    for one in _functions_of(function):
        what = next(filter(_seeds, _shared_draws(one)), None)
        if what is not None:
            lines = [line for line, name in _names_by_line(one.__code__) if name in _SEEDING]
            return what, place_in(one.__code__.co_filename, lines[0]) if lines else place_of_code(one.__code__)
    return None


def _functions_of(function) -> list:
    """A function and those that it calls by their global names, without what binds them to an object."""
    target, owner = getattr(function, "__func__", function), getattr(function, "__self__", None)
    functions = [target, *reached_from(function, owner).functions] if hasattr(target, "__code__") else []
    return [getattr(one, "__func__", one) for one in functions]


def _seeds(draw: str) -> bool:
    return draw.rsplit(".", 1)[-1] in _SEEDING


def _names_by_line(code: types.CodeType) -> list:
    """``(line, name)`` of the names that a function's code reads."""
    found, line = [], code.co_firstlineno
    for instruction in dis.get_instructions(code):
        line = instruction.starts_line or line
        if isinstance(instruction.argval, str):
            found.append((line, instruction.argval))
    return found


def draws_below(roots: list, functions: tuple = ()) -> list:
    """``(what, place)`` of the draws from the shared generators in the users' code below ``roots`` and in ``functions``."""
    found = {}
    for function in user_functions(roots, functions):
        target = getattr(function, "__func__", function)
        for draw in _shared_draws(target):
            if not _seeds(draw):
                found.setdefault(id(target), (draw, place_of_code(target.__code__)))
    return list(found.values())


def _shared_draws(function) -> list:
    """Names below ``random`` and ``numpy.random`` that a function's code reads, whole."""
    code = getattr(function, "__code__", None)
    if code is None or not is_user_file(code.co_filename):
        return []
    held, found = getattr(function, "__globals__", {}), []
    codes = [code, *(one for one in code.co_consts if isinstance(one, types.CodeType))]
    for one in codes:
        path = None
        for instruction in dis.get_instructions(one):
            if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
                value = held.get(instruction.argval)
                path = value if isinstance(value, types.ModuleType) else None
                if path is None and _is_shared(value):
                    module = type(value.__self__).__module__.replace(".mtrand", "")
                    found.append(f"{module}.{value.__name__}")
            elif instruction.opname in ("LOAD_ATTR", "LOAD_METHOD") and path is not None:
                value, name = getattr(path, instruction.argval, None), path.__name__
                if isinstance(value, types.ModuleType):
                    path = value
                    continue
                if name in ("random", "numpy.random") and callable(value):
                    found.append(f"{name}.{instruction.argval}")
                path = None
            elif instruction.opname not in ("CACHE", "PUSH_NULL", "PRECALL"):
                path = None
    return found


def _is_shared(value) -> bool:
    """A function that was imported from ``random`` or ``numpy.random``: a method of their shared generator."""
    owner = getattr(value, "__self__", None)
    return owner is not None and type(owner).__name__ in ("Random", "RandomState") and callable(value)


def _names_random(function) -> bool:
    code = getattr(function, "__code__", None)
    if code is None or not is_user_file(code.co_filename):
        return False
    names = names_in(code)
    held = getattr(function, "__globals__", {})
    return "random" in names or any(_is_generator(held[name]) for name in names if name in held)


def _is_generator(value) -> bool:
    """A generator of Python's or NumPy's, one of its methods, or a module of them."""
    name = (
        getattr(value, "__name__", "")
        if isinstance(value, types.ModuleType)
        else type(getattr(value, "__self__", value)).__module__
    )
    return str(name).split(".")[0] == "random" or str(name).startswith("numpy.random")


def user_functions(roots: list, functions: tuple):
    """The ``construct`` methods of the users' cells below ``roots`` with all that they reach, and ``functions``."""
    seen = set()
    for root in roots:
        for _, cell in walk(root):
            cls = type(cell)
            if not is_builtin(cls) and cls not in seen:
                seen.add(cls)
                yield from reached_from(cls.construct, cell).functions
                yield cls.construct
    for function in functions:
        if not hasattr(function, "_cells"):
            yield from reached_from(function, None).functions
            yield function


def _in_code(code: types.CodeType, lasting: bool) -> Optional[str]:
    told = (_TELLS - {"print"} if lasting else _TELLS).intersection(code.co_names)
    if told:
        return sorted(told)[0]
    for instruction in dis.get_instructions(code):
        if instruction.opname in _SETS and not lasting:
            return f"an assignment to {instruction.argval}"
    inner = (one for one in code.co_consts if isinstance(one, types.CodeType))
    return next((found for found in (_in_code(one, lasting) for one in inner) if found is not None), None)
