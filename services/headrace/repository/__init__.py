"""Model bundles and what is live."""
