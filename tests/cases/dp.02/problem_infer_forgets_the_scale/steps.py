from mindspore import nn, ops


class TrainCell(nn.Cell):
    """One step: loss, gradients, update."""

    def __init__(self, net, optimizer):
        super().__init__()
        self.net, self.optimizer = net, optimizer
        self.loss = nn.CrossEntropyLoss()
        self.with_loss = nn.WithLossCell(net, self.loss)
        self.grad = ops.GradOperation(get_by_list=True)

    def construct(self, tile, target):
        loss = self.with_loss(tile, target)
        grads = self.grad(self.with_loss, self.optimizer.parameters)(tile, target)
        self.optimizer(grads)
        return loss
