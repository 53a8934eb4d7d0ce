"""facts/probes.json: what was done after the script had ended, on copies."""

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

#: Kinds of activations among the entries of ``units``.
ACTIVATIONS = ("relu", "sigmoid", "tanh")
#: Products of matrices among what ``linear_pairs`` names between two layers: with one that the step did not compute.
PRODUCTS = ("matmul", "bmm", "batchmatmul")

_SOURCE = Shape(
    "source of an array",
    {
        "operator": key(words, "operator that made it"),
        "place": key(PLACE, "where"),
        "cell": key(words, "path of the cell"),
        "given": key([finite], "the range that the operator gives"),
    },
)
_FEATURES = {
    "probabilities": key(flag, "whether the values are probabilities"),
    "log_probabilities": key(flag, "whether they are logarithms of probabilities"),
    "unit": key(flag, "whether all lie in 0 to 1"),
    "source": key(_SOURCE, "what made it"),
}
_ARRAY = Shape(
    "array",
    {
        "dtype": key(words, "element type"),
        "shape": key([count], "its shape"),
        "min": key(finite, "smallest value"),
        "max": key(finite, "largest value"),
        "distinct": key(count, "number of distinct values"),
        "whole": key(flag, "whether all are whole numbers"),
        "one_hot": key(flag, "whether rows are one-hot"),
        **_FEATURES,
    },
)
_OUTPUT = Shape(
    "output",
    {
        "operator": key(words, "operator that bounds the prediction"),
        "name": key(text, "its name in the source"),
        "place": key(PLACE, "where it is called"),
        "created": key(PLACE, "where its cell was made"),
        "low": key(finite, "least it can give; null: nothing bounds it"),
        "high": key(finite, "most it can give; null: nothing bounds it"),
        "plain": key(flag, "nothing but shapes, types and factors comes after it"),
        "linear": key(flag, "whether it is a layer with weights"),
        "before": key(
            {"operator": key(words, "operator"), "place": key(PLACE, "where it is called")},
            "what leaves it a part of its own range only, as relu does to sigmoid; null: nothing",
        ),
        "flat": key(flag, "whether its slope is 0 over a half-line"),
        "gradient": key(flag, "false: a step function, without a gradient"),
        "axes": key([count], "axes of a softmax"),
        "units": key(count, "size along them: over a single unit a softmax is constant"),
        "constant": key(finite, "that constant"),
        "shape": key([count], "shape of the output"),
    },
)
_TARGETS = Shape(
    "targets",
    {
        "dtype": key(words, "element type"),
        "shape": key([count], "their shape"),
        "min": key(finite, "smallest value"),
        "max": key(finite, "largest value"),
        "distinct": key(count, "number of distinct values"),
        "whole": key(flag, "whether all are whole numbers"),
        "one_hot": key(flag, "whether rows are one-hot"),
        "input": key(count, "which input of the step they are: factor · input + offset"),
        "inputs": key(count, "number of inputs of the step"),
        "input_dtype": key(text, "element type of that input"),
        "factor": key(finite, "factor"),
        "offset": key(finite, "offset"),
        "learnt": key(flag, "whether they are computed with weights"),
        "batches": key(count, "batches held"),
        "elements": key(count, "elements in them"),
        "below": key(count, "of them clearly below low"),
        "above": key(count, "of them clearly above high"),
        "beyond_values": key(count, "distinct values among these"),
        "rows": key(count, "rows along axis 1"),
        "several": key(count, "rows with several ones"),
        "not_one": key(count, "rows that do not add up to 1"),
    },
)
_REACH = Shape(
    "reach",
    {
        "even": key(number, "the loss without a leaning"),
        "inside": key(number, "its least within the range of the output"),
        "outside": key(number, "its least at all"),
        "settles": key(flag, "whether right scores cost no less when doubled"),
    },
)
_COMPARED = {
    "predicted": key(_ARRAY, "the prediction"),
    "output": key(_OUTPUT, "what bounds the prediction"),
    "targets": key(_TARGETS, "what it is compared with"),
}

_GRAPH = {
    "cells": key(
        [
            {
                "path": key(words, "path in the network"),
                "class": key(words, "class of the cell"),
                "builtin": key(flag, "whether MindSpore defines the class"),
                "loss": key(flag, "whether it belongs to the loss"),
                "calls": key(count, "number of calls"),
                "used": key(flag, "whether its result reaches the loss or is returned; null: it holds other cells"),
                "gradient": key(flag, "whether one of its own weights got a gradient that is not zero"),
                "created": key(PLACE, "the statement that made the cell"),
            }
        ],
        "the cells of the network",
    ),
    "unregistered": key(
        [
            {
                "class": key(words, "class of the cell"),
                "inside": key(words, "path of the cell that runs it"),
                "parameters": key([words], "names of its parameters"),
                "created": key(PLACE, "the statement that made the cell"),
            }
        ],
        "cells that ran and that no network holds",
    ),
    "loss_seen": key(flag, "false: what the loss was computed from was not seen; used is null then"),
    "linear_pairs": key(
        [
            {
                "first": key(words, "path of the first cell"),
                "second": key(words, "path of the cell that takes its result"),
                "class": key(words, "class of both"),
                "sizes": key([count], "inputs of the first, outputs of the first, outputs of the second"),
                "kernels": key([[count]], "kernel sizes of convolutions"),
                "groups": key([count], "groups of convolutions"),
                "between": key([words], "operators between them"),
                "created": key(PLACE, "the statement that made the second cell"),
                "place": key(PLACE, "the line that calls it"),
                "before": key(PLACE, "the line that calls the first cell"),
            }
        ],
        "linear layers in a row, without an activation between them",
    ),
}

