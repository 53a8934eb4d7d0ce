"""Segment shapes in noisy pictures with a U-Net."""

import argparse

import mindspore as ms
import mindspore.dataset as ds
import mindspore.dataset.vision as vision
import numpy as np
from mindspore import nn, ops
from mindspore.train import Callback, LossMonitor, Model, TimeMonitor
from shapes import ShapesDataset
from unet import UNet


class BCEDiceLoss(nn.LossBase):
    """Binary cross-entropy on logits plus the Dice loss."""

    def __init__(self, smooth=1.0):
        super().__init__()
        self.bce = nn.BCEWithLogitsLoss()
        self.smooth = smooth

    def construct(self, logits, label):
        bce = self.bce(logits, label)
        prob = ops.sigmoid(logits)
        overlap = (prob * label).sum()
        dice = (2 * overlap + self.smooth) / (prob.sum() + label.sum() + self.smooth)
        return bce + 1 - dice


def create_dataset(count, seed, batch_size, is_training):
    source = ShapesDataset(count, seed)
    data = ds.GeneratorDataset(source, ["image", "mask"], shuffle=is_training)
    data = data.map([vision.Rescale(1.0 / 255.0, 0.0), vision.Normalize([0.3], [0.2]), vision.HWC2CHW()], "image")
    data = data.map([vision.HWC2CHW(), lambda mask: mask.astype(np.float32)], "mask")
    return data.batch(batch_size, drop_remainder=is_training)


def intersection_over_union(net, data):
    net.set_train(False)
    overlap = union = 0
    for image, mask in data.create_tuple_iterator(num_epochs=1):
        predicted = net(image).asnumpy() > 0
        truth = mask.asnumpy() > 0.5
        overlap += (predicted & truth).sum()
        union += (predicted | truth).sum()
    return overlap / union


class EvalMonitor(Callback):
    """Evaluates every second epoch."""

    def __init__(self, net, data):
        super().__init__()
        self.net, self.data = net, data

    def on_train_epoch_end(self, run_context):
        epoch = run_context.original_args().cur_epoch_num
        if epoch % 2 == 0:
            print(f"epoch {epoch}: IoU {intersection_over_union(self.net, self.data):.4f}")
            self.net.set_train(True)


def train(args):
    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_seed(args.seed)
    train_data = create_dataset(256, 1, args.batch_size, True)
    valid_data = create_dataset(64, 2, args.batch_size, False)
    steps = train_data.get_dataset_size()

    net = UNet()
    lr = nn.cosine_decay_lr(args.lr / 50, args.lr, steps * args.epochs, steps, args.epochs)
    optimizer = nn.AdamWeightDecay(net.trainable_params(), learning_rate=lr, weight_decay=1e-4)
    model = Model(net, loss_fn=BCEDiceLoss(), optimizer=optimizer)
    callbacks = [LossMonitor(steps), TimeMonitor(), EvalMonitor(net, valid_data)]
    model.train(args.epochs, train_data, callbacks=callbacks, dataset_sink_mode=False)
    return intersection_over_union(net, valid_data)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", default=5e-3, type=float)
    parser.add_argument("--epochs", default=6, type=int)
    parser.add_argument("--batch-size", default=16, type=int)
    parser.add_argument("--seed", default=1, type=int)
    print(f"result: iou {train(parser.parse_args()):.4f}")
