"""A variational autoencoder of the handwritten digits."""

import argparse

import mindspore as ms
import numpy as np
from mindspore import nn, ops
from mindspore.dataset import GeneratorDataset
from sklearn.datasets import load_digits


class DigitImages:
    """Flat pictures, pixels from 0 to 1."""

    def __init__(self, train):
        images = load_digits().images.reshape(-1, 64) / 16.0
        order = np.random.RandomState(4).permutation(len(images))
        images = images[order].astype(np.float32)
        self.images = images[:1400] if train else images[1400:]

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return (self.images[index],)


class VAE(nn.Cell):
    """Dense encoder and decoder around a normal latent vector."""

    def __init__(self, hidden_dim=96, z_dim=8):
        super().__init__()
        self.encoder = nn.SequentialCell(nn.Dense(64, hidden_dim), nn.ReLU())
        self.fc_mean = nn.Dense(hidden_dim, z_dim)
        self.fc_log_var = nn.Dense(hidden_dim, z_dim)
        self.decoder = nn.SequentialCell(nn.Dense(z_dim, hidden_dim), nn.ReLU(), nn.Dense(hidden_dim, 64))

    def encode(self, x):
        hidden = self.encoder(x)
        return self.fc_mean(hidden), self.fc_log_var(hidden)

    def construct(self, x):
        mean, log_var = self.encode(x)
        std = ops.exp(0.5 * log_var)
        z = mean + ops.standard_normal(mean.shape) * std if self.training else mean
        return self.decoder(z), mean, log_var


def main(args):
    ms.set_context(mode=ms.PYNATIVE_MODE)
    ms.set_seed(args.seed)
    train_loader = GeneratorDataset(DigitImages(True), ["image"], shuffle=True).batch(args.batch_size)
    test_loader = GeneratorDataset(DigitImages(False), ["image"], shuffle=False).batch(args.batch_size)

    vae = VAE()
    optimizer = nn.Adam(vae.trainable_params(), learning_rate=args.learning_rate)

    def elbo_loss(x):
        logits, mean, log_var = vae(x)
        reconstruction = ops.binary_cross_entropy_with_logits(
            logits, x, ops.ones_like(x), ops.ones_like(x), reduction="sum"
        )
        kl = -0.5 * (1 + log_var - mean.square() - log_var.exp()).sum()
        return (reconstruction + kl) / x.shape[0]

    grad_fn = ms.value_and_grad(elbo_loss, None, optimizer.parameters)

    @ms.jit
    def train_step(x):
        loss, grads = grad_fn(x)
        optimizer(grads)
        return loss

    def evaluate():
        vae.set_train(False)
        losses = [float(elbo_loss(x).asnumpy()) * len(x) for (x,) in test_loader.create_tuple_iterator()]
        vae.set_train(True)
        return sum(losses) / len(DigitImages(False))

    vae.set_train(True)
    batches = train_loader.create_tuple_iterator(num_epochs=args.epochs)
    for epoch in range(args.epochs):
        total = 0.0
        for (x,) in batches:
            total += train_step(x).asnumpy()
        print(f"Epoch {epoch + 1:2d}  train loss {total / train_loader.get_dataset_size():.3f}")
    return evaluate()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--learning-rate", type=float, default=2e-3)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    print(f"result: negative_elbo {main(parser.parse_args()):.4f}")
