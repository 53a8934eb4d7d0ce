import mindspore as ms
import numpy as np
from mindspore import nn, ops
from mindspore.dataset import GeneratorDataset
from sklearn.datasets import load_digits

ms.set_seed(10)
digits = load_digits()
images = (digits.images * 255.0 / 16.0).astype(np.uint8)


class Digits:
    def __init__(self, imgs, labels):
        self.imgs = imgs
        self.labels = labels

    def __getitem__(self, i):
        img = (self.imgs[i].astype(np.float32)[None] / 255.0 - 0.3) / 0.37
        return img, np.int32(self.labels[i])

    def __len__(self):
        return len(self.imgs)


train = GeneratorDataset(Digits(images[:1500], digits.target[:1500]), ["image", "label"], shuffle=True).batch(32)
test = GeneratorDataset(Digits(images[1500:], digits.target[1500:]), ["image", "label"], shuffle=False).batch(32)


class CNN(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 3, pad_mode="pad", padding=1)
        self.pool = nn.MaxPool2d(2, 2)
        self.fc1 = nn.Dense(8 * 4 * 4, 32)
        self.fc2 = nn.Dense(32, 10)

    def construct(self, x):
        x = self.pool(ops.relu(self.conv(x)))
        x = x.reshape(x.shape[0], -1)
        return self.fc2(ops.relu(self.fc1(x)))


net = CNN()
loss_fn = nn.CrossEntropyLoss()
opt = nn.SGD(net.trainable_params(), learning_rate=0.05, momentum=0.9)


def forward_fn(x, t):
    logits = net(x)
    return loss_fn(logits, t), logits


grad_fn = ms.value_and_grad(forward_fn, None, opt.parameters, has_aux=True)
for epoch in range(5):
    net.set_train()
    for x, t in train.create_tuple_iterator():
        (loss, _), grads = grad_fn(x, t)
        opt(grads)
    net.set_train(False)
    right = 0
    for x, t in test.create_tuple_iterator():
        right += int((net(x).argmax(1) == t).sum())
    print(epoch, float(loss), "acc", right / 297)
