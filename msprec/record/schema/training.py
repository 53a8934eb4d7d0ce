"""What the training is made of: networks, parameters, optimizers, losses, steps, precision, loaded weights, modes."""

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

NETWORK = {
    "networks": key(
        [
            {
                "id": key(anything, "number of the network"),
                "class": key(text, "name of its class"),
                "role": key(Choice("train", "eval", "predict"), "what it was run for"),
                "place": key(PLACE, "where the class is defined"),
                "cells": key(
                    [
                        {
                            "path": key(text, "path in the network"),
                            "class": key(text, "name of its class"),
                            "builtin": key(flag, "whether MindSpore defines the class"),
                            "args": key(words, "arguments it was made with"),
                            "compute_dtype": key(text, "type set by to_float or mixed precision"),
                            "mode_dependent": key(flag, "whether it differs in training and inference"),
                            "parameters": key([words], "names of its own parameters"),
                            "created": key(PLACE, "the statement that made the cell"),
                        }
                    ],
                    "the cells in it",
                ),
                "shared_cells": key(
                    [
                        {
                            "class": key(text, "name of its class"),
                            "builtin": key(flag, "whether MindSpore defines the class"),
                            "paths": key([words], "paths that lead to it"),
                            "ways": key(count, "number of these paths"),
                            "parameters": key([words], "names of its parameters"),
                            "repeated_in": key(text, "the list of cells that holds it several times"),
                            "repeated": key(count, "how often that list holds it"),
                            "created": key(PLACE, "the statement that made the cell"),
                        }
                    ],
                    "cells that several paths lead to",
                ),
                "shared_parameters": key(
                    [
                        {
                            "name": key(words, "name of the parameter"),
                            "paths": key([words], "paths that lead to it"),
                            "classes": key([words], "classes of the cells that hold it"),
                        }
                    ],
                    "parameters that several cells hold",
                ),
                "unregistered": key(
                    [
                        {
                            "holder": key(words, "path of the attribute"),
                            "kind": key(words, "list, tuple or dict"),
                            "length": key(count, "its length"),
                            "class": key(words, "class of the cells in it"),
                            "parameters": key([words], "names of their parameters"),
                            "in_optimizer": key(flag, "whether an optimizer has them"),
                            "created": key(PLACE, "the statement that made them"),
                        }
                    ],
                    "cells with weights in a plain attribute",
                ),
            }
        ],
        "the networks that were run",
    ),
    "copies": key(
        [
            {
                "class": key(text, "name of its class"),
                "created": key(PLACE, "the statement that made it"),
                "called": key(PLACE, "where it was called first"),
                "in_training": key(flag, "whether it was called where a gradient is computed"),
                "last_step": key(count, "training steps done before its last call"),
                "original_evaluated": key(flag, "whether the trained network is called outside gradients too"),
                "unchanged": key(flag, "whether its values are those before the first step"),
                "unchanged_since": key(
                    count,
                    "updates done before its first call, where its values are still those of that call; else null",
                ),
                "as_original_began": key(flag, "whether they are those of the trained network before the first step"),
                "as_original_ended": key(flag, "whether they are those of the trained network at the end"),
                "shared": key(
                    count,
                    "weights that lie in the memory of the trained network's at the end, and so are always the same",
                ),
                "distance": key(
                    number, "norm of the difference of its weights from the trained network's, over the latter's"
                ),
                "behind": key(
                    number, "the same over what training changed in the latter: 1 of the weights of the start"
                ),
                "statistics_stayed": key(
                    [words], "paths of its BatchNorm statistics that never changed, though the trained network's did"
                ),
            }
        ],
        "networks of the form of a trained one that no optimizer trains",
    ),
}

SPREAD = Shape(
    "values of a parameter",
    {
        "min": key(number, "smallest value"),
        "max": key(number, "largest value"),
        "mean": key(number, "mean"),
        "std": key(number, "standard deviation"),
        "zeros": key(finite, "share of zeros"),
        "constant": key(flag, "whether all are equal"),
        "alike": key(
            flag,
            "of the final values of a weight that began constant: whether all its rows, or all its columns, are the same",
        ),
        "nonfinite": key(count, "values that are NaN or infinite"),
        "digest": key(text, "checksum of the values' bytes, in distributed runs"),
    },
)

