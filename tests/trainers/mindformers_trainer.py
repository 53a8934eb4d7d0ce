"""A small Llama that the Trainer of MindSpore Transformers trains, on generated token ids."""

import sys

import mindspore as ms
import numpy as np
from mindspore.dataset import GeneratorDataset

ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
from mindformers import LlamaConfig, LlamaForCausalLM, Trainer, TrainingArguments  # noqa: E402  (reads the context)


def rows():
    draw = np.random.default_rng(0)
    for _ in range(32):
        yield (((draw.integers(1, 30) + np.arange(17)) % 60 + 3).astype(np.int32),)


network = LlamaForCausalLM(
    LlamaConfig(
        batch_size=4,
        seq_length=16,
        hidden_size=32,
        num_layers=2,
        num_heads=4,
        vocab_size=64,
        compute_dtype="float32",
        layernorm_compute_type="float32",
        softmax_compute_type="float32",
        rotary_dtype="float32",
        param_init_type="float32",
        use_flash_attention=False,
        use_past=False,
    )
)
settings = TrainingArguments(
    output_dir=sys.argv[1],
    num_train_epochs=2,
    per_device_train_batch_size=4,
    learning_rate=1e-3,
    logging_steps=2,
    save_strategy="no",
    device_target="CPU",
    data_parallel=1,
    use_parallel=False,
)
dataset = GeneratorDataset(rows, ["input_ids"]).batch(4)
Trainer(args=settings, task="text_generation", model=network, train_dataset=dataset).train()
