"""Builds `signatures.json` from the source of installed packages; nothing of them is imported.

    python -m msprec.source.build_signatures mindspore=2.10.0:SITE_PACKAGES mindspore=2.7.1:OTHER torch=2.9.1:FOLDER

Each argument names a package, its version, and the folder that holds it. The file beside this one is written anew.
"""

import ast
import json
import sys
from pathlib import Path
from typing import Any, Optional

from msprec.source.files import collect
from msprec.source.module import Scope
from msprec.source.project import Project
from msprec.source.signatures import numbers_of
from msprec.source.values import UNKNOWN, Record, Values

#: The public modules whose names are wanted, by package, and the folders and files to read for them.
PUBLIC = {
    "mindspore": (
        "mindspore.nn",
        "mindspore.mint.nn",
        "mindspore.mint.nn.functional",
        "mindspore.mint.optim",
        "mindspore.mint",
        "mindspore.amp",
        "mindspore.common.initializer",
        "mindspore.ops",
    ),
    "torch": ("torch.nn", "torch.nn.functional", "torch.nn.init", "torch.optim"),
}
READ = {
    "mindspore": (
        "__init__.py",
        "nn",
        "mint",
        "amp.py",
        "common",
        "train",
        "ops/__init__.py",
        "ops/function",
        "ops/functional.py",
        "ops/composite",
        "ops/auto_generate",
        "ops/operations",
        "ops/tensor_method.py",
        "ops/primitive.py",
        "ops/functional_overload.py",
        "experimental/optim",
        "experimental/__init__.py",
    ),
    "torch": ("nn", "optim"),
}
#: Names of PyTorch that are not written in Python, as its documentation has them.
BUILTIN = {
    "torch.nn.functional.gelu": [["input", "<required>"], ["approximate", "none"]],
    "torch.std": [["input", "<required>"], ["dim", None], ["correction", 1], ["keepdim", False]],
    "torch.var": [["input", "<required>"], ["dim", None], ["correction", 1], ["keepdim", False]],
}


def read(package: str, site: Path, names: Optional[set] = None) -> dict:
    """{public name: [[parameter, default] or [parameter]]} of one installed package; ``names`` limits it."""
    if not (site / package).is_dir():
        raise FileNotFoundError(f"no package {package} in {site}")
    parts = [site / package / part for part in READ[package]]
    files, _ = collect([part for part in parts if part.exists()], base=site)
    project = Project(files, follow=False)
    values = Values(project)
    found = {}
    for home in PUBLIC[package]:
        module = project.modules.get(home)
        for name in sorted(_exported(project, module) if module is not None else ()):
            public = f"{home}.{name}"
            if names is not None and public not in names:
                continue
            scope = project.definition(project.resolve(public))
            described = _signature(project, values, scope) if scope is not None else None
            if described is not None:
                found[_public(public)] = described
    return {**found, **(BUILTIN if package == "torch" else {})}


def _public(name: str) -> str:
    return name.rstrip("_") if name.startswith("torch.nn.init.") else name


def _exported(project: Project, module, depth: int = 0) -> set:
    names = {name for name in module.scope.bindings if not name.startswith("_") and "." not in name}
    for star in module.stars:
        inner = project.module_of(star, module)
        if inner is not None and depth < 6:
            names |= _exported(project, inner, depth + 1)
    return names


def _signature(project: Project, values: Values, scope: Scope) -> Optional[list]:
    if scope.is_class:
        scope = project.method(scope, "__init__")
        if scope is None:
            return None
    args = scope.node.args
    plain = [*args.posonlyargs, *args.args]
    defaults = [None] * (len(plain) - len(args.defaults)) + list(args.defaults)
    if plain and plain[0].arg in ("self", "cls"):
        plain, defaults = plain[1:], defaults[1:]
    found = [_entry(values, scope, arg.arg, default) for arg, default in zip(plain, defaults)]
    found += [[f"*{args.vararg.arg}"]] if args.vararg else []
    found += [_entry(values, scope, arg.arg, default) for arg, default in zip(args.kwonlyargs, args.kw_defaults)]
    return found + ([[f"**{args.kwarg.arg}"]] if args.kwarg else [])


def _entry(values: Values, scope: Scope, name: str, default: Optional[ast.AST]) -> list:
    if default is None:
        return [name, "<required>"]
    value = values.of(default, scope.parent or scope)
    return [name, {"code": ast.unparse(default)} if value is UNKNOWN or isinstance(value, Record) else _plain(value)]


def _plain(value: Any) -> Any:
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return {"code": repr(value)}
    if isinstance(value, (bytes, complex)) or value is Ellipsis:
        return {"code": repr(value)}
    return list(value) if isinstance(value, tuple) else value


def build(sources: list) -> dict:
    """The document for [(package, version, folder)]. Versions that agree with the one before them are left out."""
    known, table = {}, {}
    for package, version, site in sorted(sources, key=lambda source: numbers_of(source[1])):
        known.setdefault(package, []).append(version)
        for name, described in read(package, Path(site)).items():
            entry = table.setdefault(name, {})
            if not entry or list(entry.values())[-1] != described:
                entry[version] = described
    return {"versions": known, "signatures": dict(sorted(table.items()))}


def main(words: list) -> None:
    """Writes the table of the packages that are named on the command line."""
    sources = []
    for word in words:
        package, _, rest = word.partition("=")
        version, _, site = rest.partition(":")
        sources.append((package, version, site))
    document = build(sources)
    lines = [f"{json.dumps(name)}: {json.dumps(entry)}" for name, entry in document["signatures"].items()]
    text = f'{{"versions": {json.dumps(document["versions"])},\n"signatures": {{\n' + ",\n".join(lines) + "\n}}\n"
    (Path(__file__).parent / "signatures.json").write_text(text, encoding="utf-8")
    print(f"{len(lines)} signatures")


if __name__ == "__main__":
    main(sys.argv[1:])
