"""A script followed statement by statement, through the project's own functions with the arguments that each call gives them.

Conditions that are known are followed; where one is not, both branches are, and what they leave behind counts only as far as
they agree. What cannot be read stays in the pipeline as a step of its own (`UNREAD`), so that nobody takes it for absent.

Beside the pipelines the order of calls that set, or depend on, the mode of a network is kept.
"""

import re

from msprec.source.module import Module
from msprec.source.pipelines.calls import Calls
from msprec.source.pipelines.datasets import DataSets
from msprec.source.pipelines.expressions import Expressions
from msprec.source.pipelines.names import Names
from msprec.source.pipelines.statements import Statements
from msprec.source.pipelines.uses import Uses
from msprec.source.pipelines.values import ReadScript
from msprec.source.project import Project
from msprec.source.values import UNKNOWN, Values

_OWN_TRAINING = re.compile(r"value_and_grad|GradOperation|TrainOneStep|\.train\(\s*[^)\s]")


def read_pipelines(project: Project, values: Values, entry: Module) -> ReadScript:
    """The pipelines of a script. Never raises: what goes wrong leaves the reading incomplete."""
    reader = Reader(project, values, entry)
    try:
        reader.read()
        complete = True
    except Exception:  # a construct that the reader does not know must not cost the user the item
        complete = False
    text = project.text_of(entry.file) or ""
    trains = bool(_OWN_TRAINING.search(text)) or any(use.role == "train" for use in reader.uses)
    return ReadScript(entry.file, reader.uses, reader.made, reader.altered, reader.modes, trains, complete)


class Reader(Expressions, Calls, DataSets, Uses, Names, Statements):
    """One way through a script; what it has met so far.

    Attributes:
        heap: ``{(object, name of an attribute): value}``.
        uses, made, altered, modes: As in `ReadScript`.
        doubts: Conditions around the current statement that are not known.
    """

    STEPS, DEPTH, NESTED, MISSING = 40_000, 25, 2, UNKNOWN

    def __init__(self, project: Project, values: Values, entry: Module) -> None:
        super().__init__(project, values)
        self.entry = entry
        self.heap = {}
        self.uses, self.made, self.modes, self.altered = [], [], [], []
        self.doubts = 0

    def read(self) -> None:
        """Follows the script. Raises Exhausted."""
        env = self.module_env(self.entry)
        self.inside(self.entry.scope, lambda: self.branch(self.entry.tree.body, env))