_LOSSES = {
    "kind": key(
        Choice("softmax_cross_entropy", "nll", "bce", "bce_with_logits", "mse", "l1", more=True), "which loss it is"
    ),
    "name": key(words, "class or function"),
    "place": key(PLACE, "where it is called"),
    "settings": key(Map(anything), "its settings by name"),
    "weights": key([finite], "its weights of classes; null: none, or too many"),
    "predicted": _COMPARED["predicted"],
    "labels": key(_ARRAY, "the labels"),
    "exchanged": key(flag, "labels come first, where that matters"),
    "joined_columns": key(
        {
            "widths": key([count], "columns of each tensor, in order"),
            "place": key(PLACE, "where they were put together"),
        },
        "the prediction's columns were put together from several tensors; null: they were not",
    ),
    "rows_of_channels": key(
        {
            "shape": key([count], "shape of the convolution's result"),
            "operator": key(words, "what reshaped it"),
            "place": key(PLACE, "where"),
        },
        "the prediction's rows hold places of one channel: the axis of classes was not moved to the end before a reshape",
    ),
    "output": _COMPARED["output"],
    "targets": _COMPARED["targets"],
    "reach": key(_REACH, "which values the loss can take"),
    "shape": key([count], "shape of the loss"),
    "value": key(number, "its value"),
    "unreduced": key(flag, "whether it was left without a reduction"),
    "counted": key(
        {
            "samples": key(count, "samples of the batch that count"),
            "of": key(count, "samples of the batch"),
            "classes": key(Map(count), "how many of each class among those that count"),
        },
        "of a loss of each sample that is multiplied with zeros for some; null: all count",
    ),
    "recomputed": key(Map(number), "the value by kind of reduction: mean, sum, batch_mean"),
    "equals": key(text, "the kind of reduction that it equals"),
}

_BEHAVIOUR = {
    "kind": key(Choice("classes", "binary", "regression", "contrastive", "distillation"), "what it compares"),
    "repeatable": key(flag, "whether it gives the same again"),
    "class_weights": key([finite], "what one sample of each class counts; null: none of that class was there"),
    "domain": key(Choice("scores", "probabilities", "log_probabilities"), "what it takes"),
    "curve": key([number], "its values from far off the labels to them"),
    "way": key(Choice("falls", "rises"), "how these values go all along"),
    "pairs": key(flag, "whether it matters which label goes with which sample"),
    "idle": key(
        [number], "labels of a binary loss whose samples leave its value as it is, whatever is predicted for them"
    ),
    "together": key(count, "binary, of outputs from 0: the label whose samples it brings to 0, the others away"),
    "parts": key(flag, "whether it falls as the samples of the other label leave 0"),
    "sample_shift": key(flag, "unchanged where all scores of a sample are raised"),
    "class_shift": key(flag, "unchanged where one class's scores are raised"),
    "settles": key(flag, "right scores cost no less when doubled"),
    "smallest_at_labels": key(flag, "whether it is smallest at the labels"),
    "reach": key(_REACH, "which values it can take"),
    "family": key(
        {
            "name": key(text, "name of the known loss"),
            "settings": key(Map(anything), "its settings by name, numbers and flags, e.g. gamma"),
            "domain": key(Choice("scores", "probabilities", "log_probabilities"), "what it takes"),
            "batches": key(count, "batches it agrees on"),
        },
        "the known loss that its values are those of",
    ),
}

_OWN_LOSS = {
    "name": key(words, "name of the function"),
    "place": key(PLACE, "where it is called"),
    "promise": key(text, "the known loss that its name speaks of"),
    "value": key(number, "its value"),
    "equals": key([text], "the known loss and reduction whose value it has"),
    "candidates": key(Map(number), "values of known losses"),
    "variant": key(flag, "whether its code speaks of a variant (weighted, smoothed, …), or it was given more inputs"),
    "beside": key([count], "positions of further inputs of the step that it was given: second labels, weights, a mask"),
    "predicted": key([count], "shape of the prediction"),
    "labels": key([count], "shape of the labels"),
    "final": key(flag, "whether it is what was differentiated (times the loss scale); null: that was not seen"),
    "written": key(flag, "no function of its own: written out where the network is called; the next five only then"),
    "computed": key(flag, "its labels are computed in the step, as the noise of a diffusion model is"),
    "weighed": key(flag, "real numbers of the batch take part beside the labels, as an advantage does"),
    "direction": key(
        text,
        "falls or rises: what it does as predictions come to lean towards the labels, with such numbers 1 throughout",
    ),
    "purpose": key(flag, "its words speak of a loss that is not there to meet labels"),
    "shape": key([count], "shape of what is differentiated"),
    "features": key(_FEATURES, "of the prediction"),
    "output": _COMPARED["output"],
    "targets": _COMPARED["targets"],
    "behaviour": key(_BEHAVIOUR, "called again with predictions made up; null: not tried"),
    "separation": key(
        {
            "apart": key(number, "each class at a point of its own"),
            "together": key(number, "all classes at one point"),
            "mixed": key(number, "points shared across classes"),
        },
        "of a loss of features and class numbers that neither turning the features nor renaming the classes changes: its values "
        "where the features lie so; null: of another kind",
    ),
}

