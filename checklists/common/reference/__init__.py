"""The run held against a reference run, fact by fact."""
