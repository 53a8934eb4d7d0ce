"""The seven families of the checklist, a file each; beside each its text in two languages."""
