"""A small BERT that the Trainer of transformers trains under mindnlp, on generated token ids."""

import sys

import mindnlp  # noqa: F401  (gives transformers its MindSpore back end; comes first)
import numpy as np
import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

DRAW = np.random.default_rng(0)


class Sentences(torch.utils.data.Dataset):
    """Twelve ids each; four of them tell the class."""

    def __init__(self, count):
        self.ids, self.labels = DRAW.integers(5, 60, (count, 12)), DRAW.integers(0, 2, count)
        self.ids[:, 0] = 2
        self.ids[:, 1:5] = 60 + self.labels[:, None]

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        ids = self.ids[index].tolist()
        return {"input_ids": ids, "attention_mask": [1] * len(ids), "labels": int(self.labels[index])}


def accuracy(result):
    return {"accuracy": float((np.argmax(result.predictions, -1) == result.label_ids).mean())}


network = BertForSequenceClassification(
    BertConfig(
        vocab_size=64,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=32,
        num_labels=2,
    )
)
settings = TrainingArguments(
    output_dir=sys.argv[1],
    num_train_epochs=2,
    per_device_train_batch_size=8,
    learning_rate=1e-3,
    logging_steps=2,
    save_strategy="no",
    eval_strategy="epoch",
    report_to="none",
    use_cpu=True,
    max_grad_norm=0.0,  # clipping asks for LinalgVectorNorm, which MindSpore 2.7.0 does not have on a CPU
    optim="sgd",  # AdamW asks for addcdiv, which mindnlp does not have on a CPU
)
trainer = Trainer(
    model=network,
    args=settings,
    train_dataset=Sentences(64),
    eval_dataset=Sentences(16),
    compute_metrics=accuracy,
)
trainer.train()
print(trainer.evaluate())
