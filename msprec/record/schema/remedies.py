"""What ``msprec remedy`` writes."""

from msprec.record.schema.notation import PLACE, Choice, Map, Shape, count, finite, flag, key, text

_VERDICT = key(
    Choice("helps", "none", "harms"), "against the script as it is; none: no difference beyond the spread over seeds"
)
_COMPARED = {
    "verdict": _VERDICT,
    "gain": key(finite, "how much better, in units of the score; above zero: better"),
    "spread": key(finite, "what a difference by chance may come to (95 %)"),
}
_MEASURED = {
    "scores": key([finite], "final score, a number a seed; null where the run failed"),
    "losses": key([finite], "training loss at the end of the steps that both sides have, a number a seed"),
    "failed": key(count, "runs that failed"),
    "said": key(text, "the last line of one that failed"),
    "curve": key(
        {"steps": key([count], "last step of each mean"), "losses": key([finite], "mean training loss")},
        "loss of the first seed",
    ),
}
_DESCRIBED = {
    "id": key(text, "the remedy"),
    "title": key(Map(text), "what it does, by language"),
    "code": key(text, "code that shows what to write"),
}
_REMEDY = Shape(
    "Remedy",
    {
        **_DESCRIBED,
        "items": key([text], "items whose findings it answers"),
        **_COMPARED,
        **_MEASURED,
        "same_loss": key(flag, "whether the training loss stays comparable"),
        "added": key([{"to": key([text], "remedies it was added to"), **_COMPARED}], "what it did on top of others"),
        "used": key(flag, "whether it is among those together"),
    },
)

REMEDIES = {
    "score": key(text, "the metric that counts; null: the training loss does"),
    "higher": key(flag, "whether more of it is better"),
    "seeds": key(count, "runs of the baseline"),
    "baseline": key(_MEASURED, "the script as it is"),
    "remedies": key([_REMEDY], "each alone, the greatest effect first"),
    "together": key(
        {"ids": key([text], "the remedies"), **_COMPARED, **_MEASURED},
        "the fewest that do as well as any; null: none helps",
    ),
    "left_out": key([text], "remedies that the budget left no time for"),
    "described": key([_DESCRIBED], "remedies that could not be tried"),
    "unanswered": key([text], "items with a problem that no remedy answers"),
    "budget_spent": key(flag, "whether the budget ended the experiments"),
    "patch": key(
        {
            "file": key(text, "the patch in the run folder; null: none is offered"),
            "ids": key([text], "remedies in it"),
            "described": key([text], "remedies that helped and have no sure place in the source"),
            "why_not": key(Choice("no_place", "failed", "worse"), "why there is none"),
            "apply_in": key(text, "the folder to apply it in"),
            "scores": key([finite], "score of the patched run"),
            "losses": key([finite], "loss of the patched run"),
        },
        "remedy.patch",
    ),
}

_SETTING = {
    **{name: _DESCRIBED[name] for name in ("id", "title")},
    "topic": key(text, "its name after --what-if"),
    **_COMPARED,
    **_MEASURED,
    "verdict": key(
        Choice("helps", "none", "harms", "without_effect_here"),
        "against the script as it is; without_effect_here: a switch of another device, which was not run",
    ),
}

WHAT_IF = {
    **{name: REMEDIES[name] for name in ("score", "higher", "baseline", "budget_spent")},
    "settings": key([_SETTING], "each setting that was tried"),
    "first": key(text, "the first that helps; null: none does"),
    "cells": key(
        [{"path": key(text, "the cell"), "class": key(text, "its class"), "place": key(PLACE, "where it is made")}],
        "the fewest cells that have to compute in float32; null: not asked",
    ),
}
