"""All settings: each section lies beside its owner; this module joins them and says where values come from.

From strongest to weakest: arguments, environment (`HEADRACE_SECTION__OPTION`), the running local stack (its addresses),
the TOML file (`headrace.toml`, or the file that `HEADRACE_CONFIG` names), defaults.
"""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field, ValidationError
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from headrace.embedded.settings import EmbeddedSettings
from headrace.embedded.stack_file import running_addresses
from headrace.errors import SettingsError
from headrace.inference.settings import InferenceSettings, TritonSettings
from headrace.repository.settings import RepositorySettings
from headrace.stream.settings import FieldSettings, KafkaSettings, StreamSettings, TopicSettings
from headrace.telemetry.settings import LogSettings

NO_STACK = "no local stack runs here: start one with `headrace up`, or set {variable} to an existing one"


class RedisSettings(BaseModel, extra="forbid"):
    """`HEADRACE_REDIS__…`: the connection to Redis, which the gateway will own."""

    url: str | None = None
    """`redis://host:port/0`. Unset: the local stack's (and `headrace up` starts one)."""


class Settings(BaseSettings):
    """Every option of Headrace. Build it with `load_settings`, which turns faults into one readable error."""

    model_config = SettingsConfigDict(env_prefix="HEADRACE_", env_nested_delimiter="__", extra="forbid")

    home: Path = Path(".headrace")
    """Directory of logs, of the local stack's state and, unless set, of the model repository."""

    config: Path = Path("headrace.toml")
    """The TOML file; read if it exists. Set by `HEADRACE_CONFIG` only."""

    kafka: KafkaSettings = Field(default_factory=KafkaSettings)
    topics: TopicSettings = Field(default_factory=TopicSettings)
    fields: FieldSettings = Field(default_factory=FieldSettings)
    stream: StreamSettings = Field(default_factory=StreamSettings)
    triton: TritonSettings = Field(default_factory=TritonSettings)
    inference: InferenceSettings = Field(default_factory=InferenceSettings)
    redis: RedisSettings = Field(default_factory=RedisSettings)
    repository: RepositorySettings = Field(default_factory=RepositorySettings)
    embedded: EmbeddedSettings = Field(default_factory=EmbeddedSettings)
    log: LogSettings = Field(default_factory=LogSettings)

    @property
    def repository_path(self) -> Path:
        """Root of the model repository."""
        return self.repository.path or self.home / "repository"

    def bootstrap_servers(self) -> str:
        """Address of the broker.

        Raises:
            SettingsError: None is set and no local stack runs.
        """
        return _required(self.kafka.bootstrap_servers, "HEADRACE_KAFKA__BOOTSTRAP_SERVERS")

    def triton_url(self) -> str:
        """GRPC address of Triton.

        Raises:
            SettingsError: None is set and no local stack runs.
        """
        return _required(self.triton.url, "HEADRACE_TRITON__URL")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The order that the module's docstring states."""
        del dotenv_settings, file_secret_settings
        home = Path(os.environ.get("HEADRACE_HOME", ".headrace"))
        stack = InitSettingsSource(settings_cls, init_kwargs=running_addresses(home))
        toml = TomlConfigSettingsSource(settings_cls, os.environ.get("HEADRACE_CONFIG", "headrace.toml"))
        return init_settings, env_settings, stack, toml


def load_settings(**overrides: Any) -> Settings:  # noqa: ANN401 (pydantic checks the values)
    """Read all settings.

    Args:
        **overrides: Values that win over every other source, by section.

    Raises:
        SettingsError: A value is malformed, an option unknown, or the TOML file unreadable; names each fault.
    """
    named = os.environ.get("HEADRACE_CONFIG")
    if named and not Path(named).is_file():
        raise SettingsError(f"HEADRACE_CONFIG names {named}, which is not a file: correct the path or unset it.")
    try:
        return Settings(**overrides)
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors())
        raise SettingsError(f"settings: {faults}. Each option stands in docs/settings.md.") from error
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"the TOML file cannot be read: {error}.") from error


def _required(value: str | None, variable: str) -> str:
    if value is None:
        raise SettingsError(NO_STACK.format(variable=variable))
    return value
