"""The families of the checklist, a package each: those of the guide, and td beyond it."""
