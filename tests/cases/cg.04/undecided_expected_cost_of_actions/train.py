"""The same choice by its expected cost, which is to fall: no minus belongs before it."""

import mindspore as ms
import numpy as np
from mindspore import nn, ops

ms.set_seed(8)
rng = np.random.default_rng(8)
ROUTES, FEATURES = 4, 6
length = rng.normal(size=(FEATURES, ROUTES))

planner = nn.SequentialCell(nn.Dense(FEATURES, 32), nn.ReLU(), nn.Dense(32, ROUTES))
optimizer = nn.Adam(planner.trainable_params(), learning_rate=0.01)


def surrogate(places, routes, costs):
    log_probs = ops.log_softmax(planner(places), axis=1)
    taken = ops.gather_elements(log_probs, 1, routes.reshape(-1, 1)).reshape(-1)
    return (taken * costs).mean()


grad_fn = ms.value_and_grad(surrogate, None, optimizer.parameters)
planner.set_train()
for count in range(80):
    places = rng.normal(size=(64, FEATURES)).astype(np.float32)
    shares = ops.softmax(planner(ms.Tensor(places)), axis=1).asnumpy()
    routes = np.array([rng.choice(ROUTES, p=share / share.sum()) for share in shares], np.int32)
    costs = (places @ length)[np.arange(64), routes]
    relative = ((costs - costs.mean()) / costs.std()).astype(np.float32)
    loss, grads = grad_fn(ms.Tensor(places), ms.Tensor(routes), ms.Tensor(relative))
    optimizer(grads)
    if count % 20 == 19:
        print("mean cost", costs.mean())
