"""Functions that hand over what they return: the same lines, results and tracebacks as before, and each return told."""

import contextlib
import importlib
import inspect
import io
import re
import subprocess
import sys
import traceback
import warnings
from collections import Counter
from pathlib import Path
from types import CodeType

import pytest

from msprec.observe.evaluation import instrumented_functions
from msprec.observe.evaluation.instrumented_functions import hands_over, instrument, instrument_imports, listen
from msprec.runtime import source_locations

SHAPES = Path(__file__).with_name("function_shapes.py")
#: Their ends have no line of their own that a call could stand in.
LEFT = {"asserted", "dele", "ifexp", "comp", "nested_try_loop"}


def shapes(instrumented: bool) -> list:
    source = SHAPES.read_bytes()
    code = compile(source, str(SHAPES), "exec", dont_inherit=True)
    names = {"__name__": "shapes", "__file__": str(SHAPES)}
    exec(instrument(code, source) if instrumented else code, names)
    return names["FUNCTIONS"]


def run(function, number: int, trace=None) -> tuple:
    """What it gives or raises, with the traceback's lines, and what it prints."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        sys.settrace(trace)
        try:
            given = repr(function(number))
        except Exception as error:
            given = repr(error), [tuple(one) for one in traceback.extract_tb(error.__traceback__)]
        finally:
            sys.settrace(None)
    return given, out.getvalue()


def traced(function, number: int) -> tuple:
    """As `run`; and every event of Python's trace in the file: the function, the line, what it gives."""
    events = []

    def trace(frame, event, arg):
        if frame.f_code.co_filename != str(SHAPES):
            return None
        told = arg[0].__name__ if event == "exception" else re.sub(r" at 0x\w+", "", repr(arg))
        events.append((frame.f_code.co_name, frame.f_lineno, event, told))
        return trace

    return run(function, number, trace), events


@pytest.fixture
def told():
    found = []
    listen(lambda frame, value: found.append((frame.f_code.co_name, re.sub(r" at 0x\w+", "", repr(value)))))
    yield found
    listen(None)


def test_every_line_is_passed_as_before() -> None:
    bare, instrumented = shapes(False), shapes(True)
    assert {one.__name__ for one in instrumented if not hands_over(one.__code__)} <= LEFT
    for one, other in zip(bare, instrumented):
        for number in range(4):
            assert traced(one, number) == traced(other, number)


def test_every_return_is_told(told) -> None:
    bare, instrumented = shapes(False), shapes(True)
    mine = {one.__name__ for one in instrumented if hands_over(one.__code__)}
    for one, other in zip(bare, instrumented):
        for number in range(4):
            (given, _), events = traced(one, number)
            raised = isinstance(given, tuple)
            told.clear()
            assert run(other, number) == (given, run(one, number)[1])
            returns = [(name, what) for name, _, event, what in events if event == "return" and name in mine]
            if raised and returns and returns[-1][0] == one.__name__:
                returns.pop()  # Python tells the end by an exception as a return of None
            assert Counter((name, what) for name, what in told if name in mine) == Counter(returns)


def test_nothing_else_differs() -> None:
    for one, other in zip(shapes(False), shapes(True)):
        assert one.__doc__ == other.__doc__ and inspect.signature(one) == inspect.signature(other)
        assert inspect.getsource(one) == inspect.getsource(other)
        for name in ("co_name", "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_flags", "co_firstlineno"):
            assert getattr(one.__code__, name) == getattr(other.__code__, name)


LEFT_ALONE = """
import mindspore as ms
from mindspore import nn
from functools import partial

class Net(nn.Cell):
    def construct(self, x):
        return helper(x)
    def evaluate(self, x):
        return 1

class Larger(Net):
    def score(self):
        return 2

class Plain:
    def loss(self, x):
        return 3
    def fit(self, x):
        return ms.value_and_grad(self.loss)(x)

@ms.jit
def compiled(x):
    return inner(x)

def inner(x):
    return deeper(x)

def deeper(x):
    return x

def helper(x):
    return x

def forward(x):
    return x

grad_fn = ms.value_and_grad(forward, None, [])
fast = ms.jit(fn=step) if False else None

def step(x):
    return x

def draws():
    yield 1
    return 2

async def waits():
    return 1

def evaluate(x):
    return x
"""


