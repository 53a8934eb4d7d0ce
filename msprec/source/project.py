"""The modules of a project together: what a name means, across files, aliases, re-exports and assignments."""

import ast
import builtins
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple, Optional

from msprec.source.files import File, Passed, decode, parse
from msprec.source.gc_pause import collector_paused
from msprec.source.libraries import LIBRARIES
from msprec.source.module import Binding, Call, Module, Scope
from msprec.source.names import public_name
from msprec.source.pattern_words import may_match

_DEEPEST = 24
_BUILTINS = set(dir(builtins))


class Callee(NamedTuple):
    """What a call calls: its name, and the arguments that a ``functools.partial`` on the way has bound."""

    name: str
    args: tuple = ()
    keywords: tuple = ()


class Project:
    """Modules by dotted name. A file's name follows from its path; imports are looked up from the importing file outwards."""

    def __init__(self, files: Iterable[File], passed: Optional[list] = None, follow: bool = True):
        self.passed = passed if passed is not None else []
        self.data = {}
        self.modules = {}
        self._by_file = {}
        self._texts = {}
        self._calls = None
        self._on_disks = {}
        self._found, self._named, self._mentions = {}, {}, {}
        with collector_paused():
            for file in files:
                self._add(file)
            if follow:
                self._follow()

    # --- modules

    def _add(self, file: File) -> None:
        if not file.name.endswith(".py"):
            if file.name.endswith((".yaml", ".yml", ".json")):
                self.data[file.name] = file.text
                return
            if "." in os.path.basename(file.name):
                return
        tree = parse(file.name, file.text)
        if isinstance(tree, Passed):
            self.passed.append(tree)
            return
        name, package = module_name(file.name)
        module = Module(name, file.name, tree, file.path, package)
        self.modules.setdefault(name, module)
        self._found.clear()
        self._by_file[file.name] = module
        self._texts[file.name] = file.text

    def text_of(self, file: str) -> Optional[str]:
        """The text of a file that was parsed."""
        return self._texts.get(file)

    def mentions(self, pattern: re.Pattern) -> bool:
        """Does the text of any module match, in lower case?"""
        if pattern not in self._mentions:
            texts = (self._texts.get(module.file, "").lower() for module in self.modules.values())
            self._mentions[pattern] = any(may_match(pattern, text) and pattern.search(text) for text in texts)
        return self._mentions[pattern]

    def _follow(self) -> None:
        """Reads the project's own modules that the given files import and that lie on the disk beside them."""
        waiting = list(self.modules.values())
        while waiting and len(self.modules) < 5000:
            module = waiting.pop()
            if module.path is None:
                continue
            for dotted, _ in module.imported:
                found = self._on_disk(module, dotted) if self.module_of(dotted, module) is None else None
                if found is not None and found.name not in self._by_file:
                    before = len(self.modules)
                    self._add(found)
                    if len(self.modules) > before:
                        waiting.append(self._by_file[found.name])

    def _on_disk(self, module: Module, dotted: str) -> Optional[File]:
        parts = dotted.split(".")
        if not parts[0] or parts[0] in LIBRARIES:
            return None
        folder, shown = os.path.dirname(module.path), os.path.dirname(module.file)
        # a script named by its whole path gives its package a long name, of which relative imports are made
        own = parts[0] == module.name.split(".")[0]
        for _ in range(max(3, module.name.count(".") + 2) if own else 3):
            if self._lies_in(folder, parts[0]):
                for length in range(len(parts), 0, -1):
                    inner = "/".join(parts[:length])
                    for candidate in (f"{inner}.py", f"{inner}/__init__.py"):
                        if os.path.isfile(os.path.join(folder, candidate)):
                            return self._file(
                                Path(folder, candidate), f"{shown.rstrip('/')}/{candidate}" if shown else candidate
                            )
            if shown in ("", ".", "/"):
                break
            folder, shown = os.path.dirname(folder), os.path.dirname(shown)
        return None

    def _lies_in(self, folder: str, name: str) -> bool:
        """Is there a module or a package of that name in the folder?"""
        if (folder, name) not in self._on_disks:
            path = os.path.join(folder, name)
            self._on_disks[folder, name] = os.path.isdir(path) or os.path.isfile(f"{path}.py")
        return self._on_disks[folder, name]

    def _file(self, path: Path, name: str) -> Optional[File]:
        try:
            return File(name, str(path), decode(path.read_bytes()))
        except (OSError, SyntaxError, UnicodeDecodeError, LookupError) as error:
            self.passed.append(Passed(name, "unreadable", str(error)))
            return None

    def module_at(self, file: str) -> Optional[Module]:
        """The module of a file by the name that places use."""
        return self._by_file.get(file)

    def module_of(self, dotted: str, near: Optional[Module] = None) -> Optional[Module]:
        """The project's module of that name, as an import in ``near`` finds it."""
        home = near.name if near is not None else ""
        if (dotted, home) not in self._found:
            names = (f"{outer}.{dotted}" if outer else dotted for outer in _outwards(near))
            found = (self.modules[name] for name in names if name in self.modules)
            self._found[dotted, home] = next((module for module in found if module is not near), None)
        return self._found[dotted, home]

    def unresolved_imports(self) -> list:
        """(module, line, dotted) of imports that are neither libraries known here nor files of the project."""
        found = []
        for module in self.modules.values():
            for dotted, line in module.imported:
                top = dotted.split(".")[0]
                if top and top not in LIBRARIES and not self._known(dotted, module):
                    found.append((module, line, dotted))
        return found

    def _known(self, dotted: str, near: Module) -> bool:
        parts = dotted.split(".")
        return any(self.module_of(".".join(parts[:length]), near) for length in range(1, len(parts) + 1))

    # --- names

    def qualified(self, node: ast.AST, scope: Scope, depth: int = 0) -> Optional[str]:
        """The dotted name of what an expression means: ``mindspore.nn.Conv2d``, ``models.net.Block``; None: not known."""
        if depth > _DEEPEST:
            return None
        if isinstance(node, ast.Name):
            return self._name(node.id, scope, depth)
        if isinstance(node, ast.Attribute):
            return self._attribute(node, scope, depth)
        if isinstance(node, ast.IfExp):
            both = {self.qualified(node.body, scope, depth + 1), self.qualified(node.orelse, scope, depth + 1)}
            return both.pop() if len(both) == 1 else None
        return None

    def _attribute(self, node: ast.Attribute, scope: Scope, depth: int) -> Optional[str]:
        if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls") and scope.owner is not None:
            return self._self(node.attr, scope.owner, depth)
        base = self.qualified(node.value, scope, depth + 1)
        return None if base is None else self.resolve(f"{base}.{node.attr}", scope.module, depth + 1)

    def _self(self, name: str, owner: Scope, depth: int) -> Optional[str]:
        """``self.name``: a method, a class attribute, or what ``self.name = …`` assigned."""
        if name in owner.self_attributes:
            found = {self._bound(b, s, name, depth + 1) for s, b in owner.self_attributes[name]}
            return found.pop() if len(found) == 1 else None
        if name in owner.bindings:
            return f"{owner.qualified}.{name}"
        return None

    def _name(self, name: str, scope: Scope, depth: int) -> Optional[str]:
        if (scope, name) not in self._named:
            found = self._look_up(name, scope, depth)
            if depth > 4:  # possibly cut off by the depth, so that only an answer from further out is kept
                return found
            self._named[scope, name] = found
        return self._named[scope, name]

    def _look_up(self, name: str, scope: Scope, depth: int) -> Optional[str]:
        home, bindings = scope.lookup(name)
        if home is None:
            for star in scope.module.stars:
                found = self._from_star(star, name, scope.module, depth)
                if found is not None:
                    return found
            return f"builtins.{name}" if name in _BUILTINS else None
        found = [self._bound(binding, home, name, depth + 1) for binding in bindings]
        known = {entry for entry in found if entry is not None}
        if len(known) == 1 and (len(found) == 1 or all(found) or bindings[0].kind in ("import", "def", "class")):
            return known.pop()
        # an import tried two ways, a definition made twice: the first that is known
        if known and all(b.kind in ("import", "def", "class") for b in bindings):
            return next(entry for entry in found if entry is not None)
        return None

    def _bound(self, binding: Binding, home: Scope, name: str, depth: int) -> Optional[str]:
        if depth > _DEEPEST:
            return None
        if binding.kind == "import":
            return self.resolve(binding.value, home.module, depth + 1)
        if binding.kind in ("def", "class"):
            return f"{home.qualified}.{name}"
        if binding.kind in ("assign", "parameter") and binding.value is not None:
            return self.qualified(binding.value, home, depth + 1)
        return None

    def _from_star(self, star: str, name: str, near: Module, depth: int) -> Optional[str]:
        module = self.module_of(star, near)
        if module is not None:
            if depth < _DEEPEST and (name in module.scope.bindings or module.stars):
                return self._name(name, module.scope, depth + 1) if name not in _BUILTINS else None
            return None
        if star.split(".")[0] in ("mindspore", "torch") and name not in _BUILTINS:
            return public_name(f"{star}.{name}")
        return None

    def resolve(self, dotted: str, near: Optional[Module] = None, depth: int = 0) -> str:
        """A dotted name followed through the project's modules to where the thing is defined; else its public name."""
        if depth > _DEEPEST:
            return dotted
        parts = dotted.split(".")
        for length in range(len(parts), 0, -1):
            module = self.module_of(".".join(parts[:length]), near) or self._exact(parts[:length], near)
            if module is None:
                continue
            rest = parts[length:]
            if not rest:
                return module.name
            if rest[0] in module.scope.bindings or module.stars:
                inner = self._name(rest[0], module.scope, depth + 1)
                if inner is None:
                    break
                if len(rest) == 1:
                    return inner
                joined = ".".join([inner, *rest[1:]])
                return joined if inner.startswith(f"{module.name}.") else self.resolve(joined, module, depth + 1)
            break
        return public_name(dotted)

    def _exact(self, parts: list, near: Optional[Module]) -> Optional[Module]:
        module = self.modules.get(".".join(parts))
        return module if module is not None and module is near else None

    def callee(self, call: ast.Call, scope: Scope, depth: int = 0) -> Optional[Callee]:
        """What is called, seen through ``functools.partial``; None where it is not known."""
        name = self.qualified(call.func, scope)
        if name is not None and name != "functools.partial":
            return Callee(name)
        made = call.func if isinstance(call.func, ast.Call) else self.value_node(call.func, scope)
        if isinstance(made, ast.Call) and depth < 4 and self.qualified(made.func, scope) == "functools.partial":
            if not made.args:
                return None
            inner = self.callee(ast.Call(func=made.args[0], args=[], keywords=[]), scope, depth + 1)
            if inner is not None:
                return Callee(inner.name, (*inner.args, *made.args[1:]), (*inner.keywords, *made.keywords))
        return Callee(name) if name is not None else None

    def value_node(self, node: ast.AST, scope: Scope) -> Optional[ast.AST]:
        """The one expression that a name or ``self.name`` was given; None when there are several or none."""
        if isinstance(node, ast.Name):
            _, bindings = scope.lookup(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
            owner = scope.owner
            bindings = [b for _, b in owner.self_attributes.get(node.attr, [])] if owner else []
        else:
            return None
        if len(bindings) == 1 and bindings[0].kind in ("assign", "parameter"):
            return bindings[0].value
        return None

    def definition(self, dotted: Optional[str]) -> Optional[Scope]:
        """The scope of a class or function of the project by its dotted name."""
        if not dotted:
            return None
        parts = dotted.split(".")
        for length in range(len(parts) - 1, 0, -1):
            module = self.modules.get(".".join(parts[:length]))
            if module is not None:
                return _inner(module.scope, parts[length:])
        return None

    def bases(self, scope: Scope) -> list:
        """The dotted names of all bases of a class, nearest first; those of the project are followed further."""
        found, waiting = [], [scope]
        while waiting and len(found) < 60:
            current = waiting.pop(0)
            for base in current.node.bases:
                name = self.qualified(base, current.parent or current)
                if name is None or name in found:
                    continue
                found.append(name)
                inner = self.definition(name)
                if inner is not None and inner.is_class:
                    waiting.append(inner)
        return found

    def method(self, scope: Scope, name: str) -> Optional[Scope]:
        """A method of a class or of its nearest base in the project that has one."""
        for candidate in [scope, *filter(None, map(self.definition, self.bases(scope)))]:
            found = [b for b in candidate.bindings.get(name, []) if b.kind == "def"] if candidate.is_class else []
            if found:
                return candidate.module.scopes[found[-1].value]
        return None

    def calls(self) -> Iterable[Call]:
        """Every call of the project, file by file."""
        for name in sorted(self.modules):
            yield from self.modules[name].calls

    def calls_of(self, dotted: str) -> list:
        """The calls of one function or class of the project."""
        if self._calls is None:
            self._calls = {}
            for call in self.calls():
                name = self.qualified(call.node.func, call.scope)
                if name is not None:
                    self._calls.setdefault(name, []).append(call)
        return self._calls.get(dotted, [])


def _inner(scope: Scope, names: list) -> Optional[Scope]:
    for name in names:
        found = [b for b in scope.bindings.get(name, []) if b.kind in ("def", "class")]
        if not found:
            return None
        scope = scope.module.scopes[found[-1].value]
    return scope


def _outwards(near: Optional[Module]) -> Iterable[str]:
    """The folders of a module from its own outwards, as dotted prefixes; the empty one last."""
    if near is not None:
        parts = near.name.split(".")
        parts = parts if near.package else parts[:-1]
        for length in range(len(parts), 0, -1):
            yield ".".join(parts[:length])
    yield ""


def module_name(file: str) -> tuple:
    """(dotted name, whether it is a package) of a file: ``models/net.py`` is models.net."""
    path = file[:-3] if file.endswith(".py") else file
    parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".")]
    parts = ["_up" if part == ".." else part.replace(".", "_") for part in parts]
    if parts and parts[-1] == "__init__":
        return ".".join(parts[:-1]) or "__init__", True
    return ".".join(parts), False
