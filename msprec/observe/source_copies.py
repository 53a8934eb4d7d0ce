"""The user's own files that the script imported, copied as they were."""

import io
import os
import shutil
import sys
import tokenize
from pathlib import Path

from msprec.runtime.source_locations import is_user_file, short_name

_LARGEST = 2_000_000


#: ``(name, identity)`` of modules that are loaded from elsewhere, for all observers of the process
_not_users: set = set()


class SourceObserver:
    """Copies each user file once, when it is first seen."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.copied, self.texts = folder, {}, {}
        self._seen: set = set()

    def collect(self, *more: str) -> None:
        """Copies ``more`` and every file of the loaded modules that is the user's."""
        modules = list(sys.modules.items())
        keys = [(name, id(module)) for name, module in modules]
        new = set(keys) - self._seen - _not_users
        self._seen.update(new)
        loaded, folders = [], _InstalledFolders()
        for key, (name, module) in zip(keys, modules) if new else ():
            if key in new:
                file = getattr(module, "__file__", None)
                if not isinstance(file, str):
                    continue
                if not file.startswith(folders[name.partition(".")[0]]) and is_user_file(file):
                    loaded.append(file)
                else:
                    _not_users.add(key)
        for file in (*more, *loaded):
            if isinstance(file, str) and is_user_file(file) and file not in self.copied:
                self._copy(file)

    def _copy(self, file: str) -> None:
        path = Path(file)
        if not path.is_file() or path.stat().st_size > _LARGEST:
            return
        name = short_name(file)
        inside = name.lstrip("/").replace(":", "").replace("..", "_")
        target = self.folder / "source" / inside
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
        self.copied[file] = (name, f"source/{inside}")
        self.texts[file] = _text(path)

    def keep(self, name: str, text: str) -> None:
        """Keeps a text that no file holds, under the name that places use."""
        target = self.folder / "source" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", errors="backslashreplace")
        self.copied[name], self.texts[name] = (name, f"source/{name}"), text

    def facts(self) -> dict:
        return dict(sorted(self.copied.values()))


class _InstalledFolders(dict):
    """By the name of a package its folder, in a tuple, where that is not the user's: what lies in it is not asked one by one."""

    def __missing__(self, package: str) -> tuple:
        file = getattr(sys.modules.get(package), "__file__", None)
        others = isinstance(file, str) and os.path.basename(file) == "__init__.py" and not is_user_file(file)
        self[package] = found = (os.path.dirname(file) + os.sep,) if others else ()
        return found


def _text(path: Path) -> str:
    """The file's text in the encoding that it declares; empty when it cannot be decoded."""
    try:
        data = path.read_bytes()
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return data.decode(encoding)
    except (OSError, SyntaxError, UnicodeDecodeError, LookupError):
        return ""
