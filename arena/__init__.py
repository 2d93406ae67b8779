"""gin-arena: bot-versus-bot competitions for Gin Rummy, refereed over gRPC."""

__version__ = "0.1.0"
