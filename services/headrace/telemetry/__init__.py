"""Logs and readiness."""
