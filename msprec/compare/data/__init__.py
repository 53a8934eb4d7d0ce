"""What two data pipelines deliver, compared."""

from msprec.compare.data.compare import save_batches

__all__ = ["save_batches"]
