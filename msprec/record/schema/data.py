"""What the training was fed with: datasets, inputs, the sheet of labels, files of data and those of a reference."""

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

HISTOGRAM = Shape(
    "histogram",
    {
        "edges": key([finite], "edges of the bins, 65"),
        "counts": key([finite], "values in each bin, 64: of a regular sample of each large batch, times its interval"),
    },
)

COLUMN = {
    "name": key(text, "name of the column"),
    "dtype": key(text, "element type"),
    "kind": key(Choice("float", "int", "bool", "string", "other"), "kind of the element type"),
    "shape": key([count], "shape of one sample; null in a place that varies"),
    "batched": key(flag, "whether the first axis delivered is that of the batch"),
    "varying_shape": key(flag, "whether shapes differ from sample to sample"),
    "elements": key(count, "elements seen"),
    "nan": key(count, "of them NaN"),
    "inf": key(count, "of them infinite"),
    "first_nonfinite": key([count], "positions in the first pass of samples that hold NaN or infinity, at most 10"),
    "nonfinite_samples": key(count, "samples that hold NaN or infinity"),
    "min": key(finite, "smallest finite element"),
    "max": key(finite, "largest finite element"),
    "mean": key(finite, "mean of the finite elements"),
    "std": key(finite, "standard deviation of the finite elements"),
    "zeros": key(count, "elements that are zero"),
    "distinct": key(count, "number of distinct values; null when more than 4096"),
    "channels": key(
        Shape(
            "channels",
            {
                "axis": key(anything, "axis in the batch: images (N,C,H,W) and (N,H,W,C): C; 2-D: the features"),
                "mean": key([finite], "mean of each channel"),
                "std": key([finite], "standard deviation of each channel"),
                "min": key([finite], "smallest value of each channel"),
                "max": key([finite], "largest value of each channel"),
                "histograms": key([HISTOGRAM], "one each, of 2 to 12 channels; empty without a finite value"),
            },
        ),
        "statistics by channel",
    ),
    "histogram": key(HISTOGRAM, "histogram of the finite elements"),
    "values": key(Map(count), "counts by value, where distinct ≤ 1024 and a sample is one value"),
    "suspects": key(
        [
            {
                "feature": key(count, "position of the feature; null: over all"),
                "value": key(finite, "the repeated extreme value"),
                "count": key(count, "how often it occurs"),
                "share": key(finite, "share of the elements"),
                "nearest_other": key(finite, "the other value nearest to it"),
                "others_low": key(finite, "smallest other value"),
                "others_high": key(finite, "largest other value"),
                "others_distinct": key(count, "number of distinct other values"),
                "first_samples": key([count], "positions of the first samples that hold it"),
            }
        ],
        "repeated extreme values of a float column: candidates for a missing-value mark, which the check judges",
    ),
    "between_features": key(
        {
            "features": key(count, "features of a sample"),
            "levels": key(count, "distinct values over all features"),
            "neighbours": key(finite, "mean correlation of features side by side"),
            "apart": key(finite, "mean correlation of features far from each other"),
        },
        "how the features of a float column go together: whether they are one quantity, as the pixels of a picture",
    ),
    "empty_strings": key(count, "texts that are empty"),
    "element_values": key(Map(count), "counts of elements by value, of whole numbers with several in a sample"),
    "row_sums": key(
        {
            "rows": key(count, "samples"),
            "one": key(count, "samples whose sum is 1 (within 0.01)"),
            "zero": key(count, "samples whose sum is 0"),
            "min": key(finite, "smallest sum"),
            "max": key(finite, "largest sum"),
        },
        "sums of a float sample's values, where there are several",
    ),
    "repeated_batches": key(count, "batches of at least 4 samples all of which are the same"),
}

