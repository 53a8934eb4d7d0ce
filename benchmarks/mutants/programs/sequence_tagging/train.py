"""Tag the words of sentences with their part of speech by a bidirectional LSTM."""

import argparse

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from corpus import TAGS, make_sentences
from mindspore import nn, ops

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--epochs", type=int, default=4)
args = parser.parse_args()

ms.set_context(mode=ms.PYNATIVE_MODE)
ms.set_seed(args.seed)

MAX_LEN = 16
PAD = 0

sentences = make_sentences(1200)
word_to_idx = {"<pad>": PAD}
for words, _ in sentences:
    for word in words:
        if word not in word_to_idx:
            word_to_idx[word] = len(word_to_idx)
tag_to_idx = {tag: index for index, tag in enumerate(TAGS)}


class TaggedSentences:
    """Sentences as padded rows of ids, with their lengths."""

    def __init__(self, data):
        self.data = data

    def __getitem__(self, index):
        words, tags = self.data[index]
        length = len(words)
        ids = [word_to_idx[w] for w in words] + [PAD] * (MAX_LEN - length)
        labels = [tag_to_idx[t] for t in tags] + [PAD] * (MAX_LEN - length)
        return np.array(ids, np.int32), np.array(length, np.int32), np.array(labels, np.int32)

    def __len__(self):
        return len(self.data)


class BiLSTMTagger(nn.Cell):
    """Embedding, bidirectional LSTM, dense layer."""

    def __init__(self, vocab_size, embedding_dim, hidden_dim, num_tags):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_dim, padding_idx=PAD)
        self.lstm = nn.LSTM(embedding_dim, hidden_dim // 2, bidirectional=True, batch_first=True)
        self.dropout = nn.Dropout(p=0.1)
        self.hidden2tag = nn.Dense(hidden_dim, num_tags)

    def construct(self, inputs, seq_length):
        embeds = self.embedding(inputs)
        outputs, _ = self.lstm(embeds, seq_length=seq_length)
        return self.hidden2tag(self.dropout(outputs))


train_source = TaggedSentences(sentences[:960])
test_source = TaggedSentences(sentences[960:])
columns = ["words", "length", "tags"]
train_data = ds.GeneratorDataset(train_source, columns, shuffle=True).batch(32, drop_remainder=True)
test_data = ds.GeneratorDataset(test_source, columns, shuffle=False).batch(50)

model = BiLSTMTagger(len(word_to_idx), 32, 48, len(TAGS))
criterion = nn.CrossEntropyLoss(ignore_index=PAD)
optimizer = nn.Adam(model.trainable_params(), learning_rate=0.005)


def forward_fn(words, length, tags):
    logits = model(words, length)
    return criterion(logits.view(-1, len(TAGS)), tags.view(-1))


grad_fn = ms.value_and_grad(forward_fn, None, optimizer.parameters)


def evaluate(data):
    """Share of words, padding left out, with the right tag."""
    model.set_train(False)
    right = total = 0
    for words, length, tags in data.create_tuple_iterator():
        predicted = ops.argmax(model(words, length), dim=-1).asnumpy()
        tags = tags.asnumpy()
        mask = tags != PAD
        right += int(((predicted == tags) & mask).sum())
        total += int(mask.sum())
    return right / total


accuracy = 0.0
train_iterator = train_data.create_tuple_iterator(num_epochs=args.epochs)
for epoch in range(args.epochs):
    model.set_train()
    total_loss = 0.0
    for words, length, tags in train_iterator:
        loss, grads = grad_fn(words, length, tags)
        optimizer(grads)
        total_loss += float(loss.asnumpy())
    accuracy = evaluate(test_data)
    print(f"epoch {epoch + 1}: loss {total_loss / train_data.get_dataset_size():.4f}, accuracy {accuracy:.4f}")

print(f"result: accuracy {accuracy:.4f}")