def code_objects(code: CodeType) -> list:
    inner = [one for one in code.co_consts if isinstance(one, CodeType)]
    return inner + [one for other in inner for one in code_objects(other)]


def test_what_may_be_compiled_stays_byte_for_byte() -> None:
    source = LEFT_ALONE.encode()
    code = compile(source, "train.py", "exec", dont_inherit=True)
    made = instrument(code, source)
    pairs = list(zip(code_objects(code), code_objects(made)))
    assert {new.co_name for _, new in pairs if hands_over(new)} == {"fit", "evaluate"}
    for old, new in pairs:
        if new.co_name in ("fit", "evaluate") and hands_over(new):
            continue
        assert old.co_code == new.co_code
        assert old == new or any(isinstance(one, CodeType) for one in old.co_consts)
    evaluations = sorted((new.co_firstlineno, hands_over(new)) for _, new in pairs if new.co_name == "evaluate")
    assert [told for _, told in evaluations] == [False, True]


@pytest.mark.parametrize("text", ["def f(:\n", "def f():\n    return 1\n\x00", "x = " + "(" * 300 + ")" * 300])
def test_a_text_that_cannot_be_read_leaves_the_code(text) -> None:
    code = compile("def f():\n    return 1\n", "train.py", "exec")
    assert instrument(code, text.encode()) is code


def test_another_text_than_the_codes_leaves_the_code() -> None:
    code = compile("def f():\n    return 1\n", "train.py", "exec")
    assert not any(map(hands_over, code_objects(instrument(code, b"\n\ndef f():\n    return 1\n"))))


def test_warnings_of_the_compiler_come_once(tmp_path) -> None:
    source = b"def f(x):\n    return x is 1, '\\d'\n"
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        code = compile(source, "train.py", "exec")
        before = len(shown)
        assert any(map(hands_over, code_objects(instrument(code, source))))
        assert len(shown) == before == 2


@pytest.fixture
def modules(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    source_locations.is_user_file.cache_clear()
    end = instrument_imports()
    yield tmp_path
    end()
    for name in ("mine_ok", "mine_broken"):
        sys.modules.pop(name, None)


def test_modules_of_the_user_are_instrumented_when_imported(modules, told) -> None:
    (modules / "mine_ok.py").write_text("def evaluate():\n    return 0.5\n")
    for _ in range(2):  # from its text, and from the compiled file that Python has kept
        made = importlib.import_module("mine_ok")
        assert hands_over(made.evaluate.__code__) and made.evaluate() == 0.5
        assert type(made.__loader__) is importlib.machinery.SourceFileLoader
        del sys.modules["mine_ok"]
    assert told == [("evaluate", "0.5")] * 2
    plain = subprocess.run(
        [sys.executable, "-c", "import mine_ok; print(mine_ok.evaluate.__code__.co_consts)"],
        cwd=modules,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "hand_over" not in plain.stdout  # the compiled file is Python's own
    import json.encoder as encoder

    assert not hands_over(importlib.reload(encoder).JSONEncoder.encode.__code__)


def test_the_traceback_of_a_module_with_an_error_is_pythons(modules) -> None:
    (modules / "mine_broken.py").write_text("def f(:\n")

    def tried() -> str:
        try:
            import mine_broken  # noqa: F401
        except SyntaxError:
            return traceback.format_exc()

    wrapped = tried()
    owner = next(kind for kind in importlib.machinery.SourceFileLoader.__mro__ if "get_code" in vars(kind))
    now, owner.get_code = owner.get_code, inspect.getclosurevars(owner.get_code).nonlocals["original"]
    try:
        assert tried() == wrapped
    finally:
        owner.get_code = now


def test_costs_next_to_nothing_where_nobody_listens() -> None:
    assert instrumented_functions._listener is None
    value = object()
    assert instrumented_functions.hand_over(value) is value
