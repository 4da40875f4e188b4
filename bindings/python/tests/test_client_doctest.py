"""Every public name of the client has an example, and the examples are true of a real service.
SPDX-License-Identifier: Apache-2.0"""
import asyncio
import doctest
import importlib
import inspect

import pytest
from served import SOURCE, client, segue, service  # noqa: F401

MODULES = ["client", "task_client", "decisions", "rewards", "service_errors", "_queue", "async_client"]
PRIVATE = {"rewards": {"Reward", "batches", "reward_body", "parse_results"}, "_queue": {"RewardQueue"}, "client": {"quoted"},
           "service_errors": {"Error", "make_error", "parse_error"}, "task_client": {"ask_body"}}


INNER = {"TellResult.parse", "TellResult.of_error"}  # of the client's own modules


def public(name):
    """Public classes, functions, methods and properties that a module defines."""
    module = importlib.import_module(f"segue.{name}")
    for key, value in vars(module).items():
        if getattr(value, "__module__", None) != module.__name__ or key.startswith("_") or key in PRIVATE.get(name, ()):
            continue
        if inspect.isclass(value) or inspect.isfunction(value):
            yield key, value
        if inspect.isclass(value):
            for inner, member in vars(value).items():
                if not inner.startswith("_") and f"{key}.{inner}" not in INNER and (inspect.isfunction(member) or isinstance(member, property)):
                    yield f"{key}.{inner}", member


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name, service, client):
    def run_async(function):
        async def main():
            async with segue.AsyncClient(service.url) as made:
                return await function(made)
        return asyncio.run(main())
    client.create("tutor", arms=["video", "quiz", "game"], steps=30)
    module = importlib.import_module(f"segue.{name}")
    result = doctest.testmod(module, optionflags=doctest.IGNORE_EXCEPTION_DETAIL,
                             extraglobs={"client": client, "url": service.url, "segue": segue, "run_async": run_async})
    assert result.failed == 0 and result.attempted > 0


@pytest.mark.parametrize("name", MODULES)
def test_every_public_name_has_an_example(name):
    assert [key for key, value in public(name) if ">>>" not in (value.__doc__ or "")] == []


def test_the_examples_of_the_page_run(service, client):
    result = doctest.testfile(str(SOURCE / "docs/python-client.md"), module_relative=False, encoding="utf-8",
                              globs={"client": client, "url": service.url, "segue": segue})
    assert result.failed == 0 and result.attempted > 10
