"""What data sets are used for, and the order of calls that set, or depend on, the mode of a network."""

import ast
import re
from typing import Any

from msprec.source.interpreter import Env
from msprec.source.pipelines.values import Batches, LibraryName, Mode, Pipe, Use

_TRAINS = re.compile(r"grad|train_step|train_one|trainonestep|optimizer|train_net|backward|\btrain\(", re.IGNORECASE)
_LABEL = re.compile(r"label|target|^y$|class|^gt$", re.IGNORECASE)


class Uses:
    """The part of the reader (`reader.Reader`) that this module is about."""

    def _mode(self, what: str, network: Any, value: Any, node: ast.AST) -> None:
        self.modes.append(Mode(what, network, value, self.place(node), self.doubts == 0))

    def _calculated(self, batch: Batches) -> None:
        """Notes that something is calculated from a batch; what the network is given may be another thing."""
        if not (batch.column and _LABEL.search(batch.column)) and batch.pipe not in self.altered:
            self.altered.append(batch.pipe)

    def _handed(self, function: Any, args: list, keywords: dict, node: ast.Call, env: Env) -> None:
        """A data set that is given to code which was not read."""
        quiet = isinstance(function, LibraryName) and function.name.startswith("builtins.")
        for value in (*args, *keywords.values()):
            if isinstance(value, Pipe) and not quiet:
                trains = _TRAINS.search(ast.unparse(node.func))
                self._use(value, "train" if trains else "unknown", node)

    def _use(self, pipe: Pipe, role: str, node: ast.AST) -> None:
        use = Use(pipe, role, self.place(node))
        if use not in self.uses:
            self.uses.append(use)

    def _looped(self, through: Any, node: ast.AST, called: bool, *body: ast.AST) -> None:
        """A loop over a data set; ``called``: whether a network was called in it."""
        pipe = through if isinstance(through, Pipe) else through.pipe if isinstance(through, Batches) else None
        if pipe is not None:
            trains = any(_TRAINS.search(ast.unparse(part)) for part in body)
            self._use(pipe, "train" if trains else "loop" if called else "unknown", node)