PARAMETERS = {
    "parameters": key(
        [
            {
                "name": key(words, "name of the parameter"),
                "path": key(words, "path in the network"),
                "shape": key([count], "its shape"),
                "dtype": key(words, "element type"),
                "size": key(count, "number of elements"),
                "requires_grad": key(flag, "whether it takes a gradient"),
                "in_optimizer": key(flag, "whether an optimizer has it"),
                "cell": key(words, "path of the cell that holds it"),
                "cell_class": key(words, "class of that cell"),
                "kind": key(
                    Choice("weight", "bias", "norm", "statistic", "other"),
                    "norm: gamma or beta; statistic: moving mean or variance, and prefixed copies of weights (sums of "
                    "gradients, moving averages) that no optimizer has",
                ),
                "initial": key(SPREAD, "values before the first training step"),
                "final": key(SPREAD, "values at the end"),
                "moved": key(
                    {
                        "max_abs": key(number, "largest absolute change"),
                        "relative": key(number, "‖final−initial‖ ÷ ‖initial‖"),
                        "any": key(flag, "whether any value changed"),
                        "proportional": key(
                            flag, "whether final is a multiple of initial: weight decay alone moved it"
                        ),
                    },
                    "the change between the two",
                ),
                "compared": key(Choice("all", "sample"), "elements compared"),
                "created": key(PLACE, "where the MindSpore cell that holds it was made"),
            }
        ],
        "the parameters",
    ),
    "observed": key(
        {
            "initial_step": key(count, "steps done when the initial values were taken"),
            "final_step": key(count, "steps done when the final values were taken"),
            "from_optimizer": key(flag, "whether the parameters are those of an optimizer"),
        },
        "when the values were taken",
    ),
}

OPTIMIZER = {
    "optimizers": key(
        [
            {
                "id": key(anything, "number of the optimizer"),
                "class": key(text, "name of its class"),
                "place": key(PLACE, "where it was made"),
                "used": key(flag, "whether it took part in a training step"),
                "steps": key([count], "first and last step it took part in"),
                "updates": key(count, "its own count of updates"),
                "learning_rate": key(
                    {
                        "kind": key(Choice("constant", "schedule", "list", "groups"), "how it is given"),
                        "value": key(finite, "the value of a constant one"),
                        "first": key(finite, "first value; of groups: of the first group"),
                        "last": key(finite, "last value; of groups: of the first group"),
                        "values": key(count, "values of a list"),
                        "class": key(text, "class of the schedule"),
                        "groups": key([[finite]], "first and last value by group"),
                    },
                    "the learning rate",
                ),
                "momentum": key(finite, "momentum"),
                "eps": key(finite, "what is added where it divides by the root of squared gradients"),
                "betas": key([finite], "what an update leaves of the means of gradients and of their squares"),
                "weight_decay": key(finite, "weight decay, where it is a number"),
                "loss_scale": key(finite, "the factor that it divides gradients by"),
                "parameters": key(count, "number of its parameters"),
                "parameter_names": key([words], "their names"),
            }
        ],
        "the optimizers that were made",
    )
}

REPLICAS = {
    "looks": key(
        [
            {
                "step": key(count, "the step before which they were so; of the last look, one more than the last step"),
                "parameters": key(
                    [
                        {
                            "name": key(words, "name of the parameter"),
                            "shape": key([count], "its shape"),
                            "kind": key(Choice("weight", "statistic", "optimizer"), "optimizer: a state of one"),
                            "digest": key(text, "64 bits of its bytes, of a large one of every nth element"),
                            "norm": key(finite, "L2 norm"),
                            "projections": key([finite], "sums with signs drawn by its size, the same on every rank"),
                        }
                    ],
                    "the parameters of networks and optimizers",
                ),
            }
        ],
        "before steps 1, 2, 3, 4, 6, 8, 12, … and at the end; of runs of several processes",
    ),
}

LOSS = {
    "losses": key(
        [
            {
                "class": key(text, "class of the loss, or function and its name"),
                "builtin": key(flag, "whether MindSpore defines it"),
                "args": key(words, "arguments it was made with"),
                "place": key(PLACE, "where it was made"),
                "file_class": key(PLACE, "where its class is defined"),
            }
        ],
        "the losses that were made",
    )
}

