"""Experiments on a script: what each suspect costs, tried out on a copy, and a patch of what helped."""
