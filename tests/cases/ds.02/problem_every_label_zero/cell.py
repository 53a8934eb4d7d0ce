from mindspore import nn, ops


class TrainCell(nn.Cell):
    """Loss, gradients, update."""

    def __init__(self, net, optimizer):
        super().__init__()
        self.with_loss = nn.WithLossCell(net, nn.CrossEntropyLoss())
        self.optimizer, self.weights = optimizer, optimizer.parameters
        self.grad = ops.GradOperation(get_by_list=True)

    def construct(self, tokens, target):
        loss = self.with_loss(tokens, target)
        return ops.depend(loss, self.optimizer(self.grad(self.with_loss, self.weights)(tokens, target)))