_UNITS = {
    "moments": key(
        [
            {
                "moment": key(Choice("start", "middle", "end"), "which weights: before the first step, …, as they are"),
                "step": key(count, "number of the step before which they were so; of the end, the last step"),
                "batches": key(count, "captured batches that were run"),
                "samples": key(count, "samples in them"),
                "entries": key(
                    [
                        {
                            "kind": key(Choice(*ACTIVATIONS, "softmax", "layer"), "layer: one with weights"),
                            "operator": key(words, "its name"),
                            "cell": key(words, "path of the cell that it runs in"),
                            "place": key(PLACE, "where it is called"),
                            "created": key(PLACE, "the statement that made its cell"),
                            "weight": key(words, "layer that is an operator: name of the parameter that it is given"),
                            "units": key(count, "units: channels, features"),
                            "samples": key(count, "samples seen"),
                            "dead": key(count, "relu: units that gave zero for all samples"),
                            "zeros": key(finite, "relu: share of all elements that are zero"),
                            "saturated": key(
                                finite,
                                "share of elements in saturation; softmax: of rows with a probability above 0.99, of "
                                "those with two scores or more that are not masked",
                            ),
                            "stuck": key(count, "sigmoid, tanh: units in saturation at one end for all samples"),
                            "spread": key(
                                finite,
                                "layer: distance of the samples' directions from their mean: 0 where all are one, 1 "
                                "where they cancel",
                            ),
                            "range": key(
                                finite, "layer: root mean square, over its elements, of the range over the samples"
                            ),
                            "alike": key(count, "units that gave the same for all samples"),
                            "input_alike": key(flag, "whether what it was given was the same for all samples"),
                            "hidden": key(flag, "whether a layer with weights comes after it"),
                            "direct": key(flag, "whether it is given what a layer gave, or that normalised"),
                            "gate": key(flag, "whether its result is a factor of a product"),
                            "sharpened": key(flag, "whether its input was made larger by a constant"),
                        }
                    ],
                    "activations and layers",
                ),
                "overflows": key(
                    [
                        {
                            "operator": key(words, "what made an infinity in float16 of finite values"),
                            "cell": key(words, "path of the cell that it runs in"),
                            "place": key(PLACE, "where it is called"),
                            "share": key(finite, "share of its elements on the first batch that has one"),
                        }
                    ],
                    "float16 overflows of the forward pass",
                ),
            }
        ],
        "the captured batches run forward with the weights of several moments",
    ),
}

_UPDATES = {
    "optimizer": key(text, "its class"),
    "place": key(PLACE, "where it is called, or where the step is defined"),
    "loss_divided": key(flag, "whether the loss is a quotient or product with a plain number; null: not seen"),
    "exchanged": key(
        [[text]],
        "names of parameters that are given the gradient of another one of their shape, each with that of the other",
    ),
    "of_others": key(
        [text], "names of the weights whose gradients it was given, where none is its own and none was changed"
    ),
    "updates": key(
        [
            {
                "update": key(count, "number of the update, of a cell among those of the probe"),
                "parts": key(count, "gradients computed since the update before"),
                "last_alone": key(
                    flag, "whether the optimizer was given the last of several alone, which `factor` is of then"
                ),
                "factor": key(finite, "what the optimizer was given is this times the sum of these gradients"),
                "left": key(finite, "and this times what it was given at the update before"),
                "rest": key(finite, "what that leaves, as a share of the norm"),
                "given_norm": key(finite, "norm of what the optimizer was given"),
                "computed_norm": key(finite, "norm of the mean of the computed gradients"),
            }
        ],
        "some updates",
    ),
}

_RECEIVED = {
    "batches": key(count, "captured batches that were compared"),
    "permuted": key(
        [
            {
                "rows": key(words, "column whose rows the step received in another order"),
                "against": key(words, "column whose rows it received as they were delivered"),
                "batches": key(count, "batches of which that holds"),
            }
        ],
        "columns that no longer belong to each other",
    ),
    "zeroed": key([words], "columns of which the step received zeros in every batch"),
}

_SEEN_TARGETS = {
    "input": key(count, "position of the input of which the targets are the tokens"),
    "shift": key(count, "places by which the targets lead it: 1 for the next token, 0 for the token itself"),
    "tried": key(count, "places at which the tokens were changed"),
    "before": key(finite, "largest change of predictions of the changed token (shift 0: before it), as a share of all"),
    "after": key(finite, "the same of predictions behind it"),
    "earlier": key(finite, "the same of the predictions before that of the changed token"),
    "own": key(finite, "shift 0: smallest change of the prediction of the changed place itself"),
    "loss_place": key(PLACE, "where the loss is computed"),
    "place": key(PLACE, "the first operation that carries the token to earlier places"),
    "operator": key(text, "that operation"),
}

