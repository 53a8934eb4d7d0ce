"""A user's function once more, with every call, operator and index watched while it runs. No MindSpore here."""

import ast
import inspect
import textwrap
import types
from functools import lru_cache
from typing import NamedTuple, Optional

#: The name under which a rewritten function finds the object that watches.
HOOK = "__msprec_watch__"
# calls that look at the frame they stand in, and so must stand in it as they are
_FRAME_CALLS = frozenset(("super", "locals", "globals", "vars", "dir", "eval", "exec"))
_TENSOR_PROPERTIES = frozenset(("T", "mT", "H", "real", "imag"))


class Expression(NamedTuple):
    """One watched expression as written; ``column`` counts from 1."""

    file: str
    line: int
    column: int
    code: str
    operator: str
    function: str


def rewrite(function, watch) -> Optional[types.FunctionType]:
    """``function`` with its expressions handed to ``watch``: same globals, closure, defaults.

    ``watch`` has ``call``, ``method``, ``binary``, ``unary``, ``inplace``, ``item`` and ``attribute``; each gets the
    `Expression` first. Returns None where the source is not to be had or is of no known form.
    """
    code = getattr(function, "__code__", None)
    made = _code_of(code, _owner(function)) if code is not None else None
    if made is None:
        return None
    new_code, expressions = made
    cells = dict(zip(code.co_freevars, function.__closure__ or ()))
    # the hook travels in a closure cell of its own, so that the user's globals stay as they are
    cells[HOOK] = types.CellType(_Bound(watch, expressions))
    closure = tuple(cells[name] for name in new_code.co_freevars)
    copy = types.FunctionType(new_code, function.__globals__, function.__name__, function.__defaults__, closure)
    copy.__kwdefaults__ = function.__kwdefaults__
    copy.__dict__.update(vars(function))
    return copy


class _Bound:
    """``watch`` with numbers turned into expressions."""

    def __init__(self, watch, expressions: tuple) -> None:
        for name in ("call", "method", "binary", "unary", "inplace", "item", "attribute"):
            setattr(self, name, _numbered(getattr(watch, name), expressions))


def _numbered(method, expressions: tuple):
    def watched(number, *args, **kwargs):
        return method(expressions[number], *args, **kwargs)

    return watched


def _owner(function) -> str:
    """The class that a function stands in: private names are mangled by it, and the rewritten one stands in none."""
    names = [name for name in function.__qualname__.split(".") if not name.startswith("<")]
    inside = "." in function.__qualname__ and not function.__qualname__.split(".")[-2].startswith("<")
    return names[-2].lstrip("_") if inside or (function.__name__ == "<lambda>" and len(names) > 1) else ""


@lru_cache(maxsize=512)
def _code_of(code: types.CodeType, owner: str) -> Optional[tuple]:
    """``(rewritten code, expressions)`` of one code object."""
    try:
        found = _tree_of(code)
        if found is None:
            return None
        node, source, shift = found
        transformer = _Watching(code, source, shift, owner)
        body = transformer.function(node)
        ast.fix_missing_locations(body)
        module = _compile(body, code)
        return _inner(module, code.co_name), tuple(transformer.expressions)
    except (SyntaxError, ValueError, OSError, TypeError, RecursionError):
        return None


def _tree_of(code: types.CodeType) -> Optional[tuple]:
    """The definition's node with true line numbers, its source, and by how many columns it was dedented."""
    lines, first = inspect.getsourcelines(code)
    text = "".join(lines)
    source = textwrap.dedent(text)
    shift = len(lines[0]) - len(lines[0].lstrip()) - (len(source) - len(source.lstrip()))
    if code.co_name == "<lambda>":
        return _lambda_of(code, source, first, shift)
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            ast.increment_lineno(tree, first - 1)
            return node, (source, first), shift
    return None


def _lambda_of(code: types.CodeType, source: str, first: int, shift: int) -> Optional[tuple]:
    """The lambda among those of its lines that compiles to the same code."""
    tree = _parse_piece(source)
    if tree is None:
        return None
    ast.increment_lineno(tree, first - 1)
    alike = [node for node in ast.walk(tree) if isinstance(node, ast.Lambda) and _alike(node, code)]
    if len(alike) > 1:
        alike = [node for node in alike if _at_the_same_place(node, code)] or alike
    # two lambdas that cannot be told apart: better none than the wrong one
    return (alike[0], (source, first), shift) if len(alike) == 1 else None


def _parse_piece(source: str) -> Optional[ast.AST]:
    """Lines around a lambda may be a piece of a larger expression: shortened until they parse."""
    for candidate in (source, source.strip().rstrip(","), f"({source.strip().rstrip(',')})"):
        try:
            return ast.parse(candidate)
        except SyntaxError:
            continue
    start = source.find("lambda")
    for end in range(len(source), start, -1):
        try:
            return ast.parse(" " * 0 + source[start:end].strip())
        except SyntaxError:
            continue
    return None


def _alike(node: ast.Lambda, code: types.CodeType) -> bool:
    """Whether a lambda has the names and constants of ``code``; its instructions depend on the module around it."""
    free = ", ".join(code.co_freevars)
    outer = ast.parse(f"def outer({free}):\n return None").body[0]
    outer.body = [ast.Return(value=node)]
    compiled = compile(ast.fix_missing_locations(ast.Module([outer], [])), code.co_filename, "exec")
    inner = _inner(compiled, "<lambda>")
    return all(getattr(inner, name) == getattr(code, name) for name in ("co_names", "co_varnames")) and [
        c for c in inner.co_consts if not isinstance(c, types.CodeType)
    ] == [c for c in code.co_consts if not isinstance(c, types.CodeType)]


