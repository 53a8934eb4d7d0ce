"""Train a GCN on a citation graph."""

import argparse
import time
from types import SimpleNamespace

import mindspore as ms
from citations import load_citations, normalize_adjacency, normalize_features
from gcn import GCN, Accuracy, TrainNetWrapper
from mindspore import Tensor

config = SimpleNamespace(learning_rate=0.01, epochs=150, hidden1=16, dropout=0.5, weight_decay=5e-4)


def run_train():
    parser = argparse.ArgumentParser(description="GCN")
    parser.add_argument("--seed", type=int, default=123, help="random seed")
    args_opt = parser.parse_args()
    ms.set_seed(args_opt.seed)
    ms.set_context(mode=ms.GRAPH_MODE)

    features, labels, adjacency, train_mask, test_mask = load_citations()
    adj = Tensor(normalize_adjacency(adjacency))
    feature = Tensor(normalize_features(features))

    gcn_net = GCN(config, features.shape[1], labels.shape[1])
    train_net = TrainNetWrapper(gcn_net, labels, train_mask, config)
    test_accuracy = Accuracy(labels, test_mask)

    for epoch in range(config.epochs):
        start = time.time()
        train_net.set_train()
        train_loss, train_acc = train_net(adj, feature)
        if epoch % 10 == 9:
            print(f"Epoch: {epoch + 1:04d} train_loss={train_loss.asnumpy():.5f} train_acc={train_acc.asnumpy():.5f} "
                  f"time={time.time() - start:.5f}")  # fmt: skip

    gcn_net.set_train(False)
    accuracy = float(test_accuracy(gcn_net(adj, feature)).asnumpy())
    print(f"result: accuracy {accuracy:.4f}")


if __name__ == "__main__":
    run_train()
