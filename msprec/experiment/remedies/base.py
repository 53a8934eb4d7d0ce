"""What a remedy is: the findings it answers, a hook that puts it into the running script, and an edit of the source."""

from typing import Optional

from msprec.bilingual import Text
from msprec.experiment.case import Case
from msprec.experiment.source_edit import NoPlace, Project


class Remedy:
    """One remedy for one case.

    Attributes:
        id: Its name on the command line.
        title: What it does.
        answers: Beginnings of the ids of the items it answers: ``"td."`` for all of a family.
        loss_factor: By how much the loss is larger that the hooked run records.
        same_loss: Whether the training loss stays comparable with the baseline's.
        same_steps: Whether the training has as many steps as the baseline.
        after: The remedy that goes less far the same way: where that one made things worse, this one is not tried.
        must_help: Whether ``after`` has to help.
        problems: The problems of the case that it answers.
    """

    id = ""
    title = Text("", "")
    answers: tuple = ()
    loss_factor = 1.0
    same_loss = True
    same_steps = True
    after: Optional[str] = None
    must_help = False

    def __init__(self, case: Case) -> None:
        self.case = case
        self.problems = [one for one in case.problems if one.item.startswith(self.answers)]

    def fits(self) -> bool:
        """Whether the facts of the run hold what the remedy needs."""
        return True

    def hook(self) -> Optional[dict]:
        """The entry for `live.install`; None: there is none, and the experiment runs the edited copy."""
        return None

    def edit(self, project: Project) -> None:
        """Asks for the edits of the source.

        Raises:
            NoPlace: It is not known for sure where.
        """
        raise NoPlace(f"{self.id} has no edit of the source")

    def code(self) -> Optional[str]:
        """A few lines of code that show what to write where no place is known."""
        return None

    def can_edit(self) -> bool:
        """Whether the source can be edited."""
        try:
            project = Project(self.case)
            self.edit(project)
            return bool(project.changed())
        except NoPlace:
            return False
