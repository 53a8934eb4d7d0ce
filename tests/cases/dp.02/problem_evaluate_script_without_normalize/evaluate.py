import argparse

import mindspore as ms
import mindspore.dataset as ds
import mindspore.dataset.vision as transforms
from mindspore.train import Accuracy
from network import Net
from patterns import patterns


def test_set(seed, batch):
    steps = [transforms.Rescale(1 / 255, 0.0)]
    steps.append(transforms.HWC2CHW())
    data = ds.NumpySlicesDataset(patterns(seed, 90), column_names=["picture", "kind"], shuffle=False)
    return data.map(operations=steps, input_columns=["picture"]).batch(batch)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=2)
    parser.add_argument("--batch", type=int, default=30)
    args = parser.parse_args()
    net = Net()
    ms.load_param_into_net(net, ms.load_checkpoint("net.ckpt"))
    model = ms.Model(net, metrics={"accuracy": Accuracy()})
    print(model.eval(test_set(args.seed, args.batch), dataset_sink_mode=False))


if __name__ == "__main__":
    main()
