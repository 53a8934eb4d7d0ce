"""What the delivered data are: their quantities, scales, labels and files (ds, dp)."""
