"""Missing notes: each melody is a scale from any note upwards or downwards, and some of its notes are to be guessed."""

import mindspore as ms
import numpy as np
from mindspore import nn, ops
from mindspore.dataset import GeneratorDataset

ms.set_seed(12)
NOTES, LENGTH, HIDDEN, IGNORED = 20, 8, 0, -100


class Melodies:
    def __init__(self, count, seed):
        self.rng = np.random.default_rng(seed)
        start, sign = self.rng.integers(8, 13, count), self.rng.choice([-1, 1], count)
        self.notes = (start[:, None] + sign[:, None] * np.arange(LENGTH)).astype(np.int32)

    def __len__(self):
        return len(self.notes)

    def __getitem__(self, number):
        melody = self.notes[number]
        chosen = self.rng.random(LENGTH) < 0.25
        chosen[self.rng.integers(LENGTH)] = True
        with_gaps = np.where(chosen, HIDDEN, melody).astype(np.int32)
        wanted = np.where(chosen, melody, IGNORED).astype(np.int32)
        return with_gaps, wanted


class Guess(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(NOTES, 16)
        self.mix = nn.Dense(16 * LENGTH, 64)
        self.each = nn.Dense(64 + 16, NOTES)

    def construct(self, notes):
        vectors = self.table(notes)
        whole = ops.relu(self.mix(vectors.reshape(notes.shape[0], -1)))
        whole = ops.broadcast_to(whole.expand_dims(1), (notes.shape[0], LENGTH, 64))
        return self.each(ops.concat((whole, vectors), -1)).swapaxes(1, 2)


data = GeneratorDataset(Melodies(800, 3), ["notes", "wanted"], shuffle=True).batch(40, drop_remainder=True)
network = Guess()
loss = nn.CrossEntropyLoss(ignore_index=IGNORED)
model = ms.Model(network, loss, nn.Adam(network.trainable_params(), 5e-3))
model.train(8, data, callbacks=[ms.LossMonitor(20)], dataset_sink_mode=False)
