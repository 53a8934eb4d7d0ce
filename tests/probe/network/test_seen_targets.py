"""Whether a prediction of the next token changes with that token."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor, nn, ops

from msprec.locate.replay import of_forward
from msprec.probe.network.seen_targets import seen_targets
from msprec.probe.steps.captured_steps import Material

LENGTH, VOCABULARY = 8, 11
TOKENS = np.random.default_rng(0).integers(0, VOCABULARY, (6, LENGTH + 1)).astype(np.int32)


class Attention(nn.Cell):
    def __init__(self, causal):
        super().__init__()
        self.embedding, self.head = nn.Embedding(VOCABULARY, 8, embedding_table="normal"), nn.Dense(8, VOCABULARY)
        self.dropout = nn.Dropout(p=0.5)
        self.mask = Tensor(np.triu(np.full((LENGTH, LENGTH), -1e4, np.float32), 1) * causal)

    def construct(self, tokens):
        hidden = self.embedding(tokens)
        shares = ops.softmax(ops.matmul(hidden, hidden.swapaxes(1, 2)) + self.mask, axis=-1)
        return self.head(self.dropout(ops.matmul(shares, hidden)))


def facts(net, inputs, forward):
    ms.set_context(mode=ms.PYNATIVE_MODE)
    net.set_train()
    material = Material()
    material.offer(
        "functional",
        inputs,
        lambda batch, _=None: of_forward(forward(net), batch, net.trainable_params(), [net]),
        [net],
        [],
    )
    return seen_targets(material)


def of_next(net):
    return lambda tokens, following: ops.cross_entropy(net(tokens).reshape(-1, VOCABULARY), following.reshape(-1))


@pytest.mark.parametrize("causal", [True, False])
def test_next_token(causal):
    found = facts(Attention(causal), (Tensor(TOKENS[:, :-1]), Tensor(TOKENS[:, 1:])), of_next)
    assert found["shift"] == 1
    assert (found["before"] == 0) == causal
    assert (found["operator"] == "softmax") == (not causal)


@pytest.mark.parametrize("causal", [True, False])
def test_input_that_is_not_shifted(causal):
    """With a mask each place sees its own target and no later one."""

    def forward(net):
        return lambda tokens: ops.cross_entropy(net(tokens[:, 1:]).swapaxes(1, 2), tokens[:, 1:])

    found = facts(Attention(causal), (Tensor(TOKENS),), forward)
    assert found["shift"] == 1 and found["before"] > 0.1
    assert (found["earlier"] == 0) == causal


@pytest.mark.parametrize("shifted", [True, False])
def test_a_decoder_behind_a_start_token(shifted):
    """It is given the start, and the targets from the second on in their own places, or from the first on one place later."""
    start = np.full((6, 1), VOCABULARY - 1, np.int32)
    given = np.concatenate([start, TOKENS[:, :-2] if shifted else TOKENS[:, 1:-1]], axis=1)
    found = facts(Attention(True), (Tensor(given), Tensor(TOKENS[:, :-1])), of_next)
    assert found["shift"] == (1 if shifted else 0) and found["before"] == 0 and found["after"] > 0.01


def test_slices_of_one_input():
    def forward(net):
        return lambda tokens: ops.cross_entropy(net(tokens[:, :-1]).swapaxes(1, 2), tokens[:, 1:])

    assert facts(Attention(False), (Tensor(TOKENS),), forward)["before"] > 0.001


@pytest.mark.parametrize("causal", [True, False])
def test_last_places_alone_and_one_beyond_the_input(causal):
    """As of a prompt that is given and an answer that is learnt: both are arguments of the step."""

    def forward(net):
        return lambda given, following: ops.cross_entropy(
            net(given)[:, 3:].reshape(-1, VOCABULARY), following[:, 3:].reshape(-1)
        )

    found = facts(Attention(causal), (Tensor(TOKENS[:, :-1]), Tensor(TOKENS[:, 1:])), forward)
    assert found["shift"] == 1 and (found["before"] == 0) == causal
    assert (found["operator"] == "softmax") == (not causal)


def test_own_tokens_of_a_causal_network():
    found = facts(Attention(True), (Tensor(TOKENS[:, :-1]), Tensor(TOKENS[:, :-1])), of_next)
    assert (found["shift"], found["before"]) == (0, 0)
    assert found["after"] > 0.001 and found["own"] > 0.001


@pytest.mark.parametrize("length", [4, LENGTH])
def test_a_decoder_that_shifts_what_it_is_given(length):
    """As with teacher forcing inside the network: each place is given the token before it."""

    def forward(net):
        def shifted(tokens, following):
            given = ops.cat((ops.zeros_like(tokens[:, :1]), tokens[:, :-1]), 1)
            hidden = net.embedding(given)
            carried = ops.cumsum(hidden, 1)
            return ops.cross_entropy(net.head(carried).reshape(-1, VOCABULARY), following.reshape(-1))

        return shifted

    tokens = Tensor(np.tile(TOKENS, (4, 1))[:, :length])
    found = facts(Attention(False), (tokens, tokens), forward)
    assert (found["shift"], found["before"], found["own"]) == (0, 0, 0) and found["after"] > 0.1


def test_other_targets_tell_nothing():
    tags = np.random.default_rng(1).integers(0, VOCABULARY, (6, LENGTH)).astype(np.int32)
    assert facts(Attention(False), (Tensor(TOKENS[:, :-1]), Tensor(tags)), of_next) is None
