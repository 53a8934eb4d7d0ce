"""A small decoder-only transformer."""

import math

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops
from mindspore.common.initializer import Normal, initializer


class CausalSelfAttention(nn.Cell):
    """Attention of several heads over the positions so far."""

    def __init__(self, hidden, heads, length):
        super().__init__()
        self.heads = heads
        self.size = hidden // heads
        self.qkv = nn.Dense(hidden, 3 * hidden)
        self.proj = nn.Dense(hidden, hidden)
        self.mask = Tensor(np.triu(np.full((length, length), -1e9, np.float32), 1))

    def construct(self, x):
        batch, length, hidden = x.shape
        qkv = self.qkv(x).reshape(batch, length, 3, self.heads, self.size).transpose(2, 0, 3, 1, 4)
        query, key, value = qkv[0], qkv[1], qkv[2]
        scores = ops.matmul(query, key.swapaxes(-1, -2)) / math.sqrt(self.size)
        weights = ops.softmax(scores + self.mask[:length, :length], -1)
        out = ops.matmul(weights, value).transpose(0, 2, 1, 3).reshape(batch, length, hidden)
        return self.proj(out)


class Block(nn.Cell):
    """Attention and feed-forward, each with a residual connection."""

    def __init__(self, hidden, heads, length, dropout):
        super().__init__()
        self.ln1 = nn.LayerNorm((hidden,), epsilon=1e-5)
        self.attention = CausalSelfAttention(hidden, heads, length)
        self.ln2 = nn.LayerNorm((hidden,), epsilon=1e-5)
        self.mlp = nn.SequentialCell(
            nn.Dense(hidden, 4 * hidden),
            nn.GELU(approximate=False),
            nn.Dense(4 * hidden, hidden),
            nn.Dropout(p=dropout),
        )

    def construct(self, x):
        x = x + self.attention(self.ln1(x))
        return x + self.mlp(self.ln2(x))


class TransformerLM(nn.Cell):
    """Token and position embeddings, blocks, and a projection to the vocabulary."""

    def __init__(self, vocab_size, length, hidden=48, heads=4, layers=2, dropout=0.05):
        super().__init__()
        self.wte = nn.Embedding(vocab_size, hidden, embedding_table=Normal(0.02))
        self.wpe = Parameter(initializer(Normal(0.02), (length, hidden), ms.float32), name="wpe")
        self.blocks = nn.CellList([Block(hidden, heads, length, dropout) for _ in range(layers)])
        self.ln_f = nn.LayerNorm((hidden,), epsilon=1e-5)
        self.lm_head = nn.Dense(hidden, vocab_size, has_bias=False)

    def construct(self, tokens):
        x = self.wte(tokens) + self.wpe[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.lm_head(self.ln_f(x))
