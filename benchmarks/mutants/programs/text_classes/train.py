"""TextCNN on film reviews."""

import config as cfg
import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, ops
from mindspore.train import Accuracy
from reviews import load_reviews

ms.set_seed(cfg.seed)
ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")


def build_vocab(texts):
    vocab = {"<pad>": 0, "<unk>": 1}
    for words in texts:
        for word in words:
            vocab.setdefault(word, len(vocab))
    return vocab


def encode(texts, vocab, max_len):
    """Ids of the words, cut or padded to one length."""
    rows = np.zeros((len(texts), max_len), np.int32)
    for row, words in zip(rows, texts):
        ids = [vocab.get(word, 1) for word in words][:max_len]
        row[: len(ids)] = ids
    return rows


class TextCNN(nn.Cell):
    """Convolutions of several widths over the words, the largest value of each filter, a dense layer."""

    def __init__(self, vocab_len):
        super().__init__()
        self.embedding = nn.Embedding(vocab_len, cfg.embedding_size, embedding_table="normal")
        self.convs = nn.CellList(
            [nn.Conv1d(cfg.embedding_size, cfg.num_filters, size, pad_mode="same", has_bias=True)
             for size in cfg.kernel_sizes]
        )  # fmt: skip
        self.relu = nn.ReLU()
        self.drop = nn.Dropout(p=cfg.drop_rate)
        self.fc = nn.Dense(cfg.num_filters * len(cfg.kernel_sizes), cfg.num_classes)

    def construct(self, x):
        x = self.embedding(x).transpose(0, 2, 1)
        pooled = ()
        for conv in self.convs:
            pooled += (self.relu(conv(x)).max(axis=2),)
        x = ops.concat(pooled, axis=1)
        x = self.drop(x)
        return self.fc(x)


def accuracy(net, dataset):
    net.set_train(False)
    metric = Accuracy("classification")
    metric.clear()
    for item in dataset.create_dict_iterator():
        metric.update(net(item["text"]), item["label"])
    return metric.eval()


texts, labels = load_reviews()
vocab = build_vocab(texts)
rows = encode(texts, vocab, cfg.max_len)
train_rows, test_rows = rows[:900], rows[900:]
train_labels, test_labels = labels[:900], labels[900:]

dataset_train = ds.NumpySlicesDataset({"text": train_rows, "label": train_labels}, shuffle=True)
dataset_train = dataset_train.batch(cfg.batch_size, drop_remainder=True)
dataset_test = ds.NumpySlicesDataset({"text": test_rows, "label": test_labels}, shuffle=False)
dataset_test = dataset_test.batch(cfg.batch_size)

net = TextCNN(len(vocab))
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
opt = nn.Adam(net.trainable_params(), learning_rate=cfg.learning_rate, weight_decay=cfg.weight_decay)
net_with_loss = nn.WithLossCell(net, loss)
train_net = nn.TrainOneStepCell(net_with_loss, opt)

data_loader = dataset_train.create_dict_iterator(num_epochs=cfg.epoch_size)
for epoch in range(cfg.epoch_size):
    train_net.set_train()
    losses = []
    for item in data_loader:
        losses.append(float(train_net(item["text"], item["label"]).asnumpy()))
    print(f"epoch: {epoch + 1}, loss: {np.mean(losses):.4f}, accuracy: {accuracy(net, dataset_test):.4f}")

print(f"result: accuracy {accuracy(net, dataset_test):.4f}")
