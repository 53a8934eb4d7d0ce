"""Whether a network of tokens only has to copy what it is given (td.05, hp.02)."""

from msprec.engine.run_data import RunData


def copies_input(run_data: RunData) -> bool:
    """Whether the target of each place is the token that is given there, of a network that sees it and none of the later ones; a
    decoder may shift what it is given by itself.

    Predictions count as changing with a token where they change by td.05.seen of the largest change among all places.
    """
    facts, limit = run_data.probes.seen_targets, run_data.limit("td.05.seen")
    if facts.shift != 0 or facts.before is None or facts.after is None:
        return False
    sees = facts.own is None or facts.own > limit
    return sees and facts.before <= limit < facts.after
