"""The data pipelines that a script builds, read without running it: operations with their effective parameters and places."""

from msprec.source.pipelines.reader import read_pipelines

__all__ = ["read_pipelines"]
