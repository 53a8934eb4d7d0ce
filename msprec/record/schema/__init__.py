"""The schema of all that msprec writes: every key with its type and its meaning.

Checks read through it (`msprec.engine.schema.Fact`), tests hold the writers to it (`check`), and
``python -m msprec.record.write_schema`` writes SCHEMA.md from it.
"""

from msprec.record.schema.data import (
    COLUMN,
    DATA_FILES,
    DATASETS,
    EVALUATION,
    INPUTS,
    LABEL_SHEET,
    REFERENCE_DATA,
    REFERENCE_WEIGHTS,
)
from msprec.record.schema.notation import PLACE, Choice, Key, Map, Shape, count, finite, number, text
from msprec.record.schema.outputs import CHECKLIST, DUMP_INDEX, DUMP_TENSOR
from msprec.record.schema.probes import ACTIVATIONS, PROBES, PRODUCTS
from msprec.record.schema.reference_run import REFERENCE_RUN
from msprec.record.schema.remedies import REMEDIES, WHAT_IF
from msprec.record.schema.run import RUN
from msprec.record.schema.streams import COMMON, EVENT, EVENTS, GRADIENTS, SAVED_STEP, STEPS
from msprec.record.schema.training import (
    DESIGN,
    LOSS,
    MODES,
    NETWORK,
    OPTIMIZER,
    PARAMETERS,
    PRECISION,
    RANGE_TEST,
    REPLICAS,
    TRAIN_STEP,
    WEIGHTS_LOADED,
)

__all__ = [
    "ACTIVATIONS",
    "CHECKLIST",
    "COLUMN",
    "COMMON",
    "DATASETS",
    "DATA_FILES",
    "DESIGN",
    "DUMP_INDEX",
    "DUMP_TENSOR",
    "EVALUATION",
    "EVENT",
    "EVENTS",
    "FACTS",
    "GRADIENTS",
    "INPUTS",
    "LABEL_SHEET",
    "LOSS",
    "MODES",
    "NETWORK",
    "OPTIMIZER",
    "PARAMETERS",
    "PLACE",
    "PRECISION",
    "PROBES",
    "PRODUCTS",
    "RANGE_TEST",
    "REFERENCE_DATA",
    "REFERENCE_RUN",
    "REFERENCE_WEIGHTS",
    "REMEDIES",
    "REPLICAS",
    "RUN",
    "SAVED_STEP",
    "STEPS",
    "TRAIN_STEP",
    "WEIGHTS_LOADED",
    "WHAT_IF",
    "Choice",
    "Key",
    "Map",
    "Shape",
    "count",
    "finite",
    "number",
    "text",
]

#: The shapes of ``facts/NAME.json``, by name.
FACTS = {
    "datasets": DATASETS,
    "inputs": INPUTS,
    "network": NETWORK,
    "parameters": PARAMETERS,
    "optimizer": OPTIMIZER,
    "loss": LOSS,
    "train_step": TRAIN_STEP,
    "precision": PRECISION,
    "weights_loaded": WEIGHTS_LOADED,
    "label_sheet": LABEL_SHEET,
    "data_files": DATA_FILES,
    "reference_data": REFERENCE_DATA,
    "reference_weights": REFERENCE_WEIGHTS,
    "reference_run": REFERENCE_RUN,
    "design": DESIGN,
    "modes": MODES,
    "probes": PROBES,
    "range_test": RANGE_TEST,
    "replicas": REPLICAS,
    "evaluation": EVALUATION,
    "remedies": REMEDIES,
    "what_if": WHAT_IF,
}
