"""gin-arena: bot-versus-bot competitions for Gin Rummy, refereed over gRPC."""

import os

__version__ = "0.1.0"

# The gRPC core writes its own log to stderr, where a user expects one line of ours. It reads this
# when it is loaded, which is after this package is.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")
