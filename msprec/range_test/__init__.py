"""The learning-rate range test of Leslie N. Smith ("Cyclical Learning Rates for Training Neural Networks", 2017)."""
