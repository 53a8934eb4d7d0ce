"""Draws docs/packages.png, the packages of msprec and what imports what, from the sources as they are: python docs/packages.py

An arrow goes from the importer to the imported, the wider the more modules import something there. Packages stand on floors:
nothing imports upward. A red arrow would be one that does.
"""

import ast
from collections import Counter
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot as plt

ROOT = Path(__file__).resolve().parents[1]
#: From the top down; those of one floor stand side by side.
FLOORS = (
    ("notebook",),
    ("cli",),
    ("experiment",),
    ("report", "bundle", "rerun"),
    ("observe", "checklists"),
    ("probe", "locate", "range_test", "engine"),
    ("callbacks", "compare", "references"),
    ("runtime", "source"),
    ("record", "bilingual", "errors"),
)


def module_files() -> dict[str, Path]:
    """Every module of msprec by its dotted name; `checklists/` is installed as `msprec.checklists`."""
    found = {}
    for top in ("msprec", "checklists"):
        for file in (ROOT / top).rglob("*.py"):
            parts = file.relative_to(ROOT).with_suffix("").parts
            name = ".".join(parts if top == "msprec" else ("msprec", *parts)).removesuffix(".__init__")
            found[name] = file
    return found


def package_of(module: str) -> str:
    """The second part of a dotted name: what a module belongs to."""
    return module.split(".")[1] if "." in module else "cli"


def imports() -> Counter:
    """How many modules of one package import something of another."""
    counted: Counter = Counter()
    for name, file in module_files().items():
        targets = set()
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("msprec."):
                targets.add(package_of(node.module))
        for target in targets - {package_of(name)}:
            counted[package_of(name), target] += 1
    return counted


def draw(path: Path) -> None:
    places = {name: (x - (len(row) - 1) / 2, -y) for y, row in enumerate(FLOORS) for x, name in enumerate(row)}
    figure, axes = plt.subplots(figsize=(9, 7.5))
    present = {package_of(name) for name in module_files()}
    for (one, other), number in imports().items():
        if one in places and other in places:
            (x0, y0), (x1, y1) = places[one], places[other]
            style = {"arrowstyle": "-|>", "shrinkA": 16, "shrinkB": 16, "lw": 0.4 + 0.25 * min(number, 12)}
            style |= {"color": "#B3261E" if y1 > y0 else "#5B7083", "alpha": 0.75, "connectionstyle": "arc3,rad=0.08"}
            axes.annotate("", (1.9 * x1, y1), (1.9 * x0, y0), arrowprops=style)
    for name, (x, y) in places.items():
        if name in present:
            box = {"boxstyle": "round,pad=0.45", "fc": "#EAF1F7", "ec": "#34495E"}
            axes.text(1.9 * x, y, name, ha="center", va="center", fontsize=11, bbox=box, zorder=3)
    axes.set_xlim(-4, 4)
    axes.set_ylim(-len(FLOORS) + 0.5, 0.5)
    axes.axis("off")
    figure.savefig(path, dpi=110, bbox_inches="tight")


if __name__ == "__main__":
    draw(Path(__file__).with_name("packages.png"))
