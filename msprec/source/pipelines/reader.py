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
from msprec.source.pipelines.functions import Functions
from msprec.source.pipelines.names import Env, Exhausted, Names
from msprec.source.pipelines.statements import Statements
from msprec.source.pipelines.uses import Uses
from msprec.source.pipelines.values import Reading
from msprec.source.project import Project
from msprec.source.values import Values

_OWN_TRAINING = re.compile(r"value_and_grad|GradOperation|TrainOneStep|\.train\(\s*[^)\s]")


def read_pipelines(project: Project, values: Values, entry: Module) -> Reading:
    """The pipelines of a script. Never raises: what goes wrong leaves the reading incomplete."""
    reader = Reader(project, values, entry)
    try:
        reader.block(entry.tree.body, reader.globals[entry.name])
        complete = True
    except (Exhausted, RecursionError):
        complete = False
    except Exception:  # a construct that the reader does not know must not cost the user the item
        complete = False
    text = project.text_of(entry.file) or ""
    trains = bool(_OWN_TRAINING.search(text)) or any(use.role == "train" for use in reader.uses)
    return Reading(entry.file, reader.uses, reader.made, reader.altered, reader.modes, trains, complete)


class Reader(Statements, Expressions, Calls, DataSets, Functions, Uses, Names):
    """One way through a script; what it has met so far.

    Attributes:
        globals: ``{name of a module: its Env}``.
        heap: ``{(object, name of an attribute): value}``.
        uses, made, altered, modes: As in `Reading`.
        steps: Statements and expressions read so far, of a budget.
        doubts: Conditions around the current statement that are not known.
        running: The scopes of the functions that are being run, outermost first.
    """

    def __init__(self, project: Project, values: Values, entry: Module) -> None:
        self.project, self.values, self.entry = project, values, entry
        self.globals = {entry.name: Env(entry.scope)}
        self.heap = {}
        self.uses, self.made, self.modes, self.altered = [], [], [], []
        self.steps, self.doubts, self.running = 0, 0, []