ORDER = {
    "passes": key(
        [
            {
                "pass": key(count, "number of the pass, from 1"),
                "samples": key(count, "samples delivered"),
                "complete": key(flag, "whether it went over the whole set"),
                "iterator": key(count, "number of the iterator it belongs to"),
                "first_keys": key([text], "fingerprints of the first 8 samples"),
                "same_order_as_first": key(flag, "null for pass 1, or when too short to tell (fewer than 2 batches)"),
                "compared_samples": key(count, "positions compared with pass 1"),
                "equal_samples": key(count, "of them equal"),
                "expected_equal": key(
                    finite, "the same, expected of a random order where samples are copies of each other"
                ),
                "common_share": key(
                    finite, "share of its samples that pass 1 delivered too, wherever; null: pass 1 or keys left out"
                ),
                "labels_seen": key(count, "labels of the pass, from its first on, that the following were counted in"),
                "label_changes": key(finite, "neighbours whose labels differ"),
                "expected_changes": key(finite, "the same, expected in a random order of the same labels"),
                "label_segment_dependence": key(
                    finite,
                    "mutual information of label and position (16 segments) ÷ entropy of the label, bias-corrected",
                ),
                "random_runs_dependence": key(
                    finite,
                    "the same of the runs of one label in random order; null where there are hardly any runs",
                ),
            }
        ],
        "order of the samples, pass by pass: of the first three, and of later ones that there was time to look at",
    ),
    "new_iterator_each_pass": key(flag, "whether each pass has an iterator of its own"),
    "sketch": key(
        {
            "pass": key(count, "number of the pass"),
            "samples": key(count, "samples in it"),
            "distinct": key(count, "distinct fingerprints"),
            "whole": key(flag, "whether keys holds all of them"),
            "keys": key([text], "the 512 smallest fingerprints"),
        },
        "distributed runs only: fingerprints of the first pass, to compare ranks by",
    ),
}

