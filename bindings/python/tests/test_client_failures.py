"""Lost responses, restarts, slow and overloaded services: every reward counts once, every ask is one decision.
SPDX-License-Identifier: Apache-2.0"""
import http.client
import json
import os
import random
import signal
import socket
import subprocess
import threading
import time

import pytest
from served import PROGRAM, TOKEN, Restarting, client, proxy, segue, service  # noqa: F401

from segue.service_errors import NotFound, ServiceError, Unavailable

BUSY = {"error": {"code": "unavailable", "message": "the disk is full; free space", "request": "x"}}


def raw(status, body, **headers):
    data = json.dumps(body).encode()
    lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(data)}", *(f"{k.replace('_', '-')}: {v}" for k, v in headers.items())]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + data


@pytest.fixture
def through(proxy):
    """A client through the proxy, and a learner."""
    with segue.Client(proxy.url, timeout=5) as made:
        yield made.create("tutor", arms=["A", "B"], close_after=0)


@pytest.mark.parametrize("fate", ["cut", "part"])
def test_a_lost_response_of_an_ask_makes_no_second_decision(service, proxy, through, fate):
    task = through.task("ann")
    for _ in range(5):
        proxy.fate[:] = [fate, fate]
        task.ask().tell(1)
    assert task.info["pending"] == 0 and task.info["rewards"] == 5


@pytest.mark.parametrize("fate", ["cut", "part"])
def test_a_lost_response_of_a_tell_counts_once(proxy, through, fate):
    decision = through.task("ann").ask()
    proxy.fate[:] = [fate, fate]
    assert decision.tell(1).status == "duplicate"
    assert through.info["rewards"] == 1


def test_lost_responses_of_a_batch_a_close_and_a_combined_request(proxy, through):
    task = through.task("ann")
    decisions = task.ask(count=10)
    proxy.fate[:] = ["cut"]
    assert {result.status for result in through.client.tell_many((decision, 1) for decision in decisions)} == {"duplicate"}
    last = task.ask()
    proxy.fate[:] = ["cut"]
    assert task.tell_and_ask(last, 0) is not None
    proxy.fate[:] = ["cut"]
    assert task.close()["rewards"] == 11


def test_what_is_not_idempotent_is_sent_once(proxy, through):
    """Also on a connection that was used before, and when the response is cut off in its headers."""
    task = through.task("ann")
    task.ask().tell(1)
    last = task.ask()
    calls = [lambda: task.ask(event=False), lambda: task.tell_and_ask(last, 1, event=False), lambda: through.add_arm("C"),
             task.erase, through.delete]
    for call, fate in zip(calls, ["cut", "part", "part", "cut", "part"]):
        through.client.learners()
        sent = len(proxy.requests)
        proxy.fate[:] = [fate]
        with pytest.raises(ConnectionError, match="not known if the request was carried out"):
            call()
        assert len(proxy.requests) == sent + 1
    with pytest.raises(NotFound):
        through.info


def test_other_requests_may_be_repeated(proxy, through):
    """A repeat after a lost response succeeds and changes nothing more: these are idempotent in the service."""
    through.task("ann").ask().tell(1)
    exported = through.client.create("other", arms=["A", "B"], close_after=0).export()
    calls = [lambda: through.client.create("tutor", arms=["A", "B"], close_after=0), lambda: through.retire_arm("B"),
             lambda: through.change(idle=100), through.pause, through.resume, through.resume_transfer,
             lambda: through.merge(exported), through.task("ann").close, through.export, through.history, through.tasks]
    for call in calls:
        sent = len(proxy.requests)
        proxy.fate[:] = ["cut"]
        call()
        assert len(proxy.requests) == sent + 2
    assert through.arms == ["A"] and through.info["tasks"]["closed"] == 1


def test_what_did_not_arrive_is_sent_again(service):
    """No connection could be made: also a request that is not idempotent is retried."""
    with segue.Client(service.url, retries=20) as client:
        learner = client.create("tutor", arms=["A", "B"])
        service.kill()
        service.listen = f"127.0.0.1:{service.port}"
        timer = threading.Timer(0.5, service.start)
        timer.start()
        learner.add_arm("C")
        timer.join()
        assert learner.arms == ["A", "B", "C"]