TRAIN_STEP = {
    "scalers": key(count, "DynamicLossScaler and StaticLossScaler objects made in the run"),
    "without_optimizer": key([PLACE], "calls of Model.train or fit of a model that has a loss and no optimizer"),
    "steps": key(
        [
            {
                "style": key(Choice("model", "cell", "functional", "jit"), "how the step is written"),
                "class": key(text, "class of the training cell"),
                "function": key(text, "name of the step's function"),
                "mode": key(Choice("graph", "pynative"), "execution mode"),
                "place": key(PLACE, "where the step is defined or Model.train is called"),
                "count": key(count, "steps done"),
                "sink": key(flag, "whether data is sunk to the device"),
                "accumulation": key(count, "steps (functional: forward passes) that share an update"),
                "updates": key(count, "updates made, by the optimizer's own count"),
                "overflow_flag": key(flag, "whether the overflow of each step could be read"),
                "overflow_from": key(
                    Choice("flag", "scale", "update", "loss"),
                    "flag: the step computes one; scale: how a dynamic scale, or a DynamicLossScaler's counter, changed "
                    "in the step; update: whether the optimizer's count advanced (compiled functions with a static "
                    "scaler); loss: nowhere, and a NaN or infinite loss is all there is to see",
                ),
                "loss_scale": key(
                    {
                        "kind": key(Choice("dynamic", "fixed", "none"), "kind of loss scale"),
                        "class": key(text, "class that updates it"),
                        "initial": key(finite, "first value"),
                        "factor": key(finite, "factor of a change"),
                        "window": key(count, "steps without overflow before it grows"),
                        "drop_overflow_update": key(flag, "whether updates are left out on overflow"),
                        "place": key(PLACE, "where it was made"),
                        "floor": key(finite, "smallest value it may take"),
                    },
                    "the loss scale",
                ),
                "compiled_draws": key(
                    [
                        {
                            "draws": key(words, "the function, such as numpy.random.rand"),
                            "place": key(PLACE, "the function or construct that calls it"),
                        }
                    ],
                    "what compiled code draws from the shared generators of Python or NumPy: once, when it is compiled",
                ),
            }
        ],
        "the kinds of training step",
    ),
}

_AT_DTYPE = {"dtype": key(words, "element type"), "place": key(PLACE, "where")}

PRECISION = {
    "amp": key(
        [
            {
                "function": key(words, "auto_mixed_precision, Model or build_train_network"),
                "level": key(words, "level, e.g. O2"),
                **_AT_DTYPE,
            }
        ],
        "calls that set mixed precision",
    ),
    "to_float": key([{"class": key(words, "class of the cell"), **_AT_DTYPE}], "calls of to_float"),
    "parameter_dtypes": key(Map(count), "number of parameters by element type"),
    "cells_by_compute_dtype": key(Map(count), "number of cells by the type they compute in"),
    "casts": key(
        [
            {
                "code": key(words, "the expression"),
                **_AT_DTYPE,
                "in_network": key(flag, "whether it stands in a class of a network that was run"),
            }
        ],
        "casts in the user's own files, read from the source",
    ),
    "half_compute": key(flag, "whether float16 takes part in training; bfloat16 does not count"),
    "dtypes": key([words], "the types of half precision that take part"),
}

_PARAMETER_SHAPE = {"name": key(words, "name of the parameter"), "shape": key([count], "its shape")}

WEIGHTS_LOADED = {
    "loads": key(
        [
            {
                "function": key(words, "load_checkpoint or load_param_into_net"),
                "file": key(words, "the file"),
                "bytes": key(count, "size of the file, in bytes"),
                "md5": key(text, "MD5 checksum, of files up to 1 GB"),
                "error": key(text, "the error, where the call raised one"),
                "parameters": key(count, "parameters in the file"),
                "network": key(text, "load_param_into_net only, as all that follows but place: class of the network"),
                "optimizer": key(flag, "whether it was loaded into an optimizer"),
                "network_parameters": key(count, "parameters of the network, without what belongs to optimizers"),
                "loaded": key(count, "of them loaded"),
                "in_own_memory": key(
                    count,
                    "values that lay in the memory of the very parameters that they were loaded into: a load of nothing",
                ),
                "not_loaded": key([words], "names that the call returned as not loaded"),
                "not_in_network": key([words], "names of the file that the network does not have"),
                "missing": key(
                    [
                        {
                            **_PARAMETER_SHAPE,
                            "file_shape": key([count], "shape in the file"),
                            "last": key(flag, "whether no parameter after it was loaded"),
                        }
                    ],
                    "parameters of the network that were not loaded",
                ),
                "left_over": key([_PARAMETER_SHAPE], "parameters of the file without a place in the network"),
                "modules": key([[anything]], "first part of the path, parameters, of them loaded"),
                "network_used": key(flag, "whether that very instance was ever run"),
                "at_start": key(
                    {
                        "trained": key(count, "parameters of the network in training"),
                        "kept": key(count, "of them with the values loaded"),
                        "overwritten": key([words], "or whose layer was made anew in the same shapes"),
                        "names_in_network": key(
                            count, "of files that were only read: parameters with a name of the file"
                        ),
                        "names_alike": key(count, "or with its name and shape, were one prefix another"),
                    },
                    "before the first step of that network",
                ),
                "strict": key(flag, "strict_load"),
                "place": key(PLACE, "where it is called"),
                "step": key(count, "training steps done before"),
            }
        ],
        "calls that load weights",
    )
}

