"""`python -m headrace.inference`: run the inference service."""

from headrace.inference.service import SPEC
from headrace.stream.service import main

if __name__ == "__main__":
    main(SPEC)
