"""The pure functions: events to tokens, tokens to scores, scores to predictions. No I/O."""
