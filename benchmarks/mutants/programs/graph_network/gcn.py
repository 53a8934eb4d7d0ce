"""GCN and the cells that train and evaluate it."""

import mindspore as ms
from mindspore import Parameter, Tensor, nn, ops
from mindspore.common.initializer import XavierUniform, initializer


class GraphConvolution(nn.Cell):
    """One graph convolution."""

    def __init__(self, feature_in_dim, feature_out_dim, dropout_ratio=None, activation=None):
        super().__init__()
        self.in_dim = feature_in_dim
        self.out_dim = feature_out_dim
        self.weight = Parameter(initializer(XavierUniform(), [feature_in_dim, feature_out_dim]), name="weight")
        self.bias = Parameter(initializer("zeros", [feature_out_dim]), name="bias")
        self.dropout = nn.Dropout(p=dropout_ratio) if dropout_ratio is not None else None
        self.activation = nn.get_activation(activation) if activation is not None else None
        self.matmul = ops.MatMul()

    def construct(self, adj, input_feature):
        dropout = input_feature
        if self.dropout is not None:
            dropout = self.dropout(dropout)
        feature = self.matmul(dropout, self.weight)
        output = self.matmul(adj, feature) + self.bias
        if self.activation is not None:
            output = self.activation(output)
        return output


class GCN(nn.Cell):
    """Two graph convolutions."""

    def __init__(self, config, input_dim, output_dim):
        super().__init__()
        self.layer0 = GraphConvolution(input_dim, config.hidden1, activation="relu", dropout_ratio=config.dropout)
        self.layer1 = GraphConvolution(config.hidden1, output_dim, dropout_ratio=config.dropout)

    def construct(self, adj, feature):
        output0 = self.layer0(adj, feature)
        return self.layer1(adj, output0)


class Loss(nn.Cell):
    """Softmax cross-entropy over the nodes of the mask, with weight decay on the first layer."""

    def __init__(self, label, mask, weight_decay, param):
        super().__init__(auto_prefix=False)
        self.label = Tensor(label)
        self.mask = Tensor(mask)
        self.loss = ops.SoftmaxCrossEntropyWithLogits()
        self.weight_decay = weight_decay
        self.param = param

    def construct(self, preds):
        l2_loss = self.weight_decay * (self.param * self.param).sum() / 2
        loss = self.loss(preds, self.label)[0]
        mask = self.mask / self.mask.mean()
        return l2_loss + (loss * mask).mean()


class Accuracy(nn.Cell):
    """Accuracy over the nodes of the mask."""

    def __init__(self, label, mask):
        super().__init__(auto_prefix=False)
        self.label = Tensor(label.argmax(1), ms.int32)
        self.mask = Tensor(mask)

    def construct(self, preds):
        correct = ops.equal(ops.argmax(preds, dim=1).astype(ms.int32), self.label).astype(ms.float32)
        return (correct * self.mask).sum() / self.mask.sum()


class LossNetWrapper(nn.Cell):
    """The network with its loss."""

    def __init__(self, network, label, mask, weight_decay):
        super().__init__(auto_prefix=False)
        self.network = network
        self.loss = Loss(label, mask, weight_decay, network.layer0.weight)

    def construct(self, adj, feature):
        return self.loss(self.network(adj, feature))


class TrainNetWrapper(nn.Cell):
    """One training step on the whole graph, and the accuracy on the nodes of training."""

    def __init__(self, network, label, mask, config):
        super().__init__(auto_prefix=False)
        self.network = network
        loss_net = LossNetWrapper(network, label, mask, config.weight_decay)
        optimizer = nn.Adam(loss_net.trainable_params(), learning_rate=config.learning_rate)
        self.loss_train_net = nn.TrainOneStepCell(loss_net, optimizer)
        self.accuracy = Accuracy(label, mask)

    def construct(self, adj, feature):
        loss = self.loss_train_net(adj, feature)
        return loss, self.accuracy(self.network(adj, feature))
