"""Neural collaborative filtering: which films does a user like?"""

import argparse
import os
from dataclasses import dataclass

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Parameter, nn, ops
from mindspore.common.initializer import Normal, initializer
from mindspore.train import Callback, LossMonitor, Model
from sklearn.metrics import roc_auc_score


@dataclass
class NcfConfig:
    """Sizes and settings of the training."""

    num_users: int = 200
    num_items: int = 300
    emb_dim: int = 16
    batch_size: int = 128
    epochs: int = 14
    learning_rate: float = 5e-3
    l2_coef: float = 1e-5


def make_interactions(cfg, per_user=100, seed=9):
    """Users, items, and whether the user liked the item, from hidden tastes."""
    rng = np.random.default_rng(seed)
    tastes = rng.normal(0, 1, (cfg.num_users, 3))
    topics = rng.normal(0, 1, (cfg.num_items, 3))
    popularity = rng.normal(0, 0.7, cfg.num_items)
    users = np.repeat(np.arange(cfg.num_users), per_user)
    items = np.concatenate([rng.choice(cfg.num_items, per_user, replace=False) for _ in range(cfg.num_users)])
    score = (tastes[users] * topics[items]).sum(1) + popularity[items]
    liked = rng.random(len(users)) < 1 / (1 + np.exp(-2.0 * score))
    order = rng.permutation(len(users))
    return users[order].astype(np.int32), items[order].astype(np.int32), liked[order].astype(np.float32)


class NcfModel(nn.Cell):
    """Product of the embeddings beside a small network over both."""

    def __init__(self, cfg):
        super().__init__()
        self.user_table = Parameter(initializer(Normal(0.1), [cfg.num_users, cfg.emb_dim]), name="user_table")
        self.item_table = Parameter(initializer(Normal(0.1), [cfg.num_items, cfg.emb_dim]), name="item_table")
        self.layer1 = nn.Dense(2 * cfg.emb_dim, 32, activation="relu")
        self.layer2 = nn.Dense(32, 16, activation="relu")
        self.head = nn.Dense(cfg.emb_dim + 16, 1)
        self.gather = ops.Gather()
        self.concat = ops.Concat(axis=1)

    def construct(self, users, items):
        user_emb = self.gather(self.user_table, users, 0)
        item_emb = self.gather(self.item_table, items, 0)
        product = user_emb * item_emb
        deep = self.layer2(self.layer1(self.concat((user_emb, item_emb))))
        return self.head(self.concat((product, deep)))


class NetWithLossClass(nn.Cell):
    """The loss of a batch, with a penalty on the embeddings."""

    def __init__(self, network, cfg):
        super().__init__(auto_prefix=False)
        self.network = network
        self.l2_coef = cfg.l2_coef
        self.loss = ops.SigmoidCrossEntropyWithLogits()
        self.mean = ops.ReduceMean(keep_dims=False)
        self.sum = ops.ReduceSum(keep_dims=False)
        self.square = ops.Square()

    def construct(self, users, items, label):
        predict = self.network(users, items)
        log_loss = self.mean(self.loss(predict, label))
        l2_loss = self.sum(self.square(self.network.user_table)) + self.sum(self.square(self.network.item_table))
        return log_loss + self.l2_coef * l2_loss


class TrainStepWrap(nn.Cell):
    """One step of the training."""

    def __init__(self, network, cfg):
        super().__init__(auto_prefix=False)
        self.network = network
        self.network.set_train()
        self.weights = ms.ParameterTuple(network.trainable_params())
        self.optimizer = nn.Adam(self.weights, learning_rate=cfg.learning_rate, eps=1e-8)
        self.grad = ops.GradOperation(get_by_list=True)

    def construct(self, users, items, label):
        loss = self.network(users, items, label)
        grads = self.grad(self.network, self.weights)(users, items, label)
        return ops.depend(loss, self.optimizer(grads))


class EvalCallBack(Callback):
    """The area under the curve at the end of each epoch."""

    def __init__(self, net, dataset):
        super().__init__()
        self.net = net
        self.dataset = dataset
        self.auc = 0.0

    def on_train_epoch_end(self, run_context):
        cb_params = run_context.original_args()
        self.net.set_train(False)
        scores, labels = [], []
        for users, items, label in self.dataset.create_tuple_iterator():
            scores.append(self.net(users, items).asnumpy())
            labels.append(label.asnumpy())
        self.auc = roc_auc_score(np.concatenate(labels).ravel(), np.concatenate(scores).ravel())
        self.net.set_train(True)
        print(f"epoch {cb_params.cur_epoch_num}: AUC {self.auc:.4f}", flush=True)


def create_dataset(users, items, liked, batch_size, train_mode=True):
    columns = {"users": users, "items": items, "label": liked[:, None]}
    dataset = ds.NumpySlicesDataset(columns, shuffle=train_mode)
    return dataset.batch(batch_size, drop_remainder=train_mode)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=int(os.environ.get("SEED", "1")))
    options = parser.parse_args()
    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_seed(options.seed)

    config = NcfConfig()
    users, items, liked = make_interactions(config)
    split = 16000
    ds_train = create_dataset(users[:split], items[:split], liked[:split], config.batch_size)
    ds_eval = create_dataset(users[split:], items[split:], liked[split:], config.batch_size, train_mode=False)

    ncf = NcfModel(config)
    train_net = TrainStepWrap(NetWithLossClass(ncf, config), config)
    eval_callback = EvalCallBack(ncf, ds_eval)
    model = Model(train_net)
    model.train(config.epochs, ds_train, callbacks=[LossMonitor(ds_train.get_dataset_size()), eval_callback],
                dataset_sink_mode=False)  # fmt: skip
    print(f"result: auc {eval_callback.auc:.4f}")
