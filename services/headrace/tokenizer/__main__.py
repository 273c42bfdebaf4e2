"""`python -m headrace.tokenizer`: run the tokenizer service."""

from headrace.stream.service import main
from headrace.tokenizer.service import SPEC

if __name__ == "__main__":
    main(SPEC)
