"""The interpreter alone, with the smallest domain there is: values are constants, or not known."""

import ast

import pytest

from msprec.source.files import File
from msprec.source.interpreter import Exhausted, Function, Interpreter
from msprec.source.project import Project
from msprec.source.values import BINARY, UNKNOWN, Values


class Constants(Interpreter):
    """Lists are tuples; a name that nothing binds, and ``unknown``, are not known."""

    STEPS, MISSING = 2_000, UNKNOWN

    def constant(self, value):
        return value

    def unknown(self, name=""):
        return UNKNOWN

    def join(self, values):
        return values[0] if all(value is values[0] or value == values[0] for value in values) else UNKNOWN

    def sequence(self, parts, whole):
        return tuple(parts) if whole else UNKNOWN

    def mapping(self, parts):
        return tuple(sorted(parts.items()))

    def parts(self, value):
        return value if type(value) is tuple else None

    def named_parts(self, value):
        return None

    def element(self, value):
        return UNKNOWN

    def rounds(self, value):
        return value if type(value) is tuple else None

    def truth(self, value):
        return None if value is UNKNOWN else bool(value)

    def condition(self, test, node, env):
        value = self.eval(test, env)
        return self.truth(value), value

    def name(self, node, env):
        home = env.find(node.id)
        return home.names[node.id] if home is not None else UNKNOWN

    def attribute(self, base, name, node):
        return UNKNOWN

    def called(self, function, args, keywords, whole, node, env):
        return self.run(function, args, keywords, whole) if isinstance(function, Function) else UNKNOWN

    def decorated(self, function, node, env):
        return function

    def handlers(self, node):
        return node.handlers

    def set_attribute(self, base, name, value):
        pass

    def set_item(self, target, value, env):
        pass

    def _binop(self, node, env):
        values = self.eval(node.left, env), self.eval(node.right, env)
        return UNKNOWN if UNKNOWN in values else BINARY[type(node.op)](*values)


def names_after(text: str) -> dict:
    project = Project([File("a.py", None, text)], [], follow=False)
    module = project.modules["a"]
    found = Constants(project, Values(project))
    env = found.module_env(module)
    found.inside(module.scope, lambda: found.branch(module.tree.body, env))
    return env.names


CASES = {
    "a condition that is known": ("if 1:\n    x = 1\nelse:\n    x = 2", 1),
    "branches that agree": ("if unknown:\n    x = 1\nelse:\n    x = 1", 1),
    "branches that do not": ("if unknown:\n    x = 1\nelse:\n    x = 2", UNKNOWN),
    "a name that one branch leaves out": ("if unknown:\n    x = 1", UNKNOWN),
    "a branch begins as the other did": ("x = 1\nif unknown:\n    x = x + 1\nelse:\n    x = x + 1", 2),
    "both branches return": ("def f(a):\n    if a:\n        return 1\n    else:\n        return 1\nx = f(unknown)", 1),
    "one branch returns, the end is reached": ("def f(a):\n    if a:\n        return 1\nx = f(unknown)", UNKNOWN),
    "a branch that raises does not count": (
        "def f(a):\n    if a:\n        raise ValueError\n    return 1\nx = f(unknown)",
        1,
    ),
    "what a branch that left has bound does not count": (
        "def f(a):\n    y = 1\n    if a:\n        y = 2\n        raise ValueError\n    return y\nx = f(unknown)",
        1,
    ),
    "nothing after return happens": ("def f():\n    return 1\n    return 2\nx = f()", 1),
    "a loop over parts": ("x = 0\nfor i in (1, 2, 3):\n    x = x + i", 6),
    "continue ends a round": (
        "x = 0\nfor i in (1, 2, 3):\n    if i - 2:\n        x = x + i\n    else:\n        continue",
        4,
    ),
    "a loop that may not run": ("x = 0\nfor i in unknown:\n    x = 1", UNKNOWN),
    "a loop that may return": ("def f(a):\n    for i in a:\n        return 1\n    return 1\nx = f(unknown)", 1),
    "while": ("x = 0\nwhile unknown:\n    x = 0", 0),
    "a handler is run, and what is at last": (
        "x = 0\ntry:\n    raise ValueError\nexcept ValueError:\n    x = 1\nfinally:\n    x = x + 1",
        2,
    ),
    "what is at last happens before a return": (
        "def f():\n    global x\n    try:\n        return 1\n    finally:\n        x = 5\nx = 0\nf()",
        5,
    ),
    "defaults, names and places": ("def f(a, b=2, *, c=3):\n    return a + b + c\nx = f(1, c=10)", 13),
    "a default of a call that is not whole": ("def f(a, b=2):\n    return b\nx = f(*unknown)", UNKNOWN),
    "more arguments than parameters": (
        "def f(a, *more, **named):\n    return more, named\nx = f(1, 2, 3, k=4)",
        ((2, 3), (("k", 4),)),
    ),
    "names around a function": ("def f():\n    y = 1\n    def g():\n        return y\n    return g\nx = f()()", 1),
    "global": ("def f():\n    global x\n    x = 7\nx = 0\nf()", 7),
    "unpacking": ("a, (b, c) = 1, (2, 3)\nx = a + b + c", 6),
    "unpacking of as many as are not known": ("a, *b = 1, 2, 3\nx = a", UNKNOWN),
    "starred in a list": ("y = (1, 2)\nx = [0, *y]", (0, 1, 2)),
    "and stops at what is false": ("x = 0 and unknown", 0),
    "and of what is not known": ("x = unknown and 0", UNKNOWN),
    "a walrus in a conditional expression": ("x = (y := 2) if 1 else 3", 2),
    "a lambda": ("x = (lambda a, b=1: a + b)(2)", 3),
    "recursion ends": ("def f(a):\n    return f(a)\nx = f(1)", UNKNOWN),
}


@pytest.mark.parametrize("name", CASES)
def test_what_x_is(name):
    text, wanted = CASES[name]
    found = names_after(text).get("x", UNKNOWN)
    assert found is wanted or found == wanted


def test_the_budget_ends_a_way():
    with pytest.raises(Exhausted):
        names_after("\n".join(["x = 1"] * 2_000))


def test_every_statement_of_python_has_a_meaning_or_none():
    silent = {"import", "importfrom", "global", "nonlocal", "pass", "assert", "delete", "augassign", "typealias"}
    kinds = {kind.__name__.lower() for kind in ast.stmt.__subclasses__()}
    assert {kind for kind in kinds if not hasattr(Interpreter, f"do_{kind}")} <= silent
