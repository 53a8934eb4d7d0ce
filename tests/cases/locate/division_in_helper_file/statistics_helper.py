"""Row statistics."""


def spread(x, mean):
    return ((x - mean) ** 2).mean(-1, keep_dims=True)


def standardise(x):
    mean = x.mean(-1, keep_dims=True)
    return (x - mean) / spread(x, mean)  # here