_ATTENDED_PADDING = {
    "samples": key(count, "samples of the batch that are padded"),
    "softmaxes": key(
        [
            {
                "operator": key(words, "the softmax"),
                "place": key(PLACE, "where it is called"),
                "least": key(
                    finite, "smallest share of the weight of a real place of a padded sample that lies on padding"
                ),
                "mean": key(finite, "mean of that share"),
                "even": key(finite, "share of padding among the places of these samples"),
            }
        ],
        "softmaxes over the places of the sequences",
    ),
    "masks": key(
        [
            {
                "place": key(PLACE, "where it is made or used"),
                "on_padding": key(finite, "share of the places that it marks that are padding"),
                "turned": key(flag, "whether it is the right mask of the sequences turned round"),
            }
        ],
        "what marks as many places of each sample as are real",
    ),
    "hiding": key(
        [
            {
                "place": key(PLACE, "where it is made"),
                "real": key(finite, "share of the real places that it takes far below all others"),
                "padding": key(finite, "share of the padded places that it takes there"),
            }
        ],
        "what takes some places far below all others, as scores that a mask is added to",
    ),
    "means": key(
        [
            {
                "operator": key(words, "the mean"),
                "place": key(PLACE, "where it is called"),
                "share": key(finite, "share of padded places in the sum of the absolute values that are averaged"),
            }
        ],
        "means over the places of the sequences",
    ),
}

_LOST_INPUTS = {
    "operator": key(words, "what gives the same for all samples"),
    "place": key(PLACE, "where it is called"),
    "cell": key(text, "in which cell"),
    "left": key(count, "how many different samples it leaves of a batch: 1, or 2 of a norm over two numbers"),
}

_MERGED_IDS = {
    "operator": key(text, "operator that makes one of different ids"),
    "place": key(PLACE, "where it is called"),
    "before": key(count, "different ids in a batch before it"),
    "after": key(count, "and after it"),
    "share": key(finite, "share of the ids of the batch that became one with others"),
}

_LOOKUP = {
    "table": key(text, "name of the table"),
    "rows": key(count, "its rows"),
    "input": key(count, "the step's input whose ids are looked up in it, from 0"),
    "inputs": key(count, "inputs of the step"),
    "place": key(PLACE, "where"),
}

_POOLED_PLACES = {
    "operator": key(text, "operator that takes all places together"),
    "place": key(PLACE, "where it is called"),
    "share": key(finite, "share of the target that the place of what stands out of a sample explains (adjusted R²)"),
}

_FUNCTION_CLASS = {
    "by": key(
        text,
        "how the outputs follow the inputs: affine, linear (an affine map through the origin), scale (they grow as the inputs "
        "do), sign (they change their sign with them)",
    ),
    "widths": key(
        [count],
        "what the first layer with weights is given and each gives; absent: not all in a row, or not all inputs are real",
    ),
    "places": key([PLACE], "where each of these layers is called, or made in a container"),
    "whole": key(
        finite,
        "how well the nearest of other samples tell the targets: share of their variance, or of the way from the most frequent "
        "class to all right",
    ),
    "part": key(finite, "how well other samples tell them in the way of such outputs"),
}

_ROUGH_ANGLES = {
    "operator": key(words, "what takes a sine or cosine"),
    "place": key(PLACE, "where it is called"),
    "cell": key(text, "in which cell"),
    "largest": key(finite, "the largest magnitude of the numbers that it is given, in radians"),
    "step": key(finite, "how far its neighbours of the element type lie apart there, in radians"),
    "dtype": key(words, "the element type: float16, bfloat16"),
}

_INTERLEAVED_CHANNELS = {
    "channels": key(count, "channels of the pictures (samples, channels, height, width)"),
    "apart": key([finite], "mean difference of values in a row that are 1, 2, … places apart"),
}

_TOGETHER = "correlation of neighbours in the row of a sample's values"
_INTERLEAVED_SERIES = {
    "steps": key(count, "steps of the series (samples, steps, channels)"),
    "channels": key(count, "channels of the series"),
    "within_steps": key(finite, f"{_TOGETHER}, of one step"),
    "across_steps": key(finite, f"{_TOGETHER}, the last of a step and the first of the next"),
    "steps_apart": key(finite, "correlation of values of one channel and two steps that follow one another"),
    "at_borders": key(finite, f"{_TOGETHER}, where as many values as there are steps end"),
}

_EQUAL_INPUTS = {
    "inputs": key([count], "positions of the two inputs"),
    "batches": key(count, "batches that were compared"),
}

_MASKED_TARGETS = {
    "mask": key(count, "position of the input that is the mask"),
    "targets": key(count, "position of the input that are the targets"),
    "value": key(finite, "the one number of the targets where the mask is 1"),
    "share": key(finite, "share of the places where it is 1"),
    "place": key(PLACE, "where errors are multiplied by it"),
}

_ATTENDED_NEIGHBOURS = {
    "operator": key(words, "the softmax"),
    "place": key(PLACE, "where it is called"),
    "given_by": key(PLACE, "where the scores that it is given were made, with their mask"),
    "share": key(finite, "share of its weight that lies on the neighbours of the nodes"),
    "even": key(finite, "share of pairs of nodes that are neighbours"),
}

