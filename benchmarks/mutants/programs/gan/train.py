"""A generative adversarial network that draws digits of 8 x 8 pixels."""

import os

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Tensor, nn, ops
from scipy.linalg import sqrtm
from sklearn.datasets import load_digits

seed = int(os.environ.get("SEED", 1))
ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(seed)
np.random.seed(seed)

batch_size = 64
latent_size = 16
num_epochs = 36
lr = 0.001
beta1 = 0.5


class Generator(nn.Cell):
    """From noise to a picture with pixels from -1 to 1."""

    def __init__(self, latent_size):
        super().__init__()
        self.model = nn.SequentialCell(
            nn.Dense(latent_size, 128),
            nn.BatchNorm1d(128),
            nn.ReLU(),
            nn.Dense(128, 128),
            nn.BatchNorm1d(128),
            nn.ReLU(),
            nn.Dense(128, 64),
            nn.Tanh(),
        )

    def construct(self, z):
        return self.model(z)


class Discriminator(nn.Cell):
    """The logit that a picture is real."""

    def __init__(self):
        super().__init__()
        self.fc1 = nn.Dense(64, 128)
        self.fc2 = nn.Dense(128, 64)
        self.fc3 = nn.Dense(64, 1)
        self.act = nn.LeakyReLU(0.2)
        self.drop = nn.Dropout(p=0.3)

    def construct(self, x):
        x = self.drop(self.act(self.fc1(x)))
        x = self.drop(self.act(self.fc2(x)))
        return self.fc3(x)


images = load_digits().images.reshape(-1, 64).astype(np.float32)
images = images / 8.0 - 1.0
dataset = ds.NumpySlicesDataset({"image": images}, shuffle=True).batch(batch_size, drop_remainder=True)

netG = Generator(latent_size)
netD = Discriminator()
adversarial_loss = nn.BCEWithLogitsLoss()
optimizer_d = nn.Adam(netD.trainable_params(), learning_rate=lr, beta1=beta1)
optimizer_g = nn.Adam(netG.trainable_params(), learning_rate=lr, beta1=beta1)
optimizer_g.update_parameters_name("optim_g.")
optimizer_d.update_parameters_name("optim_d.")


def generator_forward(noise, valid):
    fake_imgs = netG(noise)
    g_loss = adversarial_loss(netD(fake_imgs), valid)
    return g_loss, fake_imgs


def discriminator_forward(real_imgs, fake_imgs, valid, fake):
    real_loss = adversarial_loss(netD(real_imgs), valid)
    fake_loss = adversarial_loss(netD(fake_imgs), fake)
    return (real_loss + fake_loss) / 2


grad_generator_fn = ms.value_and_grad(generator_forward, None, optimizer_g.parameters, has_aux=True)
grad_discriminator_fn = ms.value_and_grad(discriminator_forward, None, optimizer_d.parameters)


def train_step(imgs):
    valid = ops.ones((imgs.shape[0], 1), ms.float32)
    fake = ops.zeros((imgs.shape[0], 1), ms.float32)
    noise = Tensor(np.random.normal(size=(imgs.shape[0], latent_size)).astype(np.float32))
    (g_loss, gen_imgs), g_grads = grad_generator_fn(noise, valid)
    optimizer_g(g_grads)
    d_loss, d_grads = grad_discriminator_fn(imgs, gen_imgs, valid, fake)
    optimizer_d(d_grads)
    return g_loss, d_loss


def frechet_distance(real, generated):
    """The distance of two samples as normal distributions of their pixels."""
    mean_r, mean_g = real.mean(0), generated.mean(0)
    cov_r, cov_g = np.cov(real, rowvar=False), np.cov(generated, rowvar=False)
    ridge = 1e-4 * np.eye(len(cov_r))
    root = sqrtm((cov_r + ridge) @ (cov_g + ridge)).real
    return float(((mean_r - mean_g) ** 2).sum() + np.trace(cov_r + cov_g - 2 * root))


def evaluate():
    netG.set_train(False)
    noise = Tensor(np.random.RandomState(0).normal(size=(1500, latent_size)).astype(np.float32))
    generated = netG(noise).asnumpy()
    netG.set_train(True)
    return frechet_distance(images, generated)


netG.set_train()
netD.set_train()
data_iterator = dataset.create_tuple_iterator(num_epochs=num_epochs)
for epoch in range(num_epochs):
    for (imgs,) in data_iterator:
        g_loss, d_loss = train_step(imgs)
    if epoch % 5 == 4:
        print(f"[{epoch + 1:>2d}/{num_epochs}] D loss {float(d_loss.asnumpy()):.4f} G loss {float(g_loss.asnumpy()):.4f}"
              f" distance {evaluate():.3f}")  # fmt: skip

print(f"result: frechet_distance {evaluate():.4f}")
