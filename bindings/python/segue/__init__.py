"""Segue: sequential transfer in bandits.
SPDX-License-Identifier: Apache-2.0"""
from .async_client import AsyncClient
from .client import Client
from .service_errors import Error, ServiceError

__all__ = ["AsyncClient", "Client", "Error", "ServiceError"]
