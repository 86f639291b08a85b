"""Demonstrations: ``python -m impinge.demo --help``."""
