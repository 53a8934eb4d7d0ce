"""How fast scripts are read without running them: files a second, beside the parser alone and beside other libraries.

    python benchmarks/source.py [FOLDER] [--most N]

FOLDER is any tree of Python files; default: the installed mindspore package. `parse` is `ast.parse` alone, the limit of what
any analysis in Python can reach; `read` is what `msprec checklist FOLDER` does with every file (scopes, names, calls); LibCST
(parse alone, and with its metadata of qualified names) and astroid are measured where they are installed, on the same files.
Best of three rounds of process time; where the other libraries are slow, on every tenth file.
"""

import argparse
import ast
import importlib.util
import time
import warnings
from collections.abc import Callable
from pathlib import Path

from msprec.source import Project, collect
from msprec.source.files import parse


def best(work: Callable, rounds: int = 3) -> float:
    """The shortest of several rounds, in seconds of process time."""
    times = []
    for _ in range(rounds):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return min(times)


def with_libcst(files: list, metadata: bool) -> None:
    import libcst
    from libcst.metadata import MetadataWrapper, QualifiedNameProvider

    for file in files:
        try:
            tree = libcst.parse_module(file.text)
        except libcst.ParserSyntaxError:
            continue
        if metadata:
            MetadataWrapper(tree, unsafe_skip_copy=True).resolve(QualifiedNameProvider)


def with_astroid(files: list) -> None:
    import astroid

    for file in files:
        try:
            astroid.parse(file.text)
        except astroid.AstroidSyntaxError:
            continue


def neighbours(files: list) -> list:
    """(name, seconds a file) of the libraries that are installed."""
    some, found = files[::10], []
    if importlib.util.find_spec("libcst"):
        found.append(("LibCST, parse alone", best(lambda: with_libcst(some, False), 1) / len(some)))
        found.append(("LibCST, qualified names", best(lambda: with_libcst(some, True), 1) / len(some)))
    if importlib.util.find_spec("astroid"):
        found.append(("astroid, tree alone", best(lambda: with_astroid(some), 1) / len(some)))
    return found


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("folder", nargs="?")
    arguments.add_argument("--most", type=int, default=5000)
    chosen = arguments.parse_args()
    folder = chosen.folder
    if folder is None:
        folder = Path(importlib.util.find_spec("mindspore").origin).parent
    files, _ = collect([folder])
    warnings.simplefilter("ignore")
    files = [file for file in files if file.name.endswith(".py")][: chosen.most]
    files = [file for file in files if isinstance(parse(file.name, file.text), ast.Module)]
    alone = best(lambda: [ast.parse(file.text) for file in files]) / len(files)
    read = best(lambda: Project(files, [], follow=False)) / len(files)
    print(f"{len(files)} files of {folder}, {sum(len(file.text) for file in files) / 1e6:.1f} MB")
    rows = [("ast.parse alone", alone), ("msprec.source", read), *neighbours(files)]
    for name, seconds in rows:
        print(f"{name:26} {1 / seconds:8.0f} files/s   {seconds / alone:5.2f} times ast.parse")


if __name__ == "__main__":
    main()
