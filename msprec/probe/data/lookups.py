"""Which of the step's inputs each embedding table is looked up by."""

from msprec.locate.trace import to_numpy
from msprec.probe.data.merged_ids import LOOKS_UP
from msprec.probe.steps.attainable_range import plain_name
from msprec.probe.steps.connectivity_trace import place_of
from msprec.probe.steps.inference_trace import InferenceTraces, weights_of
from msprec.record.nested import tensors_in

_MOST = 32


def lookups(traces: InferenceTraces) -> list:
    """The entry ``lookups`` of ``probes.json``: of each table of weights and each input of the step, as it is, whose ids are
    looked up in it."""
    if not traces.batches:
        return []
    inputs = [to_numpy(one) for one in tensors_in(traces.batches[0])]
    found: dict = {}
    for node in traces.of(0).nodes:
        if plain_name(node) not in LOOKS_UP:
            continue
        tables = [one for one in weights_of(node) if len(one.shape) == 2]
        ids = [to_numpy(one) for one in node.inputs if "Int" in str(one.dtype)]
        for table in tables[:1]:
            for position in _same(ids, inputs):
                entry = {"table": table.name, "rows": int(table.shape[0]), "input": position, "inputs": len(inputs)}
                found.setdefault((table.name, position), {**entry, "place": place_of(node)})
    return list(found.values())[:_MOST]


def _same(ids: list, inputs: list) -> list:
    """The positions of the inputs of whole numbers that hold the ids."""
    return [
        position
        for position, one in enumerate(inputs)
        if one.dtype.kind in "iu"
        and any(one.size == array.size and (one.ravel() == array.ravel()).all() for array in ids)
    ]
