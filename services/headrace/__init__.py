"""Headrace: real-time inference on streams of text events."""

__version__ = "0.1.0"
