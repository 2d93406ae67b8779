"""The raw lines of a log file, decompressed step by step so that no file can fill the memory."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import zstandard

from arena.errors import LogError

ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"
CHUNK_BYTES: Final = 1024
"""Bytes taken from a file at a time: zstd makes at most 32 MiB of as many, however it was packed."""
LINE_BYTES_MAX: Final = 4 * 1024 * 1024
WINDOW_BYTES_MAX: Final = 128 * 1024 * 1024

Source = str | os.PathLike[str] | bytes
"""The path of a log, or its bytes."""


class Cut(LogError):
    """The bytes end in the middle of something."""


def raw_lines(source: Source) -> Iterator[bytes]:
    """Yield the lines of a log without their ends; a last line without an end counts as one.

    Raises:
        LogError: there is no such log, or it is no text and no zstd; the message says what it is,
            without its name.
        Cut: the bytes end in the middle of a zstd frame; all lines that are complete came before.
    """
    chunks = _peeked(_chunks(source))
    start = next(chunks)
    if start.startswith(ZSTD_MAGIC):
        return _split(_decompressed(chunks))
    if start.lstrip().startswith(b"{"):
        return _split(chunks)
    if ZSTD_MAGIC.startswith(start):
        raise Cut("it is cut off: get it again whole")
    raise LogError("it is no match log, neither zstd nor JSON Lines")


def _peeked(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the first chunk twice, so that it can be looked at."""
    first = next(chunks, b"")
    if not first:
        raise LogError("it is empty: get it again")
    yield first
    yield first
    yield from chunks


def _chunks(source: Source) -> Iterator[bytes]:
    if isinstance(source, bytes):
        yield from (source[start : start + CHUNK_BYTES] for start in range(0, len(source), CHUNK_BYTES))
        return
    try:
        with Path(source).open("rb") as file:
            while chunk := file.read(CHUNK_BYTES):
                yield chunk
    except FileNotFoundError:
        raise LogError("there is no such file: see what `arena match --log-dir DIR` wrote") from None
    except IsADirectoryError:
        raise LogError(f"it is a folder: name the logs in it, as {os.fspath(source)}/*.jsonl.zst") from None
    except OSError as error:
        raise LogError(f"it cannot be read: {error.strerror or error}") from None


def _decompressed(chunks: Iterable[bytes]) -> Iterator[bytes]:
    decompressor = zstandard.ZstdDecompressor(max_window_size=WINDOW_BYTES_MAX)
    frame = None
    for chunk in chunks:
        rest = chunk
        while rest:
            frame = frame or decompressor.decompressobj()
            try:
                text = frame.decompress(rest)
            except zstandard.ZstdError:
                raise LogError("its compressed bytes are damaged") from None
            yield text
            rest, frame = (frame.unused_data, None) if frame.eof else (b"", frame)
    if frame is not None:
        raise Cut("it is cut off: get it again whole")


def _split(chunks: Iterable[bytes]) -> Iterator[bytes]:
    pending = b""
    for chunk in chunks:
        start = 0
        while (stop := chunk.find(b"\n", start)) >= 0:
            yield pending + chunk[start:stop]
            pending, start = b"", stop + 1
        pending += chunk[start:]
        if len(pending) > LINE_BYTES_MAX:
            raise LogError(f"it is longer than {LINE_BYTES_MAX} bytes")
    if pending:
        yield pending
