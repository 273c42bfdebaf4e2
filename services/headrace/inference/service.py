"""The inference service: reads frames of tokens, asks Triton, writes frames of scores."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from headrace.inference.processor import InferenceProcessor
from headrace.inference.refusals import RefusalDesk
from headrace.inference.triton import TritonScorer
from headrace.stream.dead_letters import DeadLetterBox
from headrace.stream.originals import Originals
from headrace.stream.service import StageSpec

if TYPE_CHECKING:
    from headrace.settings import Settings
    from headrace.stream.processor import FinishedQueue

NAME = "inference"


def make_processor(settings: Settings, finished: FinishedQueue) -> InferenceProcessor:
    """The processor with its client of Triton and its desk for refusals."""
    dead_letters = DeadLetterBox(NAME, settings.topics.name("dead_letters"))
    desk = RefusalDesk(Originals(settings, NAME), dead_letters, ThreadPoolExecutor(1, "refusals"), finished)
    scorer = TritonScorer(settings.triton_url(), settings.triton.request_timeout_s)
    target = settings.topics.name("scores")
    return InferenceProcessor(settings.inference, scorer, target, dead_letters, finished, desk.take)


SPEC = StageSpec(NAME, "tokens", make_processor)