DATASETS = {
    "reshapes": key(
        [
            {
                "place": key(PLACE, "where it is laid out"),
                "array": key(words, "the name of the array"),
                "shape": key([count], "its shape"),
                "sizes": key([count], "the shape that it is given"),
            }
        ],
        "arrays of the script itself that a reshape gives the sizes of their own shape in another order, or the last axis first",
    ),
    "datasets": key(
        [
            {
                "id": key(anything, "number of the data set"),
                "role": key(Choice("train", "eval", "predict", "unknown"), "train: its batches fed training steps"),
                "pipeline": key(
                    [
                        {
                            "op": key(text, "class name of a source, method name of a step (batch, shuffle, map, …)"),
                            "args": key(
                                Map(anything),
                                "arguments by name; a map's hold operations and input_columns, an "
                                "ImageFolderDataset's classes",
                            ),
                            "place": key(PLACE, "where it is called"),
                            "callers": key(
                                [PLACE], "the user's calls around that one, the innermost first, four at most"
                            ),
                            "draws": key(
                                text,
                                "what the user's code in it draws from the shared generators of Python or NumPy for each "
                                "sample, such as numpy.random.normal; null: nothing that is seen, or seeded by itself",
                            ),
                            "seeds": key(
                                {
                                    "what": key(words, "such as numpy.random.default_rng"),
                                    "place": key(PLACE, "where it is called"),
                                },
                                "what the user's code in it makes or seeds a random generator with for each sample; null: "
                                "nothing that is seen",
                            ),
                        }
                    ],
                    "first the source, last what the script iterates",
                ),
                "shuffle": key(
                    {
                        "declared": key(flag, "any means of shuffling that the pipeline declares and that has effect"),
                        "means": key([words], "these means, e.g. shuffle(buffer_size=2)"),
                        "buffer_size": key(count, "samples in the shuffle buffer"),
                        "seekable_source": key(flag, "whether the source is accessed by position"),
                    },
                    "how the order is made random",
                ),
                "sharding": key(
                    {"num_shards": key(count, "number of shards"), "shard_id": key(count, "the shard of this rank")},
                    "division among ranks",
                ),
                "repeat": key(finite, "how often the pipeline repeats its source"),
                "batch_size": key(count, "samples in a batch"),
                "passes": key(count, "iterations begun over the whole set; a repeat(k) counts k"),
                "batches": key(count, "batches delivered"),
                "fed": key(count, "gradient computations before which it was the last to deliver"),
                "passed_over": key(
                    count, "batches delivered between two training steps of one pass and not used by the second"
                ),
                "other_calls": key(count, "calls of a network outside training, likewise"),
                "samples": key(count, "samples delivered"),
                "samples_per_pass": key(count, "samples of the longest complete pass"),
                "scanned": key(
                    {
                        "samples": key(count, "samples looked at"),
                        "share": key(finite, "share of those delivered"),
                        "why_not_all": key(words, "why not all were looked at"),
                    },
                    "what the column statistics rest on",
                ),
                "columns": key([Shape("column", COLUMN)], "the columns delivered"),
                "padding": key(
                    [
                        {
                            "column": key(text, "name of the column"),
                            "rows": key(count, "rows looked at"),
                            "kind": key(Choice("int", "float"), "kind of the element type"),
                            "lengths": key([count], "smallest and largest length of a row as delivered"),
                            "value": key(finite, "the pad value"),
                            "share": key(finite, "share of the elements that are padding"),
                            "right_only": key(count, "rows padded on the right"),
                            "left_only": key(count, "rows padded on the left"),
                            "both": key(count, "rows padded on both sides"),
                            "longest": key(count, "longest run of padding"),
                            "inside": key(count, "pad values among the real ones"),
                            "inside_rows": key(count, "rows with such values"),
                            "mask": key(
                                {
                                    "column": key(text, "name of the mask's column"),
                                    "padded": key(count, "padded elements"),
                                    "real": key(count, "real elements"),
                                    "padded_on": key(count, "padded elements that the mask lets through"),
                                    "real_off": key(count, "real elements that the mask leaves out"),
                                    "inverted": key(flag, "whether ones mark the padding"),
                                },
                                "the mask beside it; one not called so counts only where it agrees",
                            ),
                            "length": key(
                                {
                                    "column": key(text, "name of the column of lengths"),
                                    "agrees": key(finite, "share of the rows where it agrees"),
                                },
                                "the column that gives the real lengths",
                            ),
                        }
                    ],
                    "columns of sequences that are filled up",
                ),
                "label": key(
                    {
                        "column": key(text, "name of the label's column"),
                        "kind": key(
                            Choice("class", "one_hot", "multi_hot", "regression", "sequence"), "kind of the labels"
                        ),
                        "why": key(words, "why this column is taken for the label"),
                        "guess": key(flag, "whether that is a guess, from names and places alone"),
                        "counts": key(Map(count), "samples by class over one complete pass, else over all seen"),
                        "counted_samples": key(count, "samples counted"),
                        "complete_pass": key(flag, "whether a complete pass was counted"),
                    },
                    "the label",
                ),
                "order": key(ORDER, "order of the samples"),
                "contradictions": key(
                    {
                        "samples": key(count, "samples compared"),
                        "distinct": key(count, "distinct inputs, by a checksum of all their values"),
                        "elements": key(count, "elements of one input"),
                        "groups": key(count, "groups of equal inputs with different labels"),
                        "contradicting": key(count, "samples in these groups"),
                        "examples": key(
                            [
                                {
                                    "positions": key([count], "positions in the first pass"),
                                    "labels": key([finite], "their labels"),
                                }
                            ],
                            "some of the groups",
                        ),
                        "again": key(
                            {
                                "samples": key(
                                    count, "samples whose inputs came in the first pass, with one label there"
                                ),
                                "relabelled": key(count, "of these, samples with another label than there"),
                            },
                            "later passes beside the first; null: no such samples",
                        ),
                    },
                    "equal inputs with different labels: in the first pass, and from pass to pass",
                ),
                "iterated_at": key(PLACE, "where the script iterates the data set"),
            }
        ],
        "the data sets that were iterated",
    ),
    "cost": key(
        {
            "seconds": key(finite, "seconds that looking at the delivered data took"),
            "of_seconds": key(finite, "seconds since observing began"),
        },
        "what observing the data cost",
    ),
}

_ARGUMENT = {
    "position": key(count, "position among the arguments"),
    **{
        name: COLUMN[name]
        for name in (
            "name",
            "dtype",
            "kind",
            "shape",
            "varying_shape",
            "elements",
            "zeros",
            "min",
            "max",
            "mean",
            "std",
            "channels",
        )
    },
}

