"""Training and exporting models."""
