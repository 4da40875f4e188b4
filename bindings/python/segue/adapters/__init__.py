"""Segue inside other packages: `segue.adapters.optuna_sampler`, `segue.adapters.sklearn_policy`. Each needs its package."""