INPUTS = {
    "inputs": key(
        [
            {
                "phase": key(Choice("train", "eval", "predict", "forward"), "what the call was part of"),
                "via": key(words, "how it was called: Model.train, gradient, jit, call, …"),
                "level": key(
                    Choice("network", "step"),
                    "network: what the network itself was called with; step: the training step or evaluation cell "
                    "around it, labels and all",
                ),
                "network": key(words, "class of the network"),
                "place": key(PLACE, "where it is called"),
                "calls": key(count, "number of calls"),
                "sampled": key(count, "calls that statistics rest on: the first 8, and 16, 32, 64, …"),
                "samples": key(count, "samples in these calls"),
                "arguments": key([_ARGUMENT], "statistics of each argument"),
            }
        ],
        "what networks were called with",
    )
}

LABEL_SHEET = {
    "dataset": key(count, "id of the data set"),
    "samples": key(
        [
            {
                "position": key(count, "position in the first pass"),
                "label": key(finite, "the label"),
                "column": key(text, "column that is shown"),
                "file": key(text, "picture below the run folder, of what was delivered, stretched to 0–255"),
                "text": key(text, "or the text"),
                "values": key([finite], "or the first 8 values"),
                "elements": key(count, "number of values of the sample"),
            }
        ],
        "about 50 samples, class by class",
    ),
}

_FILE = Shape(
    "data file",
    {
        "path": key(text, "path of the file"),
        "name": key(text, "path relative to root"),
        "root": key(text, "the folder it was found in"),
        "bytes": key(count, "size, in bytes"),
        "md5": key(text, "MD5 checksum"),
        "dataset": key(count, "id of the data set"),
        "via": key(
            Choice("open", "pipeline"), "opened by the script; or in a folder, or a file, that the pipeline names"
        ),
    },
)
FILES = [_FILE]

DATA_FILES = {
    "files": key(FILES, "files that the data came from"),
    "complete": key(flag, "whether all have their MD5"),
    "cut": key(flag, "whether there were more files than are listed"),
}

REFERENCE_DATA = {
    "source": key(text, "file or folder that was given"),
    "files": key(FILES, "files of the reference data"),
}

REFERENCE_WEIGHTS = {
    "file": key(text, "file that was given"),
    "md5": key(text, "MD5 checksum"),
    "parameters": key(
        [
            {
                "name": key(text, "name of the parameter"),
                "shape": key([count], "its shape"),
                "min": key(finite, "smallest value"),
                "max": key(finite, "largest value"),
                "mean": key(finite, "mean"),
                "std": key(finite, "standard deviation"),
            }
        ],
        "the parameters in it",
    ),
}

EVALUATION = {
    "evaluations": key(
        [
            {
                "step": key(count, "training steps done before"),
                "epoch": key(finite, "epoch"),
                "metrics": key(Map(number), "values by the metric's name"),
                "place": key(PLACE, "where it is made"),
                "via": key(words, "Model.eval, Model.fit, loop, function, variable or log_metric; see below"),
                "dataset": key(count, "id of the data set, which no training step was fed with"),
                "samples": key(count, "samples it was made on"),
            }
        ],
        "evaluations between training steps",
    ),
    "squares": key(
        [
            {
                "place": key(PLACE, "where they are compared or subtracted"),
                "shapes": key([[count]], "shapes of the left and of the right side"),
            }
        ],
        "what an evaluation made of the network's output beside other values, one of (N, 1) and one of (N,), which make (N, N)",
    ),
    "without_result": key([PLACE], "functions that call the network outside training and return nothing"),
    "trained_samples": key(
        [
            {
                "places": key([PLACE], "the script's frames, the innermost first"),
                "samples": key(count, "samples that the network is given there"),
                "distinct": key(count, "of these, different ones"),
                "trained_on": key(count, "of the different ones, those that were among the inputs of training"),
                "training": key(count, "different inputs of training"),
                "bits": key(
                    finite, "the sum over columns of log2 of how many values each has; null: rows of several sizes"
                ),
            }
        ],
        "what the network was given outside training after the last step, where its first input holds floats",
    ),
}
