"""Dies with its hello half sent."""

import os
import socket

with socket.socket(socket.AF_UNIX) as raw:
    raw.connect(os.environ["ARENA_ADDRESS"].removeprefix("unix:"))
    raw.send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
os._exit(7)
