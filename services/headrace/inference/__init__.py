"""The inference service: frames of tokens in, Triton, frames of scores out."""
