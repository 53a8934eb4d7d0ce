"""Where the ranks of a distributed run divide data, reduce gradients, and disagree."""
