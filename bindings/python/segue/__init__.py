"""Segue: learn across short decision problems, so that each new one needs only a few tries."""
from segue.async_client import AsyncClient
from segue.client import Client
from segue.service_errors import ServiceError

try:
    from segue._segue import Error, UnknownName, __version__
except ImportError as missing:  # the client is pure Python, and works alone
    from segue._without_extension import Error, UnknownName, __getattr__, explain  # type: ignore[assignment]
    explain(missing)

__all__ = ["AsyncClient", "Client", "Error", "ServiceError", "UnknownName", "__version__"]
