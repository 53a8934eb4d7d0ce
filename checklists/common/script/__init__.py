"""What the source of the script says of the values in a place: origins of arrays and settings, callers, arguments."""