_ORIENTATION = {
    "samples": key(count, "samples that were looked at"),
    "square": key(flag, "whether the pictures are as wide as they are high"),
    "fits": key(
        [
            {
                "turn": key(text, "how the picture has to be turned for its target to fit: as given, left to right, …"),
                "samples": key(count, "samples whose target fits far better so than in any other way"),
            }
        ],
        "in which orientation targets go along with the values of their pictures, where that is clear",
    ),
}

_BOX_CORNERS = {
    "input": key(count, "which input of the step holds two corners of boxes"),
    "samples": key(count, "samples that were looked at"),
    "smaller": key([count], "in how many of them the second corner's number is the smaller one: across, down"),
}

_ATTENTION_AXES = {
    "operator": key(words, "the softmax, or what makes vectors of length one"),
    "place": key(PLACE, "where it is called"),
    "product": key(PLACE, "where its result is multiplied with values, or with other vectors of length one"),
    "shape": key([count], "shape of the weights in that product"),
    "axis": key(number, "axis, counted from the end, along which they add up to one, or have length one"),
    "summed": key(number, "axis over which the product sums"),
    "unit_length": key(flag, "both factors are vectors of length one, no softmax; absent: a softmax"),
}

_RESHAPED_AXES = {
    "operator": key(words, "the reshape"),
    "place": key(PLACE, "where it is called"),
    "given": key([count], "shape before"),
    "made": key([count], "shape after"),
    "size": key(count, "size of an axis that stands in both, and behind another number of elements in the second"),
}

_MADE_AND_REAL = {
    "operator": key(words, "what bounds the numbers that a layer was given by other layers"),
    "place": key(PLACE, "its line"),
    "created": key(PLACE, "where its cell is made"),
    "low": key(finite, "the smallest that it can give"),
    "high": key(finite, "the largest"),
    "real_place": key(PLACE, "where the same layer is given samples of the batch"),
    "min": key(finite, "their smallest number"),
    "max": key(finite, "their largest"),
    "elements": key(count, "how many numbers they are"),
    "beyond": key(count, "how many of them lie beyond what can be given"),
}

_UNREAD_PLACES = {
    "shape": key([count], "of the input"),
    "axis": key(count, "the axis of the places"),
    "unread": key(Choice("first", "last"), "which of them the loss does not depend on"),
    "read": key(count, "places at the other side that it may depend on"),
    "operator": key(words, "what takes what differs and gives the same; null: it was not found"),
    "place": key(PLACE, "where"),
    "forgets": key(flag, "whether a recurrent layer ran, behind which early places may change nothing"),
    "pads": key([PLACE], "what pads before it"),
}

_MIXED_SAMPLES = {
    "operator": key(words, "the first operation in a network whose result for a sample depends on the other samples"),
    "name": key(words, "its plain name"),
    "cell": key(words, "path of the cell that it runs in"),
    "place": key(PLACE, "where it is called"),
    "created": key(PLACE, "where its cell was made; null of a function"),
    "rows": key(count, "length of the first axis of all that the step was called with"),
    "matrix": key(flag, "whether it is given a matrix of rows by rows, as a graph has one of its nodes"),
    "one_label": key(flag, "whether something that the step was called with has one value for each place of that axis"),
}

_TARGET_IN_INPUTS = {
    "input": key(count, "which input of the step holds the targets"),
    "column": key(
        count, "which number of a sample, of the last step of a sequence, or of each step of a window, they are"
    ),
    "steps": key(
        count, "how many of several targets, from the first on, are the last steps of that window; absent: of one"
    ),
    "of_targets": key(count, "how many targets a sample has; absent: one"),
    "target": key(count, "which input of the step the targets are"),
    "samples": key(count, "samples of the captured batches, in all of which they are the same"),
}

_FIRST_LAYERS = {
    "layers": key(
        [
            {
                "operator": key(words, "the layer"),
                "place": key(PLACE, "where it is called"),
                "normalizes": key(flag, "whether it is a normalisation"),
                "normalized": key(
                    flag, "whether what it gives goes into a normalisation alone, which gives numbers of unit scale"
                ),
                "min": key(number, "smallest of the numbers that it is given"),
                "max": key(number, "largest"),
                "mean": key(number, "mean"),
                "std": key(number, "standard deviation"),
            }
        ],
        "layers with weights that it enters before any other; empty: none",
    ),
}

_TELLING_COLUMN = {
    "strength": key(
        finite, "2 |A - 1/2| of two classes, A the area under the curve of that number alone; else |correlation|"
    ),
    "input": key(count, "which input of the step"),
    "column": key(count, "which number of a sample"),
    "samples": key(count, "samples of the captured batches"),
}

_CATEGORY_NUMBERS = {
    "column": key(count, "which number of a sample, of all inputs of real numbers"),
    "columns": key(count, "numbers of a sample"),
    "levels": key(count, "different numbers in that column"),
    "samples": key(count, "samples of the captured batches"),
    "by_level": key(number, "share of the targets' variance that its levels tell beside the other columns, adjusted"),
    "by_number": key(number, "share that a smooth curve over its numbers tells, or the levels beside each"),
}

_TOKEN_TARGETS = {
    "places": key(count, "places of the captured batches that have a target"),
    "constant": key(number, "share of the most frequent target"),
    "own": key(number, "share of places whose target is the most frequent one, in other samples, of their own token"),
    "shift": key(number, "where another token stands, from 2 places before to 2 after, whose share is the largest"),
    "shifted": key(number, "that share"),
    "same": key(number, "largest share of targets that are the very number of the token there or up to 2 places off"),
    "marks": key(
        flag,
        "every sample begins and ends with one token, its targets begin at the first, and its last two places have none",
    ),
}

