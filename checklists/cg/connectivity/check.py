"""cg.03: One training step, run again after the script has ended, with every cell and expression watched."""

from msprec.bilingual import Text
from msprec.checklists.cg.connectivity.causal_padding import judge_causal_padding
from msprec.checklists.cg.connectivity.connectivity import judge_connections, judge_hidden
from msprec.checklists.cg.connectivity.dropped_inputs import judge_dropped_inputs
from msprec.checklists.cg.connectivity.exchanged_tables import judge_exchanged_tables
from msprec.checklists.cg.connectivity.field_offsets import judge_field_offsets
from msprec.checklists.cg.connectivity.first_step import judge_first_step
from msprec.checklists.cg.connectivity.function_class import judge_function_class
from msprec.checklists.cg.connectivity.joined_twice import judge_joined_twice
from msprec.checklists.cg.connectivity.lost_shortcut import judge_lost_shortcut
from msprec.checklists.cg.connectivity.merged_ids import judge_merged_ids
from msprec.checklists.cg.connectivity.mixed_samples import judge_mixed_samples
from msprec.checklists.cg.connectivity.multiplied_edges import judge_multiplied_edges
from msprec.checklists.cg.connectivity.narrow_layer import judge_narrow_layer
from msprec.checklists.cg.connectivity.narrow_norm import judge_narrow_norm
from msprec.checklists.cg.connectivity.neighbours import judge_neighbours
from msprec.checklists.cg.connectivity.own_messages import judge_own_messages
from msprec.checklists.cg.connectivity.pooled_places import judge_pooled_places
from msprec.checklists.cg.connectivity.recurrent_axes import judge_recurrent_axes
from msprec.checklists.cg.connectivity.reduced_channels import judge_reduced_channels
from msprec.checklists.cg.connectivity.reshaped_axes import judge_reshaped_axes
from msprec.checklists.cg.connectivity.sampled_deviation import judge_sampled_deviation
from msprec.checklists.cg.connectivity.second_derivative import judge_second_derivative
from msprec.checklists.cg.connectivity.shared_rows import judge_shared_rows
from msprec.checklists.cg.connectivity.single_places import judge_single_places
from msprec.checklists.cg.connectivity.strong_dropout import judge_strong_dropout
from msprec.checklists.cg.connectivity.token_order import judge_token_order
from msprec.checklists.cg.connectivity.unread_field import judge_unread_field
from msprec.checklists.cg.connectivity.unread_input import judge_unread_input
from msprec.checklists.cg.connectivity.unread_places import judge_unread_places
from msprec.checklists.cg.connectivity.unused_parameters import judge_unused_parameters
from msprec.checklists.cg.connectivity.wide_pooling import judge_wide_pooling
from msprec.checklists.cg.connectivity.wide_stride import judge_wide_stride
from msprec.checklists.common import declared_design
from msprec.checklists.common.findings import missing
from msprec.checklists.common.probe_status import remedy, skipped
from msprec.checklists.common.reference.reference_findings import with_reference
from msprec.engine.finding import Finding, table, together, undecided
from msprec.engine.item import item
from msprec.engine.run_data import RunData

#: What is asked of networks; of any step, of functions over bare Parameters too; and of a network that was watched.
_NETWORKS = (
    declared_design.layers,
    judge_hidden,
    judge_recurrent_axes,
    judge_unread_input,
    judge_lost_shortcut,
    judge_dropped_inputs,
    judge_wide_pooling,
    judge_reduced_channels,
    judge_second_derivative,
    judge_strong_dropout,
    judge_causal_padding,
)
_ANY_STEP = (
    judge_reshaped_axes,
    judge_mixed_samples,
    judge_neighbours,
    judge_first_step,
    judge_token_order,
    judge_unread_places,
    judge_joined_twice,
    judge_sampled_deviation,
    judge_own_messages,
    judge_multiplied_edges,
    judge_unused_parameters,
    judge_unread_field,
)
_WATCHED = (
    judge_connections,
    judge_narrow_layer,
    judge_narrow_norm,
    judge_wide_stride,
    judge_pooled_places,
    judge_function_class,
    judge_merged_ids,
    judge_exchanged_tables,
    judge_shared_rows,
    judge_field_offsets,
    judge_single_places,
)


@item("cg.03", after=with_reference)
def connections(run_data: RunData) -> Finding:
    """One training step, run again after the script has ended, with every cell and expression watched.

    Problem: a cell that was built and never runs, unless its code names it in a branch that was not taken, it is frozen, or a
    function does its work; a cell that runs and whose result neither reaches the loss nor is returned; layers in a plain
    Python list or dictionary, or made in construct, whose weights MindSpore does not see; the last sample of a recurrent
    layer's result taken for its last step; a reshape in the place of a transpose; a softmax, norm or difference along the
    samples; a residual block whose shortcut is never added; an input that construct never reads, where two embeddings look up
    another or nothing was learnt; a network of tokens in which nothing tells places apart whose targets depend on the place;
    one unit through which three outputs or more have to pass, in a training that did not come cg.03.solved below a constant
    prediction; a pooling over all places where the target is one (cg.03.placed), in such a training; a stride so much wider
    than its window that half of what a layer is given is not read, in such a training; channels of a convolution that are reduced
    in the place of its places, in such a training; ids of which cg.03.merged become one
    before they are looked up, in such a training; ids of several fields that are not kept apart in the table made for all of
    them; scores that are multiplied by the edges of a graph before a softmax; an input of which only the first or the last few
    places (cg.03.read_places) change the loss; noise that is scaled by exp(logvar), the variance;
    rows that are summed by the index that they were taken by; a dropout of cg.03.dropped_inputs or more of the inputs, or a
    pooling of cg.03.pooled pixels before further convolutions, in a training that came to nothing; a dropout of as much behind
    layers, where the network in inference mode keeps less than cg.03.whole_network of what was learnt; a convolution in a class
    that is called causal, which pads on both sides.
    No probe: undecided.
    """
    watched = bool(run_data.networks) and bool(run_data.probes.graph.cells)
    judges = [*(_NETWORKS if run_data.networks else ()), *_ANY_STEP, *(_WATCHED if watched else ())]
    found = [one for one in (judge(run_data) for judge in judges) if one is not None]
    if found:
        return together(found)
    if not run_data.networks:
        return missing("网络结构", "network")
    return undecided(
        Text(
            "没有核对网络的各个 Cell 是否都参与计算：{why}。",
            "Whether all cells are used has not been checked: {why}.",
            why=skipped(run_data, "graph"),
        ),
        remedy(run_data, "graph"),
        [_cell_table(run_data)],
        [network.place for network in run_data.networks],
    )


def _cell_table(run_data: RunData):
    rows = [
        [cell.path or cell.class_, cell.class_, cell.args] for network in run_data.networks for cell in network.cells
    ]
    heads = [Text("路径", "path"), Text("Cell", "cell"), Text("参数", "arguments")]
    return table(Text("网络的各个 Cell", "Cells of the network"), heads, rows)
