"""Calls back once MindSpore has been imported by the script; nothing is imported before the script asks for it."""

import importlib.abc
import importlib.util
import sys
from typing import Callable


class _Loader(importlib.abc.Loader):
    def __init__(self, loader, callback: Callable) -> None:
        self._loader, self._callback = loader, callback

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module) -> None:
        module.__spec__.loader = self._loader
        module.__loader__ = self._loader
        self._loader.exec_module(module)
        self._callback()


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, name: str, callback: Callable) -> None:
        self._name, self._callback = name, callback

    def find_spec(self, fullname, path=None, target=None):
        if fullname != self._name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, self._callback)
        return spec


def when_imported(name: str, callback: Callable[[], None]) -> Callable[[], None]:
    """Runs ``callback`` right after the top-level package ``name`` is imported, at once when it is already.

    Returns a function that cancels.
    """
    if name in sys.modules:
        callback()
        return lambda: None
    finder = _Finder(name, callback)
    sys.meta_path.insert(0, finder)
    return lambda: sys.meta_path.remove(finder) if finder in sys.meta_path else None
