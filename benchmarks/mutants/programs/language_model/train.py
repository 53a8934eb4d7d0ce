"""Train a small GPT on weather reports, letter by letter."""

import argparse
import math

import mindspore as ms
import numpy as np
from mindspore import nn, ops
from mindspore.dataset import GeneratorDataset
from model import TransformerLM
from text import write_reports

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--lr", type=float, default=4e-3)
parser.add_argument("--steps", type=int, default=220)
parser.add_argument("--batch", type=int, default=24)
parser.add_argument("--block", type=int, default=40)
args = parser.parse_args()

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(args.seed)

corpus = write_reports()
chars = sorted(set(corpus))
stoi = {c: i for i, c in enumerate(chars)}
ids = np.array([stoi[c] for c in corpus], np.int32)
split = int(0.9 * len(ids))


class Windows:
    """Pieces of the text, and the same shifted by one letter."""

    def __init__(self, ids, block):
        self.ids, self.block = ids, block

    def __getitem__(self, index):
        start = index * self.block
        return self.ids[start : start + self.block], self.ids[start + 1 : start + self.block + 1]

    def __len__(self):
        return (len(self.ids) - 1) // self.block


train_data = GeneratorDataset(Windows(ids[:split], args.block), ["tokens", "targets"], shuffle=True)
train_data = train_data.batch(args.batch, drop_remainder=True)
valid_data = GeneratorDataset(Windows(ids[split:], args.block), ["tokens", "targets"], shuffle=False)
valid_data = valid_data.batch(args.batch)

model = TransformerLM(len(chars), args.block)
warmup = 20
schedule = [
    args.lr * min(1.0, (step + 1) / warmup) * (0.55 + 0.45 * math.cos(math.pi * step / args.steps))
    for step in range(args.steps)
]
decay = [p for p in model.trainable_params() if p.ndim >= 2]
no_decay = [p for p in model.trainable_params() if p.ndim < 2]
groups = [{"params": decay, "weight_decay": 0.01}, {"params": no_decay, "weight_decay": 0.0}]
optimizer = nn.AdamWeightDecay(groups, learning_rate=schedule, beta2=0.95)


def forward_fn(tokens, targets):
    logits = model(tokens)
    return ops.cross_entropy(logits.reshape(-1, logits.shape[-1]), targets.reshape(-1))


grad_fn = ms.value_and_grad(forward_fn, None, optimizer.parameters)


@ms.jit
def train_step(tokens, targets):
    loss, grads = grad_fn(tokens, targets)
    grads = ops.clip_by_global_norm(grads, 1.0)
    optimizer(grads)
    return loss


def perplexity(data):
    """The exponential of the mean loss of a letter."""
    model.set_train(False)
    losses = [float(forward_fn(tokens, targets).asnumpy()) for tokens, targets in data.create_tuple_iterator()]
    model.set_train(True)
    return math.exp(np.mean(losses))


model.set_train()
step = 0
train_iterator = train_data.create_tuple_iterator()
while step < args.steps:
    for tokens, targets in train_iterator:
        loss = train_step(tokens, targets)
        step += 1
        if step % 40 == 0:
            print(f"step {step}: loss {float(loss.asnumpy()):.4f}")
        if step == args.steps:
            break
print(f"result: perplexity {perplexity(valid_data):.4f}")
