"""The script's own functions, compiled so that what they return is handed to whoever listens, at the place of the return.

``return X`` becomes ``return hand_over(X)``, and a function that ends without one hands over nothing there. Only the code
objects of plain functions are another: the text of the file, names, lines, docstrings, closures, signatures and the modules'
compiled files stay, so `inspect`, MindSpore's parser of sources, debuggers and coverage tools find what they would find.
A function that something may read as bytecode or compile (``jit``, ``grad``, methods of cells, and what those call) stays
as it was, and so does each one whose code would pass through other lines than before.
"""

import ast
import dis
import re
import sys
import warnings
from contextlib import contextmanager
from importlib.machinery import SourceFileLoader
from types import CodeType
from typing import Any, Callable, Optional

from msprec.runtime.source_locations import is_user_file

_LARGEST = 1 << 21
#: Stands in the syntax tree where `hand_over` comes into the code.
_HERE = "msprec.observe.evaluation.instrumented_functions.hand_over"
_COMPILED = re.compile(r"jit|grad|compile|vmap|vectorize|kernel|cuda|graph|shard|dynamo", re.IGNORECASE)
#: Bases from other files whose methods run as plain Python; any other may be a cell.
_PLAIN_BASES = re.compile(
    r"^(object|ABC|Protocol|Generic|NamedTuple|TestCase)$|Callback|Trainer|Runner|Engine|Evaluator|Mixin"
)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_SCOPES = (*_FUNCTIONS, ast.ClassDef, ast.Lambda)

_listener: Optional[Callable] = None


def hand_over(value: Any = None) -> Any:
    """Gives ``value`` back; who listens is told of the function that returns it."""
    if _listener is not None:
        _listener(sys._getframe(1), value)
    return value


def listen(listener: Optional[Callable]) -> None:
    """``listener(frame, value)`` is called where an instrumented function returns; None: nobody is."""
    global _listener
    _listener = listener


def hands_over(code: CodeType) -> bool:
    """Whether a function of this code hands over what it returns."""
    return any(one is hand_over for one in code.co_consts)


# --- compiling ---------------------------------------------------------------------------------------------------------
def instrument_imports() -> Callable[[], None]:
    """Instruments the user's modules that are imported from now on. Returns a function that ends it."""
    owner = next(kind for kind in SourceFileLoader.__mro__ if "get_code" in vars(kind))
    original = owner.get_code

    def get_code(self, fullname):
        code = original(self, fullname)
        if isinstance(self, SourceFileLoader) and code is not None and is_user_file(code.co_filename):
            return _of_module(self, code)
        return code

    # tracebacks leave out frames of the import machinery by this name
    get_code.__code__ = get_code.__code__.replace(co_filename=original.__code__.co_filename)
    owner.get_code = get_code

    def end() -> None:
        if owner.get_code is get_code:
            owner.get_code = original

    return end


def _of_module(loader: SourceFileLoader, code: CodeType) -> CodeType:
    try:
        return instrument(code, loader.get_data(loader.path))
    except OSError:
        return code


def instrument(code: CodeType, source: bytes) -> CodeType:
    """``code`` with the functions that may be so handing over what they return.

    Args:
        code: What ``source`` was compiled to, as a module.
        source: The text of the file.

    Returns:
        CodeType: ``code`` itself where nothing can be instrumented. All but the functions that hand over is as it was.
    """
    if len(source) > _LARGEST:
        return code
    try:
        with _no_warnings():
            tree = ast.parse(source)
            for function in _plain_functions(tree):
                _Returns().of(function)
            made = compile(tree, code.co_filename, "exec", dont_inherit=True)
        return _merged(code, made)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return code


@contextmanager
def _no_warnings():
    """What the compiler warns of it has said before; `warnings.catch_warnings` would let warnings shown once come again."""
    rule = ("ignore", None, Warning, None, 0)
    warnings.filters.insert(0, rule)
    try:
        yield
    finally:
        warnings.filters.remove(rule)


