import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn

rng = np.random.RandomState(5)
good = ["great", "excellent", "love", "wonderful", "best", "enjoyed"]
bad = ["awful", "boring", "hate", "terrible", "worst", "waste"]
neutral = ["the", "movie", "was", "a", "film", "and", "it", "plot", "actor", "story", "with", "scene"]


def review(label):
    words = list(rng.choice(neutral, rng.randint(3, 12)))
    words += list(rng.choice(good if label else bad, 2))
    rng.shuffle(words)
    return words


labels = rng.randint(0, 2, 800).astype(np.int32)
texts = [review(label) for label in labels]
vocab = {w: i + 1 for i, w in enumerate(sorted(set(good + bad + neutral)))}
maxlen = 100

ids = np.zeros((800, maxlen), dtype=np.int32)
for i, words in enumerate(texts):
    seq = [vocab[w] for w in words]
    ids[i, maxlen - len(seq) :] = seq

train = ds.NumpySlicesDataset((ids[:640], labels[:640]), ["ids", "label"], shuffle=True).batch(32)
test_x, test_y = ms.Tensor(ids[640:]), labels[640:]


class Sentiment(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(len(vocab) + 1, 16)
        self.lstm = nn.LSTM(16, 24, batch_first=True)
        self.fc = nn.Dense(24, 2)

    def construct(self, x):
        h, _ = self.lstm(self.embedding(x))
        return self.fc(h[:, -1])


net = Sentiment()
loss_fn = nn.CrossEntropyLoss()
opt = nn.Adam(net.trainable_params(), 0.01)
grad_fn = ms.value_and_grad(lambda a, b: loss_fn(net(a), b), None, opt.parameters)
for epoch in range(5):
    net.set_train()
    for a, b in train.create_tuple_iterator():
        loss, grads = grad_fn(a, b)
        opt(grads)
    net.set_train(False)
    acc = (net(test_x).asnumpy().argmax(1) == test_y).mean()
    print("epoch", epoch, "loss", float(loss), "acc", acc)