def _at_the_same_place(node: ast.Lambda, code: types.CodeType) -> bool:
    """By line, and by column where Python (3.11 on) keeps it; the piece that was parsed begins at column 0 of its lines."""
    if not hasattr(code, "co_positions"):
        return node.lineno == code.co_firstlineno
    places = [p for p in code.co_positions() if p[0] is not None and p[2] is not None and p[3]]
    return any((node.body.lineno, node.body.col_offset) == (line, start) for line, _, start, _ in places)


def _compile(body: ast.AST, code: types.CodeType) -> types.CodeType:
    """Compiles the definition inside a function whose locals are its free variables and the hook."""
    names = [*code.co_freevars, HOOK]
    factory = ast.parse(f"def __factory__({', '.join(names)}):\n pass").body[0]
    factory.body = [body if isinstance(body, ast.stmt) else ast.Return(value=body)]
    return compile(ast.fix_missing_locations(ast.Module([factory], [])), code.co_filename, "exec")


def _inner(code: types.CodeType, name: str) -> types.CodeType:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found = constant if constant.co_name == name else _inner(constant, name)
            if found is not None:
                return found
    return None


class _Watching(ast.NodeTransformer):
    """Hands calls, operators and indices to the hook."""

    def __init__(self, code: types.CodeType, source: tuple, shift: int, owner: str) -> None:
        self.file, self.name, self.shift = code.co_filename, code.co_name, shift
        self.source, self.first = source
        self.owner, self.expressions = owner, []

    def function(self, node):
        if isinstance(node, ast.Lambda):
            node.body = self.visit(node.body)
            return node
        node.decorator_list, node.returns = [], None
        for argument in ast.walk(node.args):
            if isinstance(argument, ast.arg):
                argument.annotation = None
        # defaults are evaluated where the function was defined and are taken over from there
        node.args.defaults = [ast.Constant(None) for _ in node.args.defaults]
        node.args.kw_defaults = [None if d is None else ast.Constant(None) for d in node.args.kw_defaults]
        node.body = [self.visit(statement) for statement in node.body]
        return node

    def _number(self, node: ast.AST, operator: str) -> ast.Constant:
        code = ast.get_source_segment("\n" * (self.first - 1) + self.source, node) or ast.unparse(node)
        place = (self.file, node.lineno, node.col_offset + self.shift + 1)
        self.expressions.append(Expression(*place, " ".join(code.split()), operator, self.name))
        return ast.Constant(len(self.expressions) - 1)

    def _hook(self, method: str, number: ast.Constant, args: list, keywords=(), at=None) -> ast.Call:
        function = ast.Attribute(ast.Name(HOOK, ast.Load()), method, ast.Load())
        return ast.copy_location(ast.Call(function, [number, *args], list(keywords)), at)

    def visit_Call(self, node: ast.Call):
        if isinstance(node.func, ast.Name) and node.func.id in _FRAME_CALLS:
            return node
        number = self._number(node, ast.unparse(node.func))
        args = [self.visit(argument) for argument in node.args]
        keywords = [ast.keyword(k.arg, self.visit(k.value)) for k in node.keywords]
        if isinstance(node.func, ast.Attribute):
            name = ast.Constant(self._mangled(node.func.attr))
            return self._hook("method", number, [self.visit(node.func.value), name, *args], keywords, node)
        return self._hook("call", number, [self.visit(node.func), *args], keywords, node)

    def visit_BinOp(self, node: ast.BinOp):
        name = type(node.op).__name__
        number = self._number(node, name)
        return self._hook(
            "binary", number, [ast.Constant(name), self.visit(node.left), self.visit(node.right)], at=node
        )

    def visit_UnaryOp(self, node: ast.UnaryOp):
        if not isinstance(node.op, ast.USub) or isinstance(node.operand, ast.Constant):
            return self.generic_visit(node)
        return self._hook("unary", self._number(node, "USub"), [self.visit(node.operand)], at=node)

    def visit_AugAssign(self, node: ast.AugAssign):
        if not isinstance(node.target, ast.Name):
            node.value = self.visit(node.value)
            return node
        name = type(node.op).__name__
        number = self._number(node, name + "=")
        before = ast.copy_location(ast.Name(node.target.id, ast.Load()), node)
        value = self._hook("inplace", number, [ast.Constant(name), before, self.visit(node.value)], at=node)
        return ast.copy_location(ast.Assign([node.target], value), node)

    def visit_Subscript(self, node: ast.Subscript):
        if not isinstance(node.ctx, ast.Load):
            return self.generic_visit(node)
        number = self._number(node, "[]")
        return self._hook("item", number, [self.visit(node.value), self._index(node.slice)], at=node)

    def _index(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.Slice):
            parts = [
                self.visit(p) if p is not None else ast.Constant(None) for p in (node.lower, node.upper, node.step)
            ]
            return ast.copy_location(ast.Call(ast.Name("slice", ast.Load()), parts, []), node)
        if isinstance(node, ast.Tuple):
            return ast.copy_location(ast.Tuple([self._index(e) for e in node.elts], ast.Load()), node)
        return self.visit(node)

    def visit_Attribute(self, node: ast.Attribute):
        node.attr = self._mangled(node.attr)
        if isinstance(node.ctx, ast.Load) and node.attr in _TENSOR_PROPERTIES:
            number = self._number(node, f".{node.attr}")
            return self._hook("attribute", number, [self.visit(node.value), ast.Constant(node.attr)], at=node)
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign):
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr):
        return node

    def _mangled(self, name: str) -> str:
        private = name.startswith("__") and not name.endswith("__")
        return f"_{self.owner}{name}" if private and self.owner else name