MODES = {
    "phases": key(
        [
            {
                "phase": key(
                    Choice("train", "eval", "predict", "forward"),
                    "forward: a call outside any gradient that no API names as evaluation or prediction",
                ),
                "via": key(words, "how it was called"),
                "root": key(words, "class of the network"),
                "network": key(count, "a number for each network that was called: classes may be the same"),
                "updated": key(flag, "whether an optimizer in use between these steps has weights of it that learn"),
                "resting": key([words], "outermost cells in inference mode below one in training mode"),
                "place": key(PLACE, "where it is called"),
                "first_step": key(count, "training steps done before the first call"),
                "last_step": key(count, "training steps done before the last call"),
                "calls": key(count, "number of calls"),
                "root_training": key(flag, "whether the network was in training mode"),
                "gradient": key(flag, "whether it is inside a gradient computation or training step"),
                "dependent": key(
                    [
                        {
                            "path": key(words, "path of the cell"),
                            "class": key(words, "its class"),
                            "training": key(flag, "whether it was in training mode"),
                            "use_batch_statistics": key(flag, "use_batch_statistics of a batch norm"),
                        }
                    ],
                    "cells that differ in training and inference",
                ),
            }
        ],
        "one entry per phase, network, modes and place",
    ),
}

DESIGN = {
    "file": key(words, "file that was given"),
    "frozen_parameters": key([words], "parameters that are to be frozen"),
    "shared_parameters": key([[words]], "groups of parameters that are to be shared"),
    "layers": key([words], "layers that the network is to have"),
    "loss": key(text, "loss that is to be used"),
    "shuffle": key(flag, "whether training data is to be shuffled"),
    "batch_size": key(count, "batch size"),
    "padding": key(
        {
            "side": key(text, "side that sequences are to be padded on"),
            "value": key(finite, "pad value"),
            "length": key(count, "length to pad to"),
        },
        "how sequences are to be padded",
    ),
}

_RATE_TRIAL = {
    "rate": key(finite, "learning rate of the first group"),
    "losses": key([number], "loss of each step, up to the first that is not finite"),
}

RANGE_TEST = {
    "low": key(finite, "first learning rate"),
    "high": key(finite, "last learning rate"),
    "steps": key(count, "steps done"),
    "asked": key(count, "steps asked for"),
    "lower": key(finite, "from here the loss falls"),
    "steepest": key(finite, "here the loss falls fastest"),
    "upper": key(finite, "highest rate before the loss rises"),
    "diverged": key(finite, "rate at which the loss diverged"),
    "why_not": key(Choice("few", "flat", "rough", "diverged_at_once"), "why there is no range"),
    "used": key(finite, "rate that the training uses"),
    "optimizer": key(words, "class of the optimizer"),
    "by": key(text, "probe: made by msprec run after the script"),
    "batches": key(count, "batches that a probe went over"),
    "overflows": key(count, "steps that overflowed"),
    "rates": key([finite], "learning rate of each step"),
    "losses": key([number], "loss of each step"),
    "trials": key(
        [_RATE_TRIAL],
        "of a run that leaves a doubt: its first weights trained anew on its first batches, each rate as many steps",
    ),
    "standardised": key([_RATE_TRIAL], "the same with inputs of mean 0 and deviation 1, where they are far from it"),
}
