"""A citation graph: papers with their words, subject, and whom they cite."""

import numpy as np


def load_citations(nodes=600, words=200, classes=4, seed=13):
    """Features, one-hot labels, the normalised adjacency matrix, and the masks of training and test."""
    rng = np.random.default_rng(seed)
    subject = rng.integers(0, classes, nodes)
    topics = rng.random((classes, words)) < 0.08
    features = (rng.random((nodes, words)) < 0.012 + 0.05 * topics[subject]).astype(np.float32)
    features[:, 0] = 1.0
    same = subject[:, None] == subject[None, :]
    adjacency = np.triu(rng.random((nodes, nodes)) < np.where(same, 0.025, 0.002), 1)
    adjacency = (adjacency | adjacency.T).astype(np.float32)
    labels = np.eye(classes, dtype=np.float32)[subject]
    order = rng.permutation(nodes)
    train_mask, test_mask = np.zeros(nodes, np.float32), np.zeros(nodes, np.float32)
    train_mask[order[:160]] = 1.0
    test_mask[order[200:]] = 1.0
    return features, labels, adjacency, train_mask, test_mask


def normalize_features(features):
    """Each row sums to one."""
    return features / features.sum(1, keepdims=True)


def normalize_adjacency(adjacency):
    """The symmetric normalisation of the graph with self loops."""
    adjacency = adjacency + np.eye(len(adjacency), dtype=np.float32)
    scale = 1 / np.sqrt(adjacency.sum(1))
    return adjacency * scale[:, None] * scale[None, :]