def _merged(old: CodeType, new: CodeType) -> CodeType:
    """``old`` with the instrumented functions of ``new`` in the place of its own."""
    inner = [one for one in old.co_consts if isinstance(one, CodeType)]
    made = [one for one in new.co_consts if isinstance(one, CodeType)]
    if [_name(one) for one in inner] != [_name(one) for one in made]:
        return old
    base = new if any(one == _HERE for one in new.co_consts if isinstance(one, str)) and _alike(old, new) else old
    merged = iter([_merged(*pair) for pair in zip(inner, made)])
    constants = tuple(
        next(merged) if isinstance(one, CodeType) else hand_over if base is new and _is_mark(one) else one
        for one in base.co_consts
    )
    changed = any(one is not other for one, other in zip(constants, base.co_consts))
    return base.replace(co_consts=constants) if changed else base


def _is_mark(constant: Any) -> bool:
    return isinstance(constant, str) and constant == _HERE


def _name(code: CodeType) -> tuple:
    return code.co_name, code.co_firstlineno


def _alike(old: CodeType, new: CodeType) -> bool:
    """Whether nothing but the returns differs, and the lines follow one another as before."""
    kept = (
        "co_name",
        "co_firstlineno",
        "co_filename",
        "co_flags",
        "co_names",
        "co_varnames",
        "co_freevars",
        "co_cellvars",
    )
    counted = ("co_argcount", "co_posonlyargcount", "co_kwonlyargcount")
    return (
        all(getattr(old, name) == getattr(new, name) for name in (*kept, *counted))
        and _docstring(old) == _docstring(new)
        and _lines(old) == _lines(new)
    )


def _docstring(code: CodeType) -> Optional[str]:
    first = code.co_consts[0] if code.co_consts else None
    return first if isinstance(first, str) else None


def _lines(code: CodeType) -> list:
    lines = [line for _, line in dis.findlinestarts(code) if line is not None]
    return [line for number, line in enumerate(lines) if not number or lines[number - 1] != line]


# --- which functions ---------------------------------------------------------------------------------------------------
def _plain_functions(tree: ast.Module) -> list:
    """The functions of a file that run as plain Python, as far as the file tells."""
    compiled, found = _compiled_names(tree), []
    cells = _cells(tree)
    for node, owner in _functions(tree):
        own = list(_own_nodes(node))
        if any(isinstance(one, (ast.Yield, ast.YieldFrom)) for one in own):
            continue
        if isinstance(node, ast.AsyncFunctionDef) or node.name in compiled or _is_compiled(node, owner, cells):
            continue
        found.append(node)
    return found


