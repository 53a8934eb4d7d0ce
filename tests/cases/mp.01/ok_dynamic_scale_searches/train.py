"""Digits in mixed precision (O2); the dynamic loss scale starts at 2**24 and finds its value."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import amp, nn
from sklearn.datasets import load_digits

ms.set_seed(61)

digits = load_digits()
images = (digits.images[:, None] / 8.0 - 1.0).astype(np.float32)
train_set = ds.NumpySlicesDataset((images, digits.target.astype(np.int32)), ["image", "label"], shuffle=True).batch(32)

net = nn.SequentialCell(
    nn.Conv2d(1, 8, 3, pad_mode="same"), nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten(), nn.Dense(128, 10)
)
net = amp.auto_mixed_precision(net, "O2")
optimizer = nn.Adam(net.trainable_params(), learning_rate=2e-3)
scale = nn.DynamicLossScaleUpdateCell(loss_scale_value=2**24, scale_factor=2, scale_window=1000)


class Step(nn.TrainOneStepWithLossScaleCell):
    """Clips the unscaled gradients, nothing else differs."""

    def construct(self, image, label):
        loss = self.network(image, label)
        status, sens = self.start_overflow_check(loss, self.scale_sense)
        grads = self.grad(self.network, self.weights)(image, label, sens.astype(loss.dtype))
        grads = [grad.astype(ms.float32) / self.scale_sense for grad in grads]
        overflow = self.process_loss_scale(self.get_overflow_status(status, grads))
        if not overflow:
            self.optimizer(tuple(ms.ops.clip_by_norm(grad, 5.0) for grad in grads))
        return loss, overflow, sens


step = Step(nn.WithLossCell(net, nn.CrossEntropyLoss()), optimizer, scale)
step.set_train()
batches = train_set.create_tuple_iterator(num_epochs=2)
for epoch in range(2):
    losses = [float(step(image, label)[0]) for image, label in batches]
    print(f"epoch {epoch}: {np.mean(losses):.3f}")