@pytest.mark.parametrize("keep", range(0, 200, 20))
def test_a_response_may_be_cut_anywhere(service, proxy, through, keep):
    decision = through.task("ann").ask()
    sent = len(proxy.requests)
    proxy.fate[:] = [keep]
    assert decision.tell(1).status in ("counted", "duplicate")
    assert through.info["rewards"] == 1 and len(proxy.requests) <= sent + 3


def test_retry_after_is_obeyed(proxy, through):
    proxy.fate[:] = [raw(503, BUSY, Retry_After=1), raw(429, BUSY, Retry_After=1)]
    started = time.monotonic()
    through.task("ann").ask()
    assert 2 <= time.monotonic() - started < 5
    proxy.fate[:] = [raw(429, BUSY, Retry_After=0)]
    through.add_arm("C")  # 429: it was certainly not carried out
    proxy.fate[:] = [raw(503, BUSY, Retry_After=0)]
    with pytest.raises(Unavailable):
        through.add_arm("D")


def test_a_response_without_a_body_is_no_cut_one(proxy, through):
    """As proxies send it: the status and Retry-After count."""
    empty = raw(503, None, Retry_After=1).replace(b"Content-Length: 4", b"Content-Length: 0").removesuffix(b"null")
    sent, started = len(proxy.requests), time.monotonic()
    proxy.fate[:] = [empty]
    through.task("ann").ask()
    assert time.monotonic() - started >= 1 and len(proxy.requests) == sent + 2
    proxy.fate[:] = [empty.replace(b"503 X", b"403 X")]
    with pytest.raises(ServiceError) as raised:
        through.task("ann").ask()
    assert raised.value.status == 403
    proxy.fate[:] = [b"HTTP/1.1 204 X\r\n\r\n"]
    with pytest.raises(ServiceError, match="something other than JSON"):
        through.task("ann").ask()


def test_an_error_that_a_retry_does_not_help_is_raised_at_once(proxy, through):
    """503 without Retry-After: memory is at its limit until tasks are closed."""
    for fate, status in ((raw(503, BUSY), 503), (raw(429, BUSY), 429), (raw(503, BUSY, Retry_After=3600), 503)):
        proxy.fate[:] = [fate]
        sent = len(proxy.requests)
        with pytest.raises(Unavailable, match="the disk is full; free space") as caught:
            through.task("ann").ask()
        assert caught.value.status == status and len(proxy.requests) == sent + 1


def test_it_gives_up_after_its_retries(proxy, service):
    client = segue.Client(proxy.url, retries=2)
    proxy.fate[:] = [raw(502, "<html>") for _ in range(3)]
    with pytest.raises(Unavailable, match="not as Segue does") as caught:
        client.learners()
    assert len(proxy.requests) == 3 and "gave up after 3 tries" in caught.value.__notes__[0]


@pytest.mark.parametrize("body", [b"<html>", b"[]", b"3", b"null", b"[" * 100000])
def test_a_response_that_is_not_json(proxy, service, body):
    proxy.fate[:] = [b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)]
    with pytest.raises(ServiceError, match="something other than JSON"):
        segue.Client(proxy.url).learners()


def test_a_response_of_another_service(proxy, through):
    """JSON that Segue does not send is an error of the service, in every method that needs a field of it."""
    task = through.task("ann")
    decision, client = task.ask(), through.client
    calls = [task.ask, lambda: task.ask(2), lambda: task.tell(decision, 1), lambda: client.tell_many([(decision, 1)]), task.explain,
             lambda: task.tell_and_ask(decision, 1), client.learners, through.tasks, through.history, lambda: through.settings,
             lambda: through.arms, lambda: through.types, lambda: through.effect]
    for call in calls:
        for body in ({"status": "ok"}, {"status": "rejected"}, {"status": "counted"}, {"arms": [1], "results": [1], "decisions": [1]}):
            proxy.fate[:] = [raw(200, body)]
            with pytest.raises(ServiceError, match="need the response of a Segue service"):
                call()
    proxy.fate[:] = [raw(200, {"status": "ok"})]
    assert not client.ready()
    assert decision.tell(1).status == "counted"


