"""The control plane that brings versions to life."""
