"""Configuration of the text classifier."""

import os

seed = int(os.getenv("SEED", "1"))
max_len = 24
embedding_size = 32
num_filters = 16
kernel_sizes = (2, 3, 4)
drop_rate = 0.2
num_classes = 3
batch_size = 32
epoch_size = 14
learning_rate = 0.002
weight_decay = 1e-5
