"""The remedies that are tried out. A new one is a class of `Remedy` and an entry in `REMEDIES`."""

from msprec.experiment.remedies.data import BatchSize, Shuffle, Standardise
from msprec.experiment.remedies.loop import ClipGradients, ManyEpochs, MoreEpochs, MostEpochs, UnscaleFirst
from msprec.experiment.remedies.network import (
    ClassWeights,
    EvaluationMode,
    GradientFlow,
    InitialWeights,
    Logits,
    TrainingMode,
)
from msprec.experiment.remedies.optimizer import (
    AllParameters,
    FarHigherRate,
    HigherRate,
    LowerRate,
    MiddleRangeTestRate,
    MuchHigherRate,
    MuchLowerRate,
    RangeTestRate,
    UpperRangeTestRate,
)
from msprec.experiment.remedies.output import LossForm, OutputActivation, OutputRange, OutputShape
from msprec.experiment.remedies.precision import Float32, LossScale

REMEDIES = (
    Standardise,
    Shuffle,
    AllParameters,
    GradientFlow,
    InitialWeights,
    Logits,
    OutputActivation,
    OutputRange,
    OutputShape,
    LossForm,
    TrainingMode,
    EvaluationMode,
    RangeTestRate,
    MiddleRangeTestRate,
    UpperRangeTestRate,
    LowerRate,
    MuchLowerRate,
    HigherRate,
    MuchHigherRate,
    FarHigherRate,
    LossScale,
    UnscaleFirst,
    Float32,
    ClipGradients,
    ClassWeights,
    BatchSize,
    MoreEpochs,
    ManyEpochs,
    MostEpochs,
)
