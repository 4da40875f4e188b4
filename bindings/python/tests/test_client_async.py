"""The client for asyncio: many requests at a time, the same errors, a loop that is not blocked.
SPDX-License-Identifier: Apache-2.0"""
import asyncio
import signal
import time

import pytest
from served import client, proxy, segue, service  # noqa: F401

from segue.service_errors import Conflict, NotFound


@pytest.fixture
def tutor(client):
    return client.create("tutor", arms=["A", "B", "C"], close_after=0)


def test_many_tasks_at_a_time(service, tutor):
    async def play(learner, number):
        async with learner.task(f"t{number}") as task:
            for i in range(5):
                await (await task.ask()).tell(i % 2)
            decisions = await task.ask(count=3, exclude={"C"})
            assert "C" not in {decision.arm for decision in decisions}
            await learner.client.tell_many((decision, 1) for decision in decisions)
        return (await task.info())["open"]

    async def main():
        async with segue.AsyncClient(service.url, connections=8) as client:
            return await asyncio.gather(*(play(client.learner("tutor"), number) for number in range(30)))
    assert asyncio.run(main()) == [False] * 30
    assert tutor.info["rewards"] == 30 * 8 and tutor.info["tasks"]["closed"] == 30


def test_errors_are_those_of_the_client(service, tutor):
    async def main():
        async with segue.AsyncClient(service.url) as client:
            decision = await client.learner("tutor").task("ann").ask()
            await decision.tell(1)
            with pytest.raises(Conflict):
                await decision.tell(0)
            with pytest.raises(NotFound):
                await client.learner("none").info()
            with pytest.raises(ValueError, match="need a finite number"):
                await decision.tell(float("nan"))
    asyncio.run(main())


def test_a_block_that_fails_passes_its_error_on(service, tutor):
    async def main():
        async with segue.AsyncClient(service.url) as client:
            with pytest.raises(RuntimeError, match="own"):
                async with client.learner("tutor").task("ann") as task:
                    await task.ask()
                    raise RuntimeError("own")
            return await task.info()
    assert not asyncio.run(main())["open"]


def test_the_loop_runs_while_a_request_waits(service, tutor):
    async def main():
        client = segue.AsyncClient(service.url, timeout=0.5, retries=0)
        service.process.send_signal(signal.SIGSTOP)
        try:
            waiting = asyncio.create_task(client.learner("tutor").task("ann").ask())
            turns = 0
            while not waiting.done():
                await asyncio.sleep(0.01)
                turns += 1
            with pytest.raises(TimeoutError):
                await waiting
        finally:
            service.process.send_signal(signal.SIGCONT)
        await client.close()
        return turns
    assert asyncio.run(main()) >= 10


def test_a_cancelled_ask_is_repeated_by_its_event(service, tutor):
    """The request that goes on in its thread and the repeat are one decision."""
    async def main():
        async with segue.AsyncClient(service.url) as client:
            task = client.learner("tutor").task("ann")
            service.process.send_signal(signal.SIGSTOP)
            try:
                with pytest.raises(asyncio.TimeoutError):
                    await asyncio.wait_for(task.ask("page-1"), 0.1)
            finally:
                service.process.send_signal(signal.SIGCONT)
            await (await task.ask("page-1")).tell(1)
            return await task.info()
    info = asyncio.run(main())
    assert info["pending"] == 0 and info["rewards"] == 1


def test_late_rewards_of_a_service_that_is_down(service, tutor):
    async def main():
        async with segue.AsyncClient(service.url) as client:
            decision = await client.learner("tutor").task("ann").ask()
            service.kill()
            started = time.monotonic()
            decision.tell_later(1)
            assert time.monotonic() - started < 0.1
            assert (await client.flush(0.2)).waiting == 1
            service.restart()
            return await client.flush()
    assert asyncio.run(main()).counted == 1
