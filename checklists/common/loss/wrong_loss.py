"""What is wrong with a loss (cg.04)."""

from msprec.bilingual import Text
from msprec.engine.schema import Fact


class Wrong(Exception):
    """What is wrong with a loss, what to do, and where."""

    def __init__(self, summary: Text, advice: Text, *places) -> None:
        super().__init__(str(summary))
        self.summary, self.advice, self.places = summary, advice, places


def called(one: Fact) -> Text:
    """What a loss of the script's own is called: by its function, or by the one that it is written out in."""
    if one.written:
        return Text("loss（写在 {name} 中）", "loss, written out in {name},", name=one.name)
    return Text("{name}", "{name}", name=one.name)
