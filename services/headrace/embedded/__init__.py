"""The local stack: real broker, Triton and Redis-compatible server, supervised."""
