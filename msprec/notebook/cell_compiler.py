"""Hears of each cell before it is compiled, and has its functions hand over what they return, as those of a script do."""

import ast
import contextlib
import linecache
from types import CodeType
from typing import Any, Callable

from msprec.observe.evaluation.instrumented_functions import instrument


def listen_to_cells(shell, told: Callable[[str, int, str], object]) -> Callable[[], None]:
    """Calls ``told(file name, number, code)`` for each cell that is about to be compiled.

    Args:
        shell: IPython's shell.
        told: Its errors are swallowed.

    Returns:
        Callable: ends it.
    """
    compiler = shell.compile
    kind = type(compiler)

    class Compiler(kind):  # type: ignore[misc, valid-type]
        def cache(self, transformed_code, number=0, raw_code=None):
            name = super().cache(transformed_code, number, raw_code)
            with contextlib.suppress(Exception):
                told(name, number, transformed_code)
            return name

        def __call__(self, source, filename, symbol, *args, **kwargs):
            code = super().__call__(source, filename, symbol, *args, **kwargs)
            with contextlib.suppress(Exception):
                return _instrumented(code, source, filename, symbol)
            return code

    compiler.__class__ = Compiler

    def end() -> None:
        if type(compiler) is Compiler:
            compiler.__class__ = kind

    return end


def _instrumented(code: CodeType, source: Any, filename: str, symbol: str) -> CodeType:
    """The code of a statement of a cell, at its lines of the cell."""
    if symbol != "exec" or not isinstance(source, ast.Module) or not source.body:
        return code
    statements = source.body
    decorators = getattr(statements[0], "decorator_list", ())
    first = min([statements[0].lineno, *(one.lineno for one in decorators)])
    lines = linecache.getlines(filename)[first - 1 : statements[-1].end_lineno]
    return instrument(code, ("\n" * (first - 1) + "".join(lines)).encode("utf-8"))