def test_too_many_headers_are_a_lost_response(proxy, service):
    proxy.fate[:] = [b"HTTP/1.1 200 OK\r\n" + b"X: 1\r\n" * 200 + b"\r\n"]
    with pytest.raises(ConnectionError, match="more than 100 headers"):
        segue.Client(proxy.url, retries=0).learners()


def test_wrong_use_of_a_connection_is_no_lost_response(proxy, service, monkeypatch):
    """A repeat would hide it: each request would be sent twice."""
    client = segue.Client(proxy.url)
    client.learners()

    def getresponse(self):
        raise http.client.ResponseNotReady("Request-sent")
    monkeypatch.setattr(http.client.HTTPConnection, "getresponse", getresponse)
    sent = len(proxy.requests)
    with pytest.raises(RuntimeError, match="before the response to the last one"):
        client.learners()
    monkeypatch.undo()
    client.learners()
    until = time.monotonic() + 30
    while len(proxy.requests) < sent + 2 and time.monotonic() < until:
        time.sleep(0.01)  # the proxy has a thread for each connection
    assert len(proxy.requests) == sent + 2


def test_wrong_arguments_are_named():
    with pytest.raises(TypeError, match="^url is 5; need a text"):
        segue.Client(5)
    with pytest.raises(TypeError, match="^retries is 1.5; need a whole number"):
        segue.Client("http://localhost:8080", retries=1.5)


def test_nothing_listens():
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
    with pytest.raises(ConnectionError, match=f"{url}: connection refused; start the service") as caught:
        segue.Client(url, retries=1).learners()
    assert isinstance(caught.value, OSError) and isinstance(caught.value.__cause__, ConnectionRefusedError)
    with pytest.raises(ConnectionError, match="check host"):
        segue.Client("http://no-such-host.invalid", retries=0).learners()


def test_a_stopped_service_is_a_time_out(service, client):
    client.create("tutor", arms=["A", "B"])
    service.process.send_signal(signal.SIGSTOP)
    try:
        hasty = segue.Client(service.url, timeout=0.2, retries=1)
        started = time.monotonic()
        with pytest.raises(TimeoutError, match="no response within 0.2 s"):
            hasty.learner("tutor").task("ann").ask()
        assert 0.4 <= time.monotonic() - started < 3
    finally:
        service.process.send_signal(signal.SIGCONT)


def test_a_slow_response_is_waited_for(service, client):
    """The ask that waited for the stopped service is the one decision of its task."""
    task = client.create("tutor", arms=["A", "B"]).task("ann")
    service.process.send_signal(signal.SIGSTOP)
    timer = threading.Timer(1, service.process.send_signal, [signal.SIGCONT])
    timer.start()
    segue.Client(service.url, timeout=0.3, retries=20).learner("tutor").task("ann").ask().tell(1)
    timer.join()
    assert task.info["pending"] == 0 and task.info["rewards"] == 1


