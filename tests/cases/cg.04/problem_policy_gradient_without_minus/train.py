"""A contextual bandit: a policy learns which of four arms pays for which context."""

import mindspore as ms
import numpy as np
from mindspore import nn, ops

ms.set_seed(8)
rng = np.random.default_rng(8)
ARMS, FEATURES = 4, 6
best = rng.normal(size=(FEATURES, ARMS))


class Policy(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.SequentialCell(nn.Dense(FEATURES, 32), nn.ReLU(), nn.Dense(32, ARMS))

    def construct(self, context):
        return self.layers(context)


class PolicyGradient(nn.Cell):
    def construct(self, scores, arms, rewards):
        log_probs = ops.log_softmax(scores, axis=1)
        taken = (log_probs * ops.one_hot(arms, ARMS, ms.Tensor(1.0), ms.Tensor(0.0))).sum(axis=1)
        return (taken * rewards).mean()


policy, criterion = Policy(), PolicyGradient()
optimizer = nn.Adam(policy.trainable_params(), learning_rate=0.01)
grad_fn = ms.value_and_grad(lambda c, a, r: criterion(policy(c), a, r), None, optimizer.parameters)
policy.set_train()
for count in range(80):
    contexts = rng.normal(size=(64, FEATURES)).astype(np.float32)
    shares = ops.softmax(policy(ms.Tensor(contexts)), axis=1).asnumpy()
    arms = np.array([rng.choice(ARMS, p=share / share.sum()) for share in shares], np.int32)
    rewards = (contexts @ best)[np.arange(64), arms]
    advantages = ((rewards - rewards.mean()) / rewards.std()).astype(np.float32)
    loss, grads = grad_fn(ms.Tensor(contexts), ms.Tensor(arms), ms.Tensor(advantages))
    optimizer(grads)
    if count % 20 == 19:
        print("mean reward", rewards.mean())
