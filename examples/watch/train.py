"""A loop of one's own, watched: a training step compiled by @ms.jit, float16, and a dynamic loss scale that starts too high.

    python examples/watch/train.py

The first updates are skipped until the loss scale has come down; the last lines tell how many, and where it settled.
"""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import amp, nn, ops
from sklearn.datasets import load_digits

import msprec


def create_train_step(net, optimizer, scaler):
    def forward(image, label):
        loss = ops.cross_entropy(net(image).astype(ms.float32), label)
        return scaler.scale(loss), loss

    gradients_of = ms.value_and_grad(forward, None, optimizer.parameters, has_aux=True)

    @ms.jit
    def train_step(image, label):
        (_, loss), gradients = gradients_of(image, label)
        gradients = scaler.unscale(gradients)
        finite = amp.all_finite(gradients)
        scaler.adjust(finite)
        if finite:
            optimizer(gradients)
        return loss

    return train_step


def main():
    ms.set_seed(1)
    digits = load_digits()
    images, labels = (digits.data / 16.0).astype(np.float32), digits.target.astype(np.int32)
    train_set = ds.NumpySlicesDataset((images, labels), ["image", "label"], shuffle=True).batch(64, drop_remainder=True)
    net = nn.SequentialCell(nn.Dense(64, 48), nn.ReLU(), nn.Dense(48, 10)).to_float(ms.float16)
    optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.1, momentum=0.9)
    scaler = amp.DynamicLossScaler(scale_value=2**26, scale_factor=2, scale_window=1000)

    train_step, batches = create_train_step(net, optimizer, scaler), train_set.create_tuple_iterator(num_epochs=4)
    with msprec.watch(net, optimizer, scaler) as monitor:
        for epoch in range(4):
            for image, label in monitor.batches(batches):
                loss = train_step(image, label)
                monitor.step(loss)
            print(f"epoch {epoch + 1}: loss {float(loss):.4f}")
    scale = monitor.summary()["loss_scale"]
    print(f"{scale['overflows']} of {scale['steps']} updates skipped, the last at step {scale['last_overflow']}")
    print(f"loss scale: 2**26 at first, 2**{int(np.log2(scale['final_scale']))} in the end")


if __name__ == "__main__":
    main()
