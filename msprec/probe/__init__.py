"""Short probes once a script has ended: on what its run has left in memory, restored bit by bit afterwards."""
