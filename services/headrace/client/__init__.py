"""What the command line does with a stream: send events, follow predictions, score files."""