def test_a_response_that_drips_is_a_time_out():
    """Each byte comes in time, and the response does not."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        def drip():
            near, _ = server.accept()
            near.recv(65536)
            try:
                near.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
                for _ in range(100):
                    near.sendall(b" ")
                    time.sleep(0.05)
            except OSError:
                pass
            near.close()
        thread = threading.Thread(target=drip)
        thread.start()
        started = time.monotonic()
        with pytest.raises(TimeoutError):
            segue.Client(f"http://127.0.0.1:{server.getsockname()[1]}", timeout=0.5, retries=0).learners()
        assert time.monotonic() - started < 2
        thread.join()


def test_idle_connections_that_a_restart_closed_are_no_error(service, client):
    impatient = segue.Client(service.url, retries=0)
    tutor = impatient.create("tutor", arms=["A", "B"])
    service.restart()
    assert tutor.task("ann").ask().tell(1).status == "counted"
    service.restart()
    tutor.add_arm("C")  # is sent once: not on the closed connection
    assert tutor.arms == ["A", "B", "C"]


def test_kills_lose_and_double_no_reward(service):
    """Threads ask and tell while the service is killed; the rewards that clients saw are those that the store has."""
    client = segue.Client(service.url, timeout=10, retries=12)
    tutor = client.create("tutor", arms=["A", "B"], close_after=0, idle=0)
    stop, told, errors = threading.Event(), [0] * 8, []

    def play(number):
        try:
            while not stop.is_set():
                decision = tutor.task(f"t{number}").ask()
                told[number] += decision.tell(number % 2).status in ("counted", "duplicate")
        except Exception as error:
            errors.append(error)
    threads = [threading.Thread(target=play, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for _ in range(6):
        time.sleep(random.uniform(0.1, 0.4))
        service.restart()
    stop.set()
    for thread in threads:
        thread.join()
    assert errors == [] and min(told) > 0
    assert tutor.info["rewards"] == sum(told)
    assert [tutor.task(f"t{number}").info["rewards"] for number in range(8)] == told


def test_a_forked_process_has_connections_of_its_own(service, client):
    tutor = client.create("tutor", arms=["A", "B"], close_after=0)
    children = []
    for number in range(4):
        child = os.fork()
        if child == 0:
            try:
                for _ in range(20):
                    tutor.task(f"fork-{number}").ask().tell(1)
                tutor.task(f"fork-{number}").ask().tell_later(1)
                os._exit(0 if client.flush().ok else 2)
            except BaseException:
                os._exit(1)
        children.append(child)
    for _ in range(20):
        tutor.task("parent").ask().tell(1)
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0] * 4
    assert tutor.info["rewards"] == 20 + 4 * 21


def test_a_forked_process_does_not_wait_for_locks_of_its_parent(service):
    """Another thread of the parent may have them at the fork."""
    client = segue.Client(service.url)
    with client._transport._lock, client._queue._changed:
        child = os.fork()
        if child == 0:
            signal.alarm(10)
            os._exit(0 if client.ready() and client.close().ok else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.fixture
def secure(tmp_path):
    """A service with https, and the file of its certificate."""
    certificate, key, tokens = tmp_path / "cert.pem", tmp_path / "cert.key", tmp_path / "tokens"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key,
                    "-out", certificate, "-days", "2", "-subj", "/CN=one", "-addext", "subjectAltName=DNS:localhost"],
                   check=True, capture_output=True)
    tokens.write_text(f"ops admin {TOKEN}\n")
    for file in (key, tokens):
        file.chmod(0o600)
    running = Restarting(PROGRAM, tmp_path / "tls.db", "--tls-cert", str(certificate), "--tls-key", str(key), "--token-file", str(tokens))
    yield running, certificate
    assert running.stop() == 0


def test_https_with_an_authority_of_its_own(secure):
    running, certificate = secure
    url = f"https://localhost:{running.port}"
    client = segue.Client(url, token=TOKEN, cafile=certificate)
    tutor = client.create("tutor", arms=["A", "B"])
    for _ in range(3):
        tutor.task("ann").ask().tell(1)
    running.restart()
    tutor.task("ann").ask().tell(1)
    assert tutor.info["rewards"] == 4
    with pytest.raises(ConnectionError, match="the certificate is not trusted .*; give the file of its authority as cafile"):
        segue.Client(url, token=TOKEN).learners()
    with pytest.raises(ConnectionError, match="not trusted"):  # made for localhost
        segue.Client(f"https://127.0.0.1:{running.port}", token=TOKEN, cafile=certificate).learners()
    with pytest.raises(OSError, match="check host, port and http or https"):
        segue.Client(f"http://localhost:{running.port}", token=TOKEN, retries=0).learners()
    with pytest.raises(FileNotFoundError):
        segue.Client(url, cafile="none.pem")
