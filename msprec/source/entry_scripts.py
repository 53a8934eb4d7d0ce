"""Which of many files a user starts."""

import ast

from msprec.source.module import Module


def starts_by_itself(module: Module) -> bool:
    """Does the file do something when it is run: a ``__main__`` guard, or calls and loops outside any definition?"""
    return any(_acts(statement) for statement in module.tree.body)


def _acts(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.If):
        return "__main__" in ast.dump(statement.test) or any(map(_acts, statement.body))
    if isinstance(statement, (ast.For, ast.While, ast.With)):
        return True
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
