"""The tokenizer service: events in, frames of tokens out."""
