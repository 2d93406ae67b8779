"""The errors of gin-arena, one tree.

::

    ArenaError                 exit code 1: the answer is no
    ├── UsageError             exit code 2: what was asked for cannot be understood
    │   ├── RuleError          an unknown preset, setting or value of a setting
    │   ├── ManifestError      a bot package that cannot be used as it is
    │   └── NotationError      text that is no card, hand or action
    ├── IllegalAction          an action that the rules refuse, with the reason
    ├── ProtocolError          bytes or messages that are not the bot protocol
    ├── LogError               a match log that cannot be read
    ├── StoreError             a ladder store that cannot be used
    └── RefereeError           the referee cannot go on (port, socket, launcher)

Every message is one line that names the thing, its value and the remedy. A fault of a bot is data
(``arena.referee.verdict``), never one of these.
"""


class ArenaError(Exception):
    """Root of all errors that gin-arena raises on purpose."""

    exit_code = 1


class UsageError(ArenaError):
    """What was asked for cannot be understood; the remedy is in the message."""

    exit_code = 2


class RuleError(UsageError):
    """An unknown preset, an unknown setting, or a value that a setting does not take."""


class ManifestError(UsageError):
    """A bot package that cannot be used: no folder, a bad ``bot.toml``, an unknown name."""


class NotationError(UsageError):
    """Text that names no card, hand or action."""


class IllegalAction(ArenaError):
    """An action that the rules refuse in this state; the message says why."""


class ProtocolError(ArenaError):
    """A message that is not the bot protocol; the message says which field."""


class LogError(ArenaError):
    """A match log that is truncated, edited, foreign or of a later version."""


class StoreError(ArenaError):
    """A ladder store that is locked, foreign, read-only or of another version."""


class RefereeError(ArenaError):
    """The referee cannot start or go on, through no fault of a bot."""
