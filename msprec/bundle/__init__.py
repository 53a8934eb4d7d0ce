"""The archive for a request for help: what goes in, what is replaced, and opening it again. Never imports MindSpore."""
