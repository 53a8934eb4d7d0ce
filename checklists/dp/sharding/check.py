"""dp.05: The training sets of all ranks: what num_shards and shard_id say, and what each rank was given in its first pass."""

from msprec.bilingual import Text
from msprec.checklists.common.findings import missing
from msprec.checklists.common.ranks.sharding import judge_shards, part_for_one_device
from msprec.checklists.dp.sharding.cut_twice import cut_twice
from msprec.checklists.dp.sharding.divided_listings import divided_listing
from msprec.checklists.dp.sharding.fixed_part import fixed_part
from msprec.checklists.dp.sharding.own_vocabulary import numbered_apart
from msprec.checklists.dp.sharding.uneven_ranks import standardised_apart, uneven_batches
from msprec.engine.finding import Finding, not_applicable, worst
from msprec.engine.item import item
from msprec.engine.run_data import RunData


@item("dp.05")
def sharding(run_data: RunData) -> Finding:
    """The training sets of all ranks: what num_shards and shard_id say, and what each rank was given in its first pass.

    Problem: shards that do not fit together (not distinct, more of them than ranks, other numbers on other ranks),
    ranks that add up their gradients and were given the same samples (dp.05.overlap of them, told by fingerprints), or
    files divided by their position in a listing that nothing sorts, also where the code alone shows it and one device
    ran; batches whose sizes differ between ranks by dp.05.uneven, whose gradients are averaged as they are; inputs that
    each rank standardised by its own part, where the ranks' labels differ; words that each rank numbers by its own part; or
    data that the code cuts by the rank twice. The same data on all ranks are left open where the model itself is cut, or where
    no gradients were seen to be added up. One device: not applicable, unless it trains on one shard of several,
    by ``num_shards`` or by a slice with numbers that are written down.
    """
    if run_data.run.rank_size == 1 or (
        run_data.run.rank_size is None and run_data.run.device_target and run_data.ranks == [0]
    ):
        return (
            part_for_one_device(run_data)
            or fixed_part(run_data)
            or divided_listing(run_data)
            or not_applicable(Text("只有一个设备，没有分片。", "The run used one device: nothing is sharded."))
        )
    if run_data.run.rank_size is None:
        return divided_listing(run_data) or missing("设备数", "number of devices")
    found = [
        judge_shards(run_data),
        uneven_batches(run_data),
        standardised_apart(run_data),
        numbered_apart(run_data),
        cut_twice(run_data),
    ]
    return worst([one for one in found if one is not None])
