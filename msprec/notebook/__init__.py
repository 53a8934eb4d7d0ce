"""msprec in a notebook: ``%load_ext msprec``, then ``%%msprec`` in the cell that trains, or ``%msprec`` after it."""