_PREDICTED_TOKENS = {
    "ahead": key(number, "places between an output and the token that is its target: 1 for the next one"),
    "places": key(count, "places of the captured batch that have a target"),
    "left_out": key(
        count,
        "different tokens at the places whose target does not count, where every target is the token of its own place",
    ),
    "place": key(PLACE, "where the loss is computed"),
    "picked": key(PLACE, "where the targets were picked from longer sequences; null: nowhere"),
}

_TOKEN_USE = {
    "place": key(PLACE, "where the tokens are looked up"),
    "operator": key(words, "by what"),
    "padding_alone": key(
        flag, "whether the loss changes with the padding and not with the real tokens of padded samples"
    ),
    "order_lost": key(
        flag, "whether the loss changes with the tokens, and not with the order of the places, the targets' alike"
    ),
    "pairs": key(count, "neighbours among the places of one sample that hold the same token"),
    "different": key(count, "of these with different targets"),
}

_COMPARED_INPUTS = {
    "samples": key(count, "pairs of the captured batches"),
    "closer": key(
        finite, "share of all twos of a pair labelled 1 and one labelled 0 whose inputs are closer in the former"
    ),
    "closer_outputs": key(finite, "the same of the outputs, in one batch"),
    "equal": key(finite, "largest size of the output for pairs of one input with itself"),
    "usual": key(finite, "mean size of the output"),
}

_LABEL_CONTROL = {
    "samples": key(count, "different samples of the captured batches"),
    "agreement": key(finite, "share of them whose nearest neighbour has the same label"),
    "shuffled": key(finite, "mean of that share over shuffled labels"),
    "spread": key(finite, "its standard deviation over shuffled labels"),
    "shifted": key(
        finite, "share of them whose nearest neighbour holds their values moved by a few places: windows of a series"
    ),
    "alike": key([[words]], "pairs of classes whose samples have neighbours of the one as often as of the other"),
}

_TARGET_CONTROL = {
    "samples": key(count, "different samples of the captured batches"),
    "explained": key(finite, "share of their targets' variance that the better of the two tells of samples left out"),
    "by": key(words, "`linear` (a ridge regression) or `neighbours` (the mean of the five nearest)"),
}

_TRAVELLED = {
    "step": key(count, "step before which the weights were copied last"),
    "share": key(finite, "share of the way from the first weights to these that the weights of the end have gone"),
    "alike": key(finite, "cosine of the two ways"),
}

_CLASS_NUMBERS = {
    "input": key(count, "position of the step's input that the targets are"),
    "samples": key(count, "different samples of the captured batches"),
    "classes": key(count, "different targets, at equal distances"),
    "agreement": key(finite, "share of the samples whose nearest neighbour has the same target"),
    "apart": key(finite, "numbers between a sample's target and that of the nearest sample with another one, mean"),
    "renumbered": key(finite, "median of that over classes numbered at random"),
    "closer": key(finite, "share of these numberings with a smaller mean"),
}

_LOSS_PLACES = {
    "places": key(count, "places of the sequences of one batch"),
    "padded": key(count, "of these behind the end of a sequence"),
    "padded_counted": key(count, "padded places at which the loss has a gradient"),
    "real_counted": key(count, "the same of all other places"),
    "left_out": key(
        count, "the class of all real places without a gradient, which no place with one has; null: there is none"
    ),
    "place": key(PLACE, "where the factor of the loss's elements is made, or the loss is computed"),
    "created": key(PLACE, "where the loss was made; null of a function"),
}

_TERMS = {
    "place": key(PLACE, "where it is computed"),
    "start": key(finite, "its value on the first captured batch, with the weights of the start"),
    "end": key(finite, "and with those of the end"),
    "gradient_start": key(finite, "norm of its gradient for all trained weights, at the start"),
    "gradient_end": key(finite, "at the end"),
    "rest_start": key(finite, "the same of all other terms together, at the start"),
    "rest_end": key(finite, "at the end"),
    "of_weights": key(flag, "whether it is computed from weights alone, as a penalty of their size is"),
    "weighed_by_zero": key(
        flag, "whether it is 0 throughout, and a single number that the step is given, 0 in each batch held, enters it"
    ),
    "no_gradient": key([words], "weights to which its gradient is zero, at the start and at the end"),
    "fits": key(
        [
            {
                "kind": key(words, "kind of the loss"),
                "start": key(finite, "mean over all elements of some captured batches, with the weights of the start"),
                "end": key(finite, "with the weights of the end"),
                "constant": key(finite, "what the best prediction that does not look at the inputs reaches on them"),
                "samples": key(count, "samples of these batches"),
            }
        ],
        "its comparisons with targets of the step; empty: none, or others too",
    ),
}

