"""What each rank appends to: steps.csv, gradients.csv, events.jsonl; and the bad step that it keeps."""

from msprec.record.schema.notation import (
    PLACE,
    Choice,
    Map,
    Shape,
    anything,
    count,
    finite,
    flag,
    key,
    number,
    text,
    words,
)

STEPS = {
    "step": key(count, "number of the step, from 1"),
    "epoch": key(number, "epoch"),
    "loss": key(number, "loss"),
    "overflow": key(count, "0 or 1, read where train_step.json: overflow_from says"),
    "scale": key(number, "loss scale that the step was computed with"),
    "next_scale": key(number, "loss scale after the step's update"),
    "lr": key(number, "learning rate"),
    "seconds": key(number, "wall time of the computation as the host saw it (of a sink: the mean over its steps)"),
    "data_seconds": key(number, "wait for the step's data (of a sink: at its first step)"),
    "batch": key(count, "samples in the step"),
    "callback_seconds": key(
        number, "what callbacks took between the computation of the step before and this one; Model.train only"
    ),
}

GRADIENTS = {
    "step": key(count, "number of the step"),
    "parameter": key(text, "name of the parameter"),
    "size": key(count, "its elements"),
    "norm": key(number, "norm of the unscaled gradient, over its finite elements"),
    "max_abs": key(number, "largest absolute value of the unscaled gradient, over its finite elements"),
    "zeros": key(number, "share of elements that are zero"),
    "underflow": key(number, "share not zero that becomes zero in float16 times the step's loss scale"),
    "subnormal": key(number, "share not zero that becomes a subnormal number there"),
    "nonfinite": key(number, "share of elements that are NaN or infinite"),
    "update_ratio": key(number, "‖change of the parameter in the step‖ ÷ ‖parameter before‖"),
    "source": key(
        Choice("optimizer", "replay"),
        "optimizer: as the optimizer was called with it (clipped, if the training clips); replay: forward and backward "
        "run once more",
    ),
}

_TENSOR = Shape(
    "tensor",
    {
        "dtype": key(text, "element type"),
        "shape": key([count], "its shape"),
        "min": key(finite, "smallest finite element"),
        "max": key(finite, "largest finite element"),
        "zeros": key(finite, "share of zeros"),
        "nan": key(finite, "share of NaN"),
        "inf": key(finite, "share of infinities"),
    },
)
COMMON = {
    "event": key(text, "name of the event"),
    "step": key(count, "training steps done"),
    "time": key(finite, "seconds since the start"),
}
_LOCATED = {
    "because": key(Choice("loss", "gradient", "streak", "parameter", "crash"), "what made the step bad"),
    "phase": key(
        Choice("data", "forward", "backward", "update"), "where it first went wrong; null: not found, why_not says why"
    ),
    "why_not": key(text, "why nothing was found"),
    "cell": key(text, "path of the cell"),
    "expression": key(text, "the expression"),
    "operator": key(text, "the operator"),
    "place": key(PLACE, "where it stands"),
    "column": key(count, "column in that line"),
    "function": key(text, "function it stands in"),
    "inputs": key([_TENSOR], "its inputs"),
    "results": key([_TENSOR], "its results"),
    "stack": key([{**PLACE, "code": key(text, "the call")}], "the user's calls that led there, outermost first"),
    "pattern": key(text, "known pattern of the operation: log, division, exp, half, …"),
    "parameter": key(text, "the parameter, where it is one"),
    "bad_parameters": key(count, "phase update: number of parameters that are not finite after it"),
    "samples": key([count], "positions of the samples in the batch; phase data only"),
    "elements": key([[count]], "positions of the elements in the batch; phase data only"),
    "input": key(count, "position among the step's inputs; phase data only"),
    "scale": key(number, "loss scale, where it has a part"),
    "vanishes_at": key(finite, "the largest power of two as a loss scale without overflow"),
    "outlier": key(
        {
            "input": key(count, "position among the step's inputs"),
            "samples": key([count], "positions of the samples in the batch"),
            "value": key(number, "their largest value"),
            "usual": key(number, "largest value of the others"),
            "proved": key(
                flag,
                "true: cut off at usual, the step is finite; false: of the step before, whose update spoilt the weights",
            ),
        },
        "samples far larger than the others",
    ),
    "recorded_loss": key(number, "loss of the step"),
    "replayed_loss": key(number, "loss of the replay"),
    "exact": key(flag, "whether both are the same"),
    "error": key(text, "the error that the replay raised"),
    "weights": key(text, "which weights were taken, where not those before the step"),
    "seconds": key(finite, "seconds that replaying took"),
}