def _functions(tree: ast.AST, owner: Optional[ast.ClassDef] = None):
    """``(function, the class whose method it is or lies in)``."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, _FUNCTIONS):
            yield node, owner
        yield from _functions(node, node if isinstance(node, ast.ClassDef) else owner)


def _own_nodes(function: ast.AST):
    waiting = list(function.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, _SCOPES):
            waiting.extend(ast.iter_child_nodes(node))


def _is_compiled(function: ast.AST, owner: Optional[ast.ClassDef], cells: set) -> bool:
    if any(_COMPILED.search(ast.unparse(one)) for one in function.decorator_list):
        return True
    return owner is not None and owner.name in cells


def _cells(tree: ast.Module) -> set:
    """Names of the classes that may be cells, or are compiled as a whole."""
    classes = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    found = set()
    for name, node in classes.items():
        bases = [ast.unparse(one).rsplit(".", 1)[-1] for one in node.bases]
        other = any(base not in classes and not _PLAIN_BASES.search(base) for base in bases)
        written = any(isinstance(one, _FUNCTIONS) and one.name == "construct" for one in node.body)
        if other or written or any(_COMPILED.search(ast.unparse(one)) for one in node.decorator_list):
            found.add(name)
    while True:
        more = {name for name, node in classes.items() if found & {ast.unparse(one) for one in node.bases}} - found
        if not more:
            return found
        found |= more


def _compiled_names(tree: ast.Module) -> set:
    """Names of functions that are handed to a compiler (``jit``, ``value_and_grad``), and of what such and cells call."""
    found, cells = set(), _cells(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _COMPILED.search(ast.unparse(node.func)):
            found |= set(filter(None, map(_last_name, [*node.args, *(one.value for one in node.keywords)])))
    functions = list(_functions(tree))
    while True:
        called = {
            _last_name(call.func)
            for node, owner in functions
            if node.name in found or _is_compiled(node, owner, cells)
            for call in ast.walk(node)
            if isinstance(call, ast.Call)
        } - {None}
        if called <= found:
            return found
        found |= called


def _last_name(node: ast.AST) -> Optional[str]:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else None


# --- the returns -------------------------------------------------------------------------------------------------------
class _Returns(ast.NodeTransformer):
    """Rewrites the returns of one function, and its ends without one."""

    def of(self, function: ast.FunctionDef) -> None:
        function.body = [self.visit(one) for one in function.body]
        _end(function.body)

    def visit(self, node: ast.AST) -> ast.AST:
        return node if isinstance(node, _SCOPES) else super().visit(node)

    def visit_Return(self, node: ast.Return) -> ast.Return:
        if node.value is None:
            node.value = _call([], node.lineno, node.col_offset)
        else:
            first = _first(node.value)
            node.value = ast.copy_location(_call([node.value], first.lineno, first.col_offset), node.value)
        return node


def _call(values: list, line: int, column: int) -> ast.Call:
    """The call of `hand_over`, its function loaded in ``line``: the one that the first value is loaded in."""
    place = {"lineno": line, "end_lineno": line, "col_offset": column, "end_col_offset": column}
    return ast.Call(ast.Constant(_HERE, **place), values, [], **place)


def _first(node: ast.expr) -> ast.expr:
    """The part of an expression that is worked out first."""
    for name in ("left", "func", "value", "operand", "test", "values", "elts"):
        part = getattr(node, name, None)
        part = part[0] if isinstance(part, list) and part else part
        if isinstance(part, ast.expr):
            return _first(part)
    return node


def _end(body: list) -> None:
    """Lets the end of a function's body hand over, in the line that its last instruction has anyway."""
    last = body[-1]
    if isinstance(last, ast.If):
        _end(last.body)
        if last.orelse:
            _end(last.orelse)
        else:
            last.orelse = [_statement(_passed(last))]
    elif isinstance(last, (ast.For, ast.While)):
        _end(last.orelse) if last.orelse else last.orelse.append(_statement(_passed(last)))
        _Breaks().visit(ast.Module(last.body, []))
    elif isinstance(last, ast.With):
        _end(last.body)
    elif isinstance(last, ast.Try):
        _end(last.orelse or last.body)
        for handler in last.handlers:
            _end(handler.body)
    elif isinstance(last, (ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Pass)):
        body.append(_statement(last))


def _passed(node: ast.stmt) -> ast.stmt:
    """In whose line a loop or condition ends that is left without its body: Python 3.9 gives no line of its own to that."""
    while (
        sys.version_info < (3, 10) and isinstance(getattr(node, "body", None), list) and not isinstance(node, _SCOPES)
    ):
        node = node.body[-1]
    return node


class _Breaks(ast.NodeTransformer):
    """Hands over before each ``break`` of one loop."""

    def visit(self, node: ast.AST):
        return node if isinstance(node, (*_SCOPES, ast.For, ast.AsyncFor, ast.While)) else super().visit(node)

    def visit_Break(self, node: ast.Break) -> list:
        return [_statement(node), node]


def _statement(place: ast.stmt) -> ast.Expr:
    call = _call([], place.lineno, place.col_offset)
    return ast.copy_location(ast.Expr(call), call)
