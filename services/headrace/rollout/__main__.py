"""`python -m headrace.rollout`: run the rollout service."""

from headrace.rollout.service import main

if __name__ == "__main__":
    main()