#: The events by name: what happened, and their own keys.
EVENTS = {
    "first_nonfinite": key(
        {
            "what": key(Choice("loss", "output", "gradient", "parameter"), "what was not finite first"),
            "value": key(number, "its value; of loss and output"),
            "scale": key(number, "loss scale; of gradient"),
            "parameters": key([text], "names, at most 20; of parameter"),
            "count": key(count, "number of them, at this step or before"),
        },
        "the first value that is not finite",
    ),
    "overflow_streak": key(
        {
            "first": key(count, "first step of it"),
            "last": key(count, "last step of it"),
            "length": key(count, "number of steps"),
        },
        "3 or more steps with overflow in a row; written when they end or the run ends",
    ),
    "scale_floor": key({"scale": key(number, "loss scale")}, "the loss scale reached its least value"),
    "scale_nonfinite": key({"scale": key(number, "loss scale")}, "the loss scale is not finite"),
    "stopped": key({"why": key(words, "the reason")}, "a callback stopped the training"),
    "monitor_error": key(
        {
            "where": key(text, "the monitor"),
            "error": key(text, "its error"),
            "lost": key(count, "rows lost, where a disk was full for long"),
        },
        "a monitor failed; the training went on",
    ),
    "metric": key(
        {"name": key(text, "name of the metric"), "value": key(number, "its value")},
        "a value handed to msprec.log_metric",
    ),
    "cpu_loss_scale": key(
        {"class": key(text, "class of the training cell")}, "a training cell with a loss scale was made to run on CPU"
    ),
    "gradient_exploding": key(
        {
            "norm": key(number, "norm over all parameters"),
            "usual": key(number, "median of the samples before"),
            "parameter": key(text, "parameter with the largest norm"),
            "parameter_norm": key(number, "that norm"),
        },
        "the gradient norm is far above those before",
    ),
    "gradient_vanishing": key(
        {
            "parameter": key(text, "the weight"),
            "level": key(number, "root mean square of its gradient's non-zero elements"),
            "largest": key(number, "the same, largest of all weights"),
        },
        "the gradient of a weight is far below the others",
    ),
    "loss_spike": key(
        {
            "value": key(number, "the loss"),
            "usual": key(number, "median of the losses before"),
            "file": key(
                text, "the batch of the step, in the run folder: .npz, arrays by column or input_0, …; no pickles"
            ),
            "batch": key(
                [{"name": key(text, "name"), "dtype": key(text, "element type"), "shape": key([count], "shape")}],
                "the arrays in it",
            ),
        },
        "the loss stands far above those before; its batch is kept",
    ),
    "resumed": key(
        {
            "by": key(Choice("initial_epoch", "initial_step", "global_step", "record"), "what told the step"),
            "recorded": key(count, "last step in the folder"),
            "updates": key(count, "updates done before"),
        },
        "the training goes on where an earlier one ended; step: done before",
    ),
    "step_not_kept": key(
        {"why": key(words, "the reason")}, "what the bad step began with was not held for want of room"
    ),
    "steps_missing": key(
        {
            "first": key(count, "first step"),
            "last": key(count, "last step"),
            "holds": key(count, "steps that the ring of the RecorderCell holds"),
        },
        "steps of a sink that have no row",
    ),
    "located": key(_LOCATED, "what replaying a bad step has found"),
}

#: Every event as a check reads it: the keys of all of them.
EVENT = {
    **COMMON,
    **{name: one for event in EVENTS.values() for name, one in event.type.items()},
    "why": key(words, "the reason"),
}

SAVED_STEP = {
    "step": key(count, "number of the step"),
    "batch": key(
        [{"name": key(text, "name"), "dtype": key(text, "element type"), "shape": key([count], "shape")}],
        "the arrays in batch.npz",
    ),
    "left_out": key([text], "columns of the batch that had no room"),
    "random_state": key(
        {
            "python": key(anything, "state of random; null where the step draws nothing from it"),
            "numpy": key(anything, "state of numpy.random; null where the step draws nothing from it"),
            "mindspore": key([count], "16 bytes"),
            "seed": key(count, "MindSpore's seed"),
            "kernels": key([[anything]], "random operators: name, place in the order, state"),
        },
        "the random state before the step",
    ),
    "dtypes": key([text], "element types of the step's inputs"),
    "names": key([text], "names of the parameters"),
    "loss": key(text, "the loss"),
    "located": key({name: _LOCATED[name] for name in ("phase", "place", "expression")}, "where it first went wrong"),
    "not_written": key(Map(count), "sizes in bytes of weights that had no room, and most_bytes"),
}