_FURTHER = Shape(
    "further training",
    {
        "rate": key(finite, "learning rate of the run"),
        "batches": key(count, "batches of one pass that were trained on, in turn"),
        "apart": key(flag, "whether the batches that were only looked at are others of that pass"),
        "before": key([number], "losses of those, with the weights that the script left"),
        "trials": key(
            [
                {
                    "rate": key(finite, "learning rate of the first group"),
                    "losses": key([number], "loss of each step, up to the first that is not finite"),
                    "after": key([number], "losses of the batches that were only looked at, afterwards"),
                }
            ],
            "the same weights trained on: at the run's rate, or, where that brought next to nothing, at higher ones; of a run "
            "that was not finite within a few steps (before: empty) these steps from the first weights, at lower ones too",
        ),
        "without_decay": key(
            {
                "steps": key(count, "steps trained on"),
                "after": key([number], "losses of the batches that were only looked at, afterwards"),
            },
            "the trial at the run's rate made again, what the optimizer's weight decay does undone at each step; null: it has no "
            "decay, or no time was left",
        ),
    },
)

PROBES = {
    "budget": key(finite, "seconds that probing may take, of the process's own where a CPU computes"),
    "seconds": key(finite, "seconds it took"),
    "took": key(Map(finite), "seconds that each probe took"),
    "skipped": key(
        Map(text), "why probes were left out, by probe: batch, ranks, other_rank, share, waits: …, side_effect: …, …"
    ),
    "graph": key(_GRAPH, "one training step, run again"),
    "reshaped_axes": key([_RESHAPED_AXES], "reshapes that give an axis the place of another, as a transpose would"),
    "made_and_real": key(
        [_MADE_AND_REAL], "layers that were given both samples and what other layers made, within bounds"
    ),
    "units": key(_UNITS, "what units give on the captured batches"),
    "received": key(_RECEIVED, "what the step was called with beside what the pipeline had delivered"),
    "box_corners": key(_BOX_CORNERS, "which way round the corners of boxes are"),
    "orientation": key(_ORIENTATION, "how masks lie on their pictures"),
    "seen_targets": key(_SEEN_TARGETS, "whether a prediction of the next token changes with that token"),
    "attended_padding": key(_ATTENDED_PADDING, "how much of attention, and of means over sequences, lies on padding"),
    "attended_neighbours": key([_ATTENDED_NEIGHBOURS], "how much of attention over a graph lies on neighbours"),
    "lost_inputs": key([_LOST_INPUTS], "where samples that differ become the same on their way to a layer"),
    "merged_ids": key(_MERGED_IDS, "ids that become one before they are looked up"),
    "lookups": key([_LOOKUP], "which inputs each table of weights is looked up by"),
    "pooled_places": key(_POOLED_PLACES, "a pooling over all places, and how far the target is a place"),
    "function_class": key(
        _FUNCTION_CLASS, "how the outputs follow the inputs, and what such outputs can tell of the targets"
    ),
    "rough_angles": key([_ROUGH_ANGLES], "sines and cosines of numbers too large for their element type"),
    "masked_targets": key(_MASKED_TARGETS, "a mask that counts places alone whose targets are one number"),
    "equal_inputs": key(_EQUAL_INPUTS, "two inputs that enter one layer and hold the same numbers"),
    "interleaved_channels": key(_INTERLEAVED_CHANNELS, "whether the values of pictures lie channel beside channel"),
    "interleaved_series": key(_INTERLEAVED_SERIES, "whether the channels of series follow one another"),
    "token_targets": key(_TOKEN_TARGETS, "the token of which place in a sequence the target of a place follows from"),
    "predicted_tokens": key(
        [_PREDICTED_TOKENS], "of each cross entropy with tokens for targets, which token an output is held against"
    ),
    "token_use": key(_TOKEN_USE, "what of sequences of token ids the loss depends on"),
    "compared_inputs": key(_COMPARED_INPUTS, "two inputs of one network that compares them"),
    "unread_places": key([_UNREAD_PLACES], "inputs of which only the first or the last places change the loss"),
    "loss_places": key(_LOSS_PLACES, "which places of padded sequences a cross-entropy counts"),
    "mixed_samples": key(
        _MIXED_SAMPLES, "whether results of a sample depend on the others of its batch, in inference mode"
    ),
    "inference_loss": key(
        {"batches": key(count, "captured batches, the last ones"), "loss": key(number, "mean loss")},
        "loss in inference mode, with the weights of the end, of networks with a dropout of half or more",
    ),
    "target_in_inputs": key(_TARGET_IN_INPUTS, "the inputs hold the targets, and the loss changes with these numbers"),
    "first_layers": key([_FIRST_LAYERS], "of each input of the step what the first layers are given of it"),
    "category_numbers": key(_CATEGORY_NUMBERS, "the column of inputs of which the levels tell more than the number"),
    "telling_column": key(_TELLING_COLUMN, "the number of a sample's inputs that tells most about its target"),
    "label_control": key(_LABEL_CONTROL, "whether labels follow from the inputs"),
    "travelled": key(_TRAVELLED, "how far the weights of the end lie from the first, beside a late copy"),
    "target_control": key(_TARGET_CONTROL, "what simple predictors tell of the targets of a mean squared error"),
    "class_numbers": key(_CLASS_NUMBERS, "whether targets taken for amounts lie in the order of their numbers"),
    "attention_axes": key(
        [_ATTENTION_AXES],
        "softmaxes, and vectors of length one, along another axis than the one that a product sums over",
    ),
    "further": key(_FURTHER, "the last weights trained on, of a run that leaves a doubt; absent: it leaves none"),
    "terms": key([_TERMS], "the terms of which the loss is the sum"),
    "gradients": key(_UPDATES, "what the optimizer is given beside the gradients of its batches, computed again"),
    "evaluations": key(
        [
            {
                "phase": key(text, "phase, as in modes.json"),
                "via": key(words, "how it was called"),
                "network": key(count, "number of the network"),
                "place": key(PLACE, "the call"),
                "first_step": key(count, "training steps done before the first such call"),
                "called": key([words], "paths of the cells that ran"),
                "random": key(
                    [
                        {
                            "operator": key(words, "operator whose result differed"),
                            "cell": key(words, "path of its cell"),
                            "place": key(PLACE, "the expression"),
                        }
                    ],
                    "operators that draw at random: their results differ between two calls with the same input",
                ),
            }
        ],
        "calls outside training, made twice after the run",
    ),
    "losses": key([_LOSSES], "losses of MindSpore"),
    "other_losses": key(
        [
            {
                "kind": key(
                    text, "residual (a difference that is squared or made absolute), kl_div, focal, multi_label"
                ),
                "name": key(words, "operator"),
                "place": key(PLACE, "where it is called"),
                "settings": key(Map(anything), "its settings by name"),
                "weights": key([finite], "its weights of classes; null: none, or too many"),
                **_COMPARED,
            }
        ],
        "other operators that compare",
    ),
    "own_losses": key([_OWN_LOSS], "losses of the user's own"),
    "differentiated": key(
        {
            "of": key(
                Choice("loss", "sum", "first"),
                "of all outputs, or of the first, which is not the loss; null: of neither",
            ),
            "outputs": key([[count]], "shapes of the outputs"),
            "name": key(words, "name of the function"),
            "place": key(PLACE, "where it is defined"),
        },
        "what the optimizer's gradients are those of, where the function gives several",
    ),
    "written_loss": key(
        {
            "why": key(
                Choice("outputs", "labels", "several", "unused", "unseen"),
                "why what the step writes out was not tried: several outputs of networks make it; nothing to compare "
                "with; several inputs may be the labels; class numbers take no part; it was not seen",
            ),
            "direction": key(
                text,
                "falls or rises: what it does as predictions come to lean towards the labels, with such numbers 1 throughout",
            ),
            "purpose": key(flag, "its words speak of a loss that is not there to meet labels"),
            "place": key(PLACE, "where it is written"),
        },
        "of a step without any loss that is known",
    ),
    "labels": key(
        {
            "samples": key(count, "samples looked at"),
            "classes": key(count, "number of classes"),
            "suspects": key(count, "samples whose label is doubtful"),
            "accuracy": key(finite, "accuracy on these samples"),
            "majority": key(finite, "share of the most frequent label"),
            "surest": key(count, "samples in the surer half of the predictions"),
            "surest_wrong": key(count, "of them not predicted as labelled"),
            "saturated": key(finite, "share of samples whose probability is 1 but for a millionth"),
            "examples": key(
                [
                    {
                        "position": key(count, "position of the sample"),
                        "label": key(count, "its label"),
                        "predicted": key(count, "class predicted"),
                        "probability": key(finite, "probability of that class"),
                        "own": key(finite, "probability of the label"),
                    }
                ],
                "some of them",
            ),
            "alike": key([[words]], "pairs of classes that the network knows for one of the two and cannot tell which"),
        },
        "the labels by the final weights, over the first batches",
    ),
    "broadcasts": key(
        [
            {
                "operator": key(words, "the operator"),
                "place": key(PLACE, "where it is called"),
                "called": key(PLACE, "where the function around it is called from"),
                "shapes": key([[count]], "shapes of its inputs"),
                "label": key(count, "which of them is the label"),
            }
        ],
        "broadcasts of labels against predictions",
    ),
    "softmax_axes": key(
        [
            {
                "operator": key(words, "the operator"),
                "place": key(PLACE, "where it is called"),
                "created": key(PLACE, "where its cell was made; null of a function"),
                "shape": key([count], "shape of its input"),
                "axes": key([count], "axes over which sums are 1, as measured"),
            }
        ],
        "softmaxes of what a loss compares with class numbers, over another axis than 1, that of the classes",
    ),
    "signed_targets": key(
        [
            {
                "name": key(words, "the loss"),
                "place": key(PLACE, "where it is called"),
                "min": key(finite, "its least target"),
                "max": key(finite, "its largest target"),
                "elements": key(count, "targets of the step"),
                "other": key(count, "of them neither 1 nor -1"),
            }
        ],
        "losses whose targets are to be 1 and -1",
    ),
    "stopped_predictions": key(
        [
            {
                "operator": key(words, "what stops the gradient"),
                "place": key(PLACE, "where"),
                "compared": key(PLACE, "where the two are compared"),
            }
        ],
        "comparisons whose prediction is stopped, while the target, made of data and a network's output, is not",
    ),
    "reconstruction": key(
        {
            "input": key(count, "which input of the step a loss compares a network's output with, that is made of it"),
            "samples": key(count, "samples of the batch"),
            "of_inputs": key(
                finite,
                "how far that output changes when each sample is put in another's place, over the spread of the inputs",
            ),
            "place": key(PLACE, "where the loss is called"),
        },
        "a loss that compares what a network makes of its inputs with these inputs",
    ),
}
