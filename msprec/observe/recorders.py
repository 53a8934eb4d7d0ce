"""The recorders of a run: what each is about, which of them install hooks, and the fact files that they make."""

from typing import Callable

from msprec.observe.data.data_files import DataFileObserver
from msprec.observe.data.datasets import DatasetObserver
from msprec.observe.environment import EnvironmentObserver
from msprec.observe.evaluation.evaluation_loops import EvaluationObserver
from msprec.observe.exchanged_reshapes import exchanged_reshapes
from msprec.observe.models import ModelObserver
from msprec.observe.network.copies import copies
from msprec.observe.network.loaded_weights import WeightsObserver
from msprec.observe.network.modes import ModeObserver
from msprec.observe.network.network_entry import network_entry
from msprec.observe.network.network_inputs import InputObserver
from msprec.observe.network.optimizers import OptimizerObserver
from msprec.observe.network.parameters import ParameterObserver
from msprec.observe.network.precision import PrecisionObserver
from msprec.observe.network.replicas import ReplicaObserver
from msprec.observe.train_steps.train_steps import StepObserver
from msprec.record.checksums import as_md5sum
from msprec.runtime.cell_origins import watch_creation

#: Networks that are described: of those that train, and of those that are only called.
_MOST_TRAINED, _MOST_CALLED = 6, 4
#: Optimizers and loss scalers of earlier runs of the process that are kept.
_MOST_EARLIER = 4


def make_recorders(observer) -> None:
    """Gives ``observer`` its recorders, each a field, as they ask each other through it."""
    observer.environment = EnvironmentObserver()
    observer.datasets, observer.data_files = DatasetObserver(observer), DataFileObserver(observer)
    observer.modes, observer.optimizers, observer.inputs = ModeObserver(), OptimizerObserver(observer), InputObserver()
    observer.parameters = ParameterObserver(digests=observer.rank_size > 1)
    observer.precision, observer.weights = PrecisionObserver(), WeightsObserver(observer)
    observer.models, observer.steps = ModelObserver(observer), StepObserver(observer)
    observer.evaluating, observer.replicas = EvaluationObserver(observer), ReplicaObserver(observer)


def take_over(observer, earlier) -> None:
    """What scripts set and make but once, for a run that follows another in the same process: settings, data sets' places,
    optimizers, requests for precision, loaded weights, losses and loss scalers."""
    for name in ("environment", "precision"):
        setattr(observer, name, getattr(earlier, name))
    for name, attributes in (
        ("datasets", ("places",)),
        ("optimizers", ("made",)),
        ("models", ("loss_scales",)),
        ("weights", ("loads", "origin", "put", "networks", "files", "shapes")),
    ):
        for attribute in attributes:
            setattr(getattr(observer, name), attribute, getattr(getattr(earlier, name), attribute))
    observer.optimizers.made = observer.optimizers.made[-_MOST_EARLIER:]  # each holds its parameters
    observer.steps.scaling.scalers[:] = earlier.steps.scaling.scalers[-_MOST_EARLIER:]
    for load in observer.weights.loads:
        load["step"] = 0  # before the first of this run
    observer.steps.loss_facts.found = earlier.steps.loss_facts.found


def hooking(observer) -> list:
    """What installs hooks: functions of the run's `Patches`, in their order; each is called whether or not another failed."""
    recorders = (
        observer.environment,
        observer.datasets,
        observer.models,
        observer.precision,
        observer.steps,
        observer.weights,
        observer.evaluating,
    )
    return [*(one.install for one in recorders), watch_creation, observer.optimizers.install]


def facts_of(observer, final: bool, in_haste: bool = False) -> dict:
    """``{fact file: function that makes it}``; some are made at the end (``final``) only, those that take long
    not ``in_haste``."""
    steps, networks = observer.steps, [*observer.steps.roots]
    losses = list(steps.loss_facts.found.values())
    names = " ".join(f"{entry['class']} {entry['args'] or ''}" for entry in losses)
    sources = observer.sources.texts
    facts: dict[str, Callable] = {
        "datasets": lambda: {**observer.datasets.facts(names), "reshapes": exchanged_reshapes() if final else []},
        "network": lambda: _network_facts(observer, networks, final),
        "parameters": lambda: observer.parameters.facts(observer.optimizers.parameter_ids(), steps.done, final),
        "optimizer": lambda: observer.optimizers.facts(steps.done),
        "loss": lambda: {"losses": losses},
        "train_step": lambda: steps.facts(final),
        "precision": lambda: observer.precision.facts(networks, sources, sorted(steps.input_dtypes)),
        "weights_loaded": observer.weights.facts,
        "modes": lambda: observer.modes.facts(observer.optimizers.updating),
        "inputs": observer.inputs.facts,
        "evaluation": lambda: _evaluation_facts(observer),
    }
    if final and not in_haste:
        facts["replicas"] = lambda: observer.replicas.facts(steps.done)
        # reading the data again takes time: only once, when the script has ended
        facts["data_files"] = lambda: _data_files(observer)
        facts["label_sheet"] = lambda: observer.datasets.label_sheet(observer.writer.folder / "samples")
    return facts


def _data_files(observer) -> dict:
    made = observer.data_files.facts()
    observer.writer.text("data.md5", as_md5sum(made["files"]))
    return made


def _evaluation_facts(observer) -> dict:
    found = [*observer.models.facts()["evaluations"], *observer.evaluating.facts()]
    return {
        "evaluations": sorted(found, key=lambda entry: entry["step"]),
        "squares": observer.evaluating.assigned.squares(),
        "without_result": observer.evaluating.returned.without_result(),
        "trained_samples": observer.evaluating.trained_samples.facts(),
    }


def _network_facts(observer, trained: list, final: bool) -> dict:
    listed, optimized = [], observer.optimizers.parameter_ids()
    others = [r for r in observer.steps.eval_roots if not any(r is t for t in trained)]
    for role, roots in (("train", trained[:_MOST_TRAINED]), ("eval", others[:_MOST_CALLED])):
        for root in roots:
            listed.append(network_entry(len(listed), root, role, optimized))
    return {"networks": listed, "copies": copies(observer, optimized) if final else []}
