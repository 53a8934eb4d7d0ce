"""dp.04: The padding that was delivered: the value that fills sequences up, its side, and what masks and lengths say of it."""

import re

from msprec.checklists.common.script.multiplied_scores import multiplied_scores
from msprec.checklists.dp.padding.beyond_lengths import reads_beyond_lengths
from msprec.checklists.dp.padding.key_padding import key_padding
from msprec.checklists.dp.padding.padded_sides import padded_sides
from msprec.checklists.dp.padding.padding import judge_padding
from msprec.engine.finding import Finding
from msprec.engine.item import item
from msprec.engine.rank_merge import WORST
from msprec.engine.run_data import RunData

_MASKS = re.compile(r"mask|valid|(^|_)(keep|pad|real)", re.IGNORECASE)


@item("dp.04", ranks=WORST)
def padding(run_data: RunData) -> Finding:
    """The padding that was delivered: the value that fills sequences up, its side, and what masks and lengths say of it.

    Problem: a mask that marks padding as real or hides real values (dp.04.contradicts), lengths that do not fit, sides mixed
    between samples (dp.04.mixed), a pad value that is also a real value without mask or length to tell them apart
    (dp.04.inside), training and evaluation that pad otherwise, sequences padded in front whose lengths the network counts from
    the first element, a mask that the network takes for its opposite, a recurrent layer whose last step alone is used after
    padding of dp.04.after of the sequence where nothing was learnt, a loss whose gradient reaches the padded places alone,
    a class of most real places that is left out as the padding of the targets is (dp.04.left_out), attention of padded samples
    that goes to the padding alone (dp.04.attended), scores that are multiplied by a mask before a softmax, a
    ``key_padding_mask`` that marks the real elements, the last step of a recurrent layer's output behind the lengths that it was
    given, a loss that changes with the padding and not with the real tokens in a training that has not learnt.
    Left open: targets whose padding a cross-entropy counts (dp.04.counted). A mask may count either way round, and the first
    place of a run may be an end mark. Numeric sequences count only where something pads, masks or measures them. Nothing
    padded: not applicable.
    """
    found = (
        padded_sides(run_data)
        or key_padding(run_data)
        or multiplied_scores(run_data, _MASKS)
        or reads_beyond_lengths(run_data)
    )
    return found or judge_padding(run_data)
