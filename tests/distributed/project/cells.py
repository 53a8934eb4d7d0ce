"""Training cells of a user's own, in a file of their own for the graph compiler."""

import mindspore as ms
from mindspore import nn, ops


class SumsGradients(nn.Cell):
    """A training cell that adds up the gradients of all ranks itself."""

    def __init__(self, network, optimizer):
        super().__init__(auto_prefix=False)
        self.network, self.optimizer = network, optimizer
        self.reducer = nn.DistributedGradReducer(optimizer.parameters)
        self.gradients = ops.value_and_grad(network, None, optimizer.parameters)

    def construct(self, *inputs):
        loss, gradients = self.gradients(*inputs)
        return ops.depend(loss, self.optimizer(self.reducer(gradients)))


class LocalCheckCell(nn.TrainOneStepWithLossScaleCell):
    """Judges overflow before the gradients are added up, and tells nobody: each rank has a scale of its own."""

    def construct(self, *inputs):
        loss = self.network(*inputs)
        scale = self.scale_sense
        sens = ops.ones_like(loss) * ops.cast(scale, loss.dtype)
        gradients = self.grad(self.network, self.weights)(*inputs, sens)
        gradients = self.hyper_map(ops.partial(nn.wrap.loss_scale._grad_scale, scale), gradients)
        finite = ms.amp.all_finite(gradients)
        overflow = self.loss_scaling_manager(self.scale_sense, ops.logical_not(finite))
        gradients = self.grad_reducer(gradients)
        if not overflow:
            loss = ops.depend(loss, self.optimizer(gradients))
        return loss, overflow, scale
