"""What a name stands for where it is read: those of the running function, of those around it, of its module, of others."""

import ast
import builtins
from typing import Any

from msprec.source.interpreter import Class, Env, Function
from msprec.source.module import Module
from msprec.source.names import public_name
from msprec.source.pipelines.values import LibraryName
from msprec.source.values import UNKNOWN, Record

_BUILTINS = frozenset(dir(builtins))


class Names:
    """The part of the reader (`reader.Reader`) that this module is about."""

    def name(self, node: ast.Name, env: Env) -> Any:
        home = env.find(node.id)
        found = home.names[node.id] if home is not None else self._of_module(node.id, env.scope.module)
        return self._stated(node, env) if found is UNKNOWN else found

    def _of_module(self, name: str, module: Module) -> Any:
        """A name at the top level of a module: a definition, an import, or the one value that it is given."""
        bindings = module.scope.bindings.get(name, [])
        if not bindings:
            for star in module.stars:
                home = self.project.module_of(star, module)
                if home is not None and home.scope.bindings.get(name):
                    return self._of_module(name, home)
            return LibraryName(f"builtins.{name}") if name in _BUILTINS else UNKNOWN
        last = bindings[-1]
        if last.kind in ("def", "class"):
            scope = module.scopes[last.value]
            return Class(scope) if last.kind == "class" else Function(scope, self.module_env(module))
        if last.kind == "import":
            return self._imported(last.value, module)
        if len(bindings) == 1 and last.kind == "assign" and last.value is not None and module is not self.entry:
            home = self.module_env(module)
            home.names[name] = UNKNOWN  # a value given through itself
            home.names[name] = self.eval(last.value, home)
            return home.names[name]
        return UNKNOWN

    def _imported(self, dotted: str, near: Module) -> Any:
        dotted = self.project.resolve(dotted, near)
        scope = self.project.definition(dotted)
        if scope is not None and scope.parent is not None:
            return Class(scope) if scope.is_class else Function(scope, self.module_env(scope.module))
        module = self.project.module_of(dotted, near)
        if module is not None:
            return LibraryName(module.name, module)
        head, _, tail = dotted.rpartition(".")
        module = self.project.module_of(head, near) if head else None
        if module is not None and module.scope is not near.scope:
            return self._of_module(tail, module)
        return LibraryName(public_name(dotted))

    def _stated(self, node: ast.AST, env: Env) -> Any:
        """A constant that the source gives by other means: argparse, YAML, a dataclass, what all callers agree on."""
        found = self.values.of(node, env.scope)
        return UNKNOWN if isinstance(found, Record) else found
