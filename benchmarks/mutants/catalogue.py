"""The programs, how each is started and judged, and which operators are applied to each at which place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import operators as op
from operators import Fault, Mutant, mutate
from source import Program

PROGRAMS = Path(__file__).parent / "programs"
SORTED = "order = np.argsort({0}, kind='stable')\n{1}, {0} = {1}[order], {0}[order]"
KEPT = "{1}, {0} = {1}[keep], {0}[keep]"


@dataclass(frozen=True)
class Kind:
    """A program: its metric, whether more is better, how it takes its seed."""

    name: str
    metric: str
    higher_is_better: bool
    seed_option: bool
    programs: Path = PROGRAMS

    @property
    def folder(self) -> Path:
        """Where its files are."""
        return self.programs / self.name


#: The quickest first.
KINDS = [
    Kind("graph_network", "accuracy", True, True),
    Kind("regression", "r2", True, False),
    Kind("reinforcement", "mean_return", True, True),
    Kind("image_classes", "accuracy", True, True),
    Kind("recommendation", "auc", True, True),
    Kind("mixed_precision", "f1", True, True),
    Kind("transfer_learning", "accuracy", True, False),
    Kind("text_classes", "accuracy", True, False),
    Kind("metric_learning", "recall_at_1", True, False),
    Kind("vae", "negative_elbo", False, True),
    Kind("sequence_tagging", "accuracy", True, True),
    Kind("segmentation", "iou", True, True),
    Kind("gan", "frechet_distance", False, False),
    Kind("language_model", "perplexity", False, True),
]


def shuffled_off(program: Program, labels: str, samples: str, anchor: str, switch: tuple[str, str]) -> Fault:
    """The samples of training sorted by label and no longer shuffled."""
    sort = op.after(program, anchor, SORTED.format(labels, samples), ["dp.03"], "sorted by label, not shuffled")
    edit = op.replaced(program, "train.py", [switch], ["dp.03"], "").edits[0]
    return Fault([edit, *sort.edits], ["dp.03"], sort.description, sort.used)


def data_faults(program: Program, anchor: str, samples: str, labels: str) -> Iterator[tuple[str, Fault]]:
    """Mutants of the training data of a program with arrays of samples and of class labels."""
    noisy = f"{labels}[::3] = np.random.default_rng(0).permutation({labels}[::3])"
    yield "labels_noisy", op.after(program, anchor, noisy, ["ds.02"], "a third of the labels shuffled")
    keep = f"keep = ({labels} == 0) | (np.arange(len({labels})) % 25 == 0)\n" + KEPT.format(labels, samples)
    yield "data_unbalanced", op.after(program, anchor, keep, ["ds.03"], "one class with 25 times the samples")


def graph_network(p: Program) -> Iterator[tuple[str, Fault]]:
    yield "rate_x100", op.learning_rate(p, 100)
    yield "rate_d1000", op.learning_rate(p, 0.001)
    yield "epochs_few", op.epochs(p, "epochs", 4)
    yield "output_softmax", op.output_activation(p, "GCN", "softmax")
    yield "dropout_095", op.number(p, "dropout", "0.95", ["api.01"], "probability to keep as probability to drop")
    gain = [("initializer(XavierUniform(),", 'initializer("zeros",')]
    yield "init_zeros", op.replaced(p, "gcn.py", gain, ["wi.01"], "both layers start at zero")
    yield "stop_gradient", op.stop_gradient(p, "GCN", "self.layer0")
    wide = [("return self.layer1(adj, output0)", "return self.layer1(adj, feature)"),
            ("GraphConvolution(config.hidden1, output_dim,", "GraphConvolution(input_dim, output_dim,")]  # fmt: skip
    yield "layer_skipped", op.replaced(p, "gcn.py", wide, ["cg.03"], "the first layer's result goes nowhere")
    wrong = "wrong = train_mask.nonzero()[0][::3]\nlabels[wrong] = labels[wrong][:, [1, 2, 3, 0]]"
    anchor = "features, labels, adjacency, train_mask"
    yield "labels_changed", op.after(p, anchor, wrong, ["ds.02"], "a third of the labels of training wrong")


def regression(p: Program) -> Iterator[tuple[str, Fault]]:
    anchor = "x_train, x_test, y_train, y_test = "
    yield "rate_x100", op.learning_rate(p, 100)
    yield "rate_d1000", op.learning_rate(p, 0.001)
    yield "optimizer_sgd", op.optimizer(p, "SGD")
    yield "output_softmax", op.output_activation(p, "Network", "softmax")
    yield "output_sigmoid", op.output_activation(p, "Network", "sigmoid")
    yield "activation_removed", op.activation_removed(p, "Network", 1)
    yield "init_zeros", op.weight_init(p, "Network", "zeros")
    yield "bias_removed", op.bias_removed(p, "Network")
    flat = [("return self.features[index], self.prices[index]", "return self.features[index], self.prices[index][0]")]
    yield "targets_flat", op.replaced(p, "train.py", flat, ["cg.04"], "predictions (N, 1) against targets (N,)")
    raw = [("x_train = scaler.transform(x_train).astype(np.float32)\n", ""),
           ("x_test = scaler.transform(x_test).astype(np.float32)\n", "")]  # fmt: skip
    fault = op.replaced(p, "train.py", raw, ["dp.01"], "the features are not scaled")
    yield "data_unscaled", Fault(fault.edits, fault.items, fault.description, op.data_sources(p))
    missing = "x_train[::5, 6] = -9999.0"
    yield "values_missing", op.after(p, "x_test = scaler", missing, ["ds.01"], "a fifth of a column holds -9999")
    anew = [("    train(train_iterator, ", "    train(train_dataset.create_tuple_iterator(), ")]
    yield "order_repeats", op.replaced(p, "train.py", anew, ["dp.03"], "a new iterator each epoch repeats the order")
    few = "x_train, y_train = x_train[:60], y_train[:60]"
    yield "data_removed", op.after(p, anchor, few, ["hp.02", "td"], "60 samples to train with")


def reinforcement(p: Program) -> Iterator[tuple[str, Fault]]:
    yield "rate_x100", op.learning_rate(p, 100)
    yield "rate_d1000", op.learning_rate(p, 0.001)
    yield "output_relu", op.output_activation(p, "PolicyNet", "relu")
    yield "activation_removed", op.activation_removed(p, "PolicyNet")
    yield "init_zeros", op.weight_init(p, "PolicyNet", "zeros")
    sign = [("return -(chosen * advantages).mean()", "return (chosen * advantages).mean()")]
    yield "loss_sign", op.replaced(p, "train.py", sign, ["cg.04", "td"], "the loss with the wrong sign")
    partial = ("policy.trainable_params()", "policy.fc1.trainable_params()")
    yield "partial_parameters", op.partial_parameters(p, *partial)


def image_classes(p: Program) -> Iterator[tuple[str, Fault]]:
    anchor = "train_images, test_images, train_labels, test_labels ="
    yield "rate_x100", op.learning_rate(p, 100)
    yield "rate_d1000", op.learning_rate(p, 0.001)
    yield "epochs_one", op.epochs(p, "epochs", 1)
    yield "batch_large", op.batch_size(p, "batch_size", 1024)
    yield "output_softmax", op.output_activation(p, "LeNet5", "softmax")
    yield "output_relu", op.output_activation(p, "LeNet5", "relu")
    constant = [(f"{old}, weight_init=Normal(0.08))", f"{old}, weight_init='zeros')")
                for old in ("16 * 2 * 2, 120", "nn.Dense(120, 84", "84, num_class")]  # fmt: skip
    yield "init_zeros", op.replaced(p, "train.py", constant, ["wi.01"], "dense layers start at zero")
    yield "stop_gradient", op.stop_gradient(p, "LeNet5", "self.flatten")
    raw = [("vision.Rescale(1.0 / 16.0, 0.0), ", "vision.Rescale(16.0, 0.0), ")]
    yield "data_unscaled", op.replaced(p, "train.py", raw, ["dp.01"], "pixels from 0 to 256")
    yield from data_faults(p, anchor, "train_images", "train_labels")
    removed = "keep = train_labels != 3\ntrain_images, train_labels = train_images[keep], train_labels[keep]"
    yield "class_removed", op.after(p, anchor, removed, ["ds.03"], "no sample of one class")
    few = "train_images, train_labels = train_images[:64], train_labels[:64]"
    yield "data_removed", op.after(p, anchor, few, ["hp.02", "ds.03", "td"], "64 samples to train with")
    switch = ('"label": labels}, shuffle=training)', '"label": labels}, shuffle=False)')
    yield "shuffle_off", shuffled_off(p, "train_labels", "train_images", anchor, switch)


def recommendation(p: Program) -> Iterator[tuple[str, Fault]]:
    yield "rate_x100", op.learning_rate(p, 100)
    yield "rate_d1000", op.learning_rate(p, 0.001)
    yield "output_sigmoid", op.output_activation(p, "NcfModel", "sigmoid")
    yield "output_softmax", op.output_activation(p, "NcfModel", "softmax")
    zeros = [("initializer(Normal(0.1), [cfg.num_users", 'initializer("zeros", [cfg.num_users'),
             ("initializer(Normal(0.1), [cfg.num_items", 'initializer("zeros", [cfg.num_items')]  # fmt: skip
    yield "init_zeros", op.replaced(p, "train.py", zeros, ["wi.01"], "both embedding tables start at zero")
    mse = [("log_loss = self.mean(self.loss(predict, label))", "log_loss = self.mean(self.square(predict - label))")]
    yield "loss_mse", op.replaced(p, "train.py", mse, ["cg.04"], "squared error of the logits")
    frozen = [("ms.ParameterTuple(network.trainable_params())",
               'ms.ParameterTuple([p for p in network.trainable_params() if "table" not in p.name])')]  # fmt: skip
    yield "frozen_tables", op.replaced(p, "train.py", frozen, ["cg.02"], "the embeddings are not trained")
    yield "decay_large", op.number(p, "l2_coef", "0.1", ["td"], "penalty on the embeddings too large")
    noisy = "liked[:16000:2] = np.random.default_rng(0).permutation(liked[:16000:2])"
    yield "labels_noisy", op.after(p, "users, items, liked = ", noisy, ["ds.02"], "half of the labels shuffled")


def mixed_precision(p: Program) -> Iterator[tuple[str, Fault]]:
    yield "rate_x100", op.learning_rate(p, 100)
    yield "rate_d1000", op.learning_rate(p, 0.001)
    yield "output_softmax", op.output_activation(p, "ActivityNet", "softmax")
    scaler = "DynamicLossScaler(scale_value=2**14, scale_factor=2, scale_window=100)"
    imported = ("import DynamicLossScaler, all_finite", "import DynamicLossScaler, StaticLossScaler, all_finite")
    fixed = [(scaler, "StaticLossScaler(scale_value=2**26)"), imported]
    yield "scale_fixed_large", op.replaced(p, "train.py", fixed, ["mp.01", "mp.02"], "a fixed loss scale of 2**26")
    kept = [("            grads = loss_scaler.unscale(grads)\n", "")]
    yield "not_unscaled", op.replaced(p, "train.py", kept, ["mp.02"], "the gradients are not unscaled")
    used = [("        if is_finite:\n            grads = loss_scaler.unscale(grads)\n            optimizer(grads)\n",
             "        grads = loss_scaler.unscale(grads)\n        optimizer(grads)\n")]  # fmt: skip
    yield "overflow_applied", op.replaced(p, "train.py", used, ["mp.01", "mp.02"], "steps with overflow are applied")
    clip = [("            grads = loss_scaler.unscale(grads)\n",
             "            grads = ops.clip_by_global_norm(grads, 1.0)\n            grads = loss_scaler.unscale(grads)\n"),
            ("from mindspore import nn\n", "from mindspore import nn, ops\n")]  # fmt: skip
    yield "clipped_scaled", op.replaced(p, "train.py", clip, ["mp.03"], "clipped before unscaling")
    shared = [("[ResidualBlock(width) for _ in range(blocks)]", "[ResidualBlock(width)] * blocks")]
    yield "block_shared", op.replaced(p, "train.py", shared, ["cg.01"], "one block used twice")
    mode = [("    net.set_train(False)\n", "    net.set_train(True)\n")]
    yield "evaluated_in_training_mode", op.replaced(p, "train.py", mode, ["api.02"], "evaluated in training mode")


def transfer_learning(p: Program) -> Iterator[tuple[str, Fault]]:
    yield "rate_x100", op.learning_rate(p, 100, "learning_rate")
    yield "rate_d1000", op.learning_rate(p, 0.001, "learning_rate")
    yield "epochs_one", op.epochs(p, "epochs", 1)
    loaded = [("    ms.load_param_into_net(net, param_dict)\n",
               '    param_dict = {name.replace("backbone.", ""): param for name, param in param_dict.items()}\n'
               "    ms.load_param_into_net(net, param_dict)\n")]  # fmt: skip
    yield "names_differ", op.replaced(p, "train.py", loaded, ["wi.02"], "no name of the checkpoint fits")
    none = [("    ms.load_param_into_net(net, param_dict)\n", "")]
    yield "not_loaded", op.replaced(p, "train.py", none, ["wi.02"], "the checkpoint is read, not loaded")
    yield "output_softmax", op.output_activation(p, "Classifier", "softmax")
    faults = data_faults(p, "train_images, train_labels, test_images, test_labels", "train_images", "train_labels")
    yield next(faults)  # too few samples to take any away
    test = [("create_dataset(test_images, test_labels", "create_dataset(test_images * 16, test_labels")]
    yield "evaluated_unscaled", op.replaced(p, "train.py", test, ["dp.02"], "evaluated on pixels of another scale")


def text_classes(p: Program) -> Iterator[tuple[str, Fault]]:
    anchor = "train_labels, test_labels ="
    yield "rate_x100", op.learning_rate(p, 100)
    yield "rate_d1000", op.learning_rate(p, 0.001)
    yield "output_softmax", op.output_activation(p, "TextCNN", "softmax")
    yield "output_relu", op.output_activation(p, "TextCNN", "relu")
    yield "dropout_09", op.number(p, "drop_rate", "0.9", ["api.01"], "probability to keep as probability to drop")
    yield "bias_removed", op.bias_removed(p, "TextCNN")
    yield "stop_gradient", op.stop_gradient(p, "TextCNN", "self.embedding")
    short = [
        (
            "    rows = np.zeros((len(texts), max_len), np.int32)",
            "    rows = np.full((len(texts), max_len), 5, np.int32)",
        )
    ]
    yield "padding_word", op.replaced(p, "train.py", short, ["dp.04"], "padded with the id of a word")
    yield from data_faults(p, anchor, "train_rows", "train_labels")
    switch = ('"label": train_labels}, shuffle=True)', '"label": train_labels}, shuffle=False)')
    yield "shuffle_off", shuffled_off(p, "train_labels", "train_rows", anchor, switch)


def metric_learning(p: Program) -> Iterator[tuple[str, Fault]]:
    yield "rate_x100", op.learning_rate(p, 100)
    yield "rate_d1000", op.learning_rate(p, 0.001)
    yield "activation_removed", op.activation_removed(p, "EmbeddingNet", 0)
    swapped = [
        ("ops.relu(distance_ap - distance_an + self.margin)", "ops.relu(distance_an - distance_ap + self.margin)")
    ]
    yield "loss_swapped", op.replaced(p, "train.py", swapped, ["cg.04"], "positive and negative exchanged")
    margin = [("MARGIN = 0.3", "MARGIN = 0.0")]
    yield "margin_zero", op.replaced(p, "train.py", margin, ["cg.04", "td"], "no margin")
    yield "init_zeros", op.weight_init(p, "EmbeddingNet", "zeros")
    wrong = [("negative = self.rng.choice(np.flatnonzero(self.labels != label))",
              "negative = self.rng.choice(len(self.labels))")]  # fmt: skip
    yield "negatives_any", op.replaced(p, "train.py", wrong, ["td"], "the negative is any picture")
    noisy = "train_labels[::3] = np.random.default_rng(0).permutation(train_labels[::3])"
    yield (
        "labels_noisy",
        op.after(p, "train_images, train_labels = ", noisy, ["ds.02"], "a third of the labels shuffled"),
    )


def vae(p: Program) -> Iterator[tuple[str, Fault]]:
    yield "rate_x100", op.learning_rate(p, 100)
    yield "rate_d1000", op.learning_rate(p, 0.001)
    yield "epochs_one", op.epochs(p, "epochs", 1)
    decoded = [("return self.decoder(z), mean, log_var", "return ops.sigmoid(self.decoder(z)), mean, log_var")]
    yield "output_sigmoid", op.replaced(p, "train.py", decoded, ["cg.04"], "sigmoid before a loss of logits")
    sign = [("kl = -0.5 *", "kl = 0.5 *")]
    yield "kl_sign", op.replaced(p, "train.py", sign, ["cg.04", "td"], "the divergence with the wrong sign")
    scale = [("reshape(-1, 64) / 16.0", "reshape(-1, 64)")]
    yield "data_unscaled", op.replaced(p, "train.py", scale, ["dp.01", "cg.04"], "targets from 0 to 16")
    yield "activation_removed", op.activation_removed(p, "VAE", 1)
    stop = [("        hidden = self.encoder(x)\n", "        hidden = ops.stop_gradient(self.encoder(x))\n")]
    yield "stop_gradient", op.replaced(p, "train.py", stop, ["cg.02"], "no gradient for the encoder")


def sequence_tagging(p: Program) -> Iterator[tuple[str, Fault]]:
    yield "rate_x100", op.learning_rate(p, 100)
    yield "rate_d1000", op.learning_rate(p, 0.001)
    yield "output_softmax", op.output_activation(p, "BiLSTMTagger", "softmax")
    yield "loss_padding", op.replaced(p, "train.py", [("nn.CrossEntropyLoss(ignore_index=PAD)", "nn.CrossEntropyLoss()")],
                                      ["dp.04"], "padding counts in the loss")  # fmt: skip
    side = [("ids = [word_to_idx[w] for w in words] + [PAD] * (MAX_LEN - length)",
             "ids = [PAD] * (MAX_LEN - length) + [word_to_idx[w] for w in words]")]  # fmt: skip
    yield "padding_side", op.replaced(p, "train.py", side, ["dp.04"], "words padded on the left, tags on the right")
    yield "dropout_09", op.dropout(p, "0.9")
    anew = [("in train_iterator:", "in train_data.create_tuple_iterator():")]
    yield "order_repeats", op.replaced(p, "train.py", anew, ["dp.03"], "a new iterator each epoch repeats the order")
    partial = ("model.trainable_params()", "model.hidden2tag.trainable_params()")
    yield "partial_parameters", op.partial_parameters(p, *partial)
    yield "epochs_one", op.epochs(p, "epochs", 1)


def segmentation(p: Program) -> Iterator[tuple[str, Fault]]:
    yield "rate_x100", op.learning_rate(p, 100, "lr")
    yield "rate_d1000", op.learning_rate(p, 0.001, "lr")
    yield "output_sigmoid", op.output_activation(p, "UNet", "sigmoid")
    yield "output_relu", op.output_activation(p, "UNet", "relu")
    raw = [("vision.Rescale(1.0 / 255.0, 0.0), vision.Normalize([0.3], [0.2]), ", "")]
    yield "data_unscaled", op.replaced(p, "train.py", raw, ["dp.01"], "pixels from 0 to 255")
    mode = [("    net.set_train(False)\n", "    net.set_train(True)\n")]
    yield "evaluated_in_training_mode", op.replaced(p, "train.py", mode, ["api.02"], "evaluated in training mode")
    skip = [("self.up1(x), first)", "self.up1(x), ops.zeros_like(first))")]
    yield "skip_lost", op.replaced(p, "unet.py", skip, ["td"], "a skip connection carries zeros")


def gan(p: Program) -> Iterator[tuple[str, Fault]]:
    yield "rate_x100", op.learning_rate(p, 100)
    yield "rate_d1000", op.learning_rate(p, 0.001)
    tanh = [("            nn.Tanh(),\n", "            nn.Sigmoid(),\n")]
    yield (
        "output_sigmoid",
        op.replaced(p, "train.py", tanh, ["cg.04", "td"], "pictures from 0 to 1 for data from -1 to 1"),
    )
    yield "discriminator_sigmoid", op.output_activation(p, "Discriminator", "sigmoid")
    other = [
        ("optimizer_g = nn.Adam(netG.trainable_params()", "optimizer_g = nn.Adam(netG.model[6].trainable_params()")
    ]
    yield (
        "partial_parameters",
        op.replaced(p, "train.py", other, ["cg.02"], "only the generator's last layer is trained"),
    )
    raw = [("images = images / 8.0 - 1.0\n", "")]
    yield "data_unscaled", op.replaced(p, "train.py", raw, ["dp.01", "cg.04"], "pixels from 0 to 16")


def language_model(p: Program) -> Iterator[tuple[str, Fault]]:
    yield "rate_x100", op.learning_rate(p, 100, "lr")
    yield "rate_d1000", op.learning_rate(p, 0.001, "lr")
    yield "steps_few", op.epochs(p, "steps", 30)
    yield "output_softmax", op.output_activation(p, "TransformerLM", "softmax")
    shift = [("self.ids[start + 1 : start + self.block + 1]", "self.ids[start : start + self.block]")]
    yield "targets_not_shifted", op.replaced(p, "train.py", shift, ["ds.02", "td"], "the target is the letter itself")
    mask = [("ops.softmax(scores + self.mask[:length, :length], -1)", "ops.softmax(scores, -1)")]
    yield "mask_lost", op.replaced(p, "model.py", mask, ["td"], "attention sees the future")
    lost = [("x = x + self.attention(self.ln1(x))", "x = self.attention(self.ln1(x))")]
    yield "residual_lost", op.replaced(p, "model.py", lost, ["td"], "a residual connection left out")
    shared = [("[Block(hidden, heads, length, dropout) for _ in range(layers)]",
               "[Block(hidden, heads, length, dropout)] * layers")]  # fmt: skip
    yield "block_shared", op.replaced(p, "model.py", shared, ["cg.01"], "one block used twice")


FAULTS = {
    "graph_network": graph_network,
    "regression": regression,
    "reinforcement": reinforcement,
    "image_classes": image_classes,
    "recommendation": recommendation,
    "mixed_precision": mixed_precision,
    "transfer_learning": transfer_learning,
    "text_classes": text_classes,
    "metric_learning": metric_learning,
    "vae": vae,
    "sequence_tagging": sequence_tagging,
    "segmentation": segmentation,
    "gan": gan,
    "language_model": language_model,
}


def mutants_of(kind: Kind) -> list[Mutant]:
    """All mutants of a program."""
    program = Program(kind.folder)
    return [mutate(program, kind.name, operator, fault) for operator, fault in FAULTS[kind.name](program)]
