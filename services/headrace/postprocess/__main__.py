"""`python -m headrace.postprocess`: run the postprocess service."""

from headrace.postprocess.service import SPEC
from headrace.stream.service import main

if __name__ == "__main__":
    main(SPEC)
