"""Probes of what the network does with its inputs: units, tokens, attention, places."""
