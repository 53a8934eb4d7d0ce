"""Two rings; trained with a hand-called TrainOneStepCell in batches given on the command line."""

import argparse

import mindspore as ms
from mindspore import nn
from rings import load


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=5)
    args = parser.parse_args()
    ms.set_seed(29)
    data = load(args.batch_size)
    net = nn.SequentialCell(nn.Dense(2, 24), nn.ReLU(), nn.Dense(24, 2))
    cell = nn.TrainOneStepCell(
        nn.WithLossCell(net, nn.CrossEntropyLoss()), nn.Adam(net.trainable_params(), learning_rate=0.01)
    )
    cell.set_train()
    batches = data.create_tuple_iterator(num_epochs=args.epochs)
    for epoch in range(args.epochs):
        for point, ring in batches:
            loss = cell(point, ring)
        print("epoch", epoch, "loss", float(loss))


if __name__ == "__main__":
    main()
