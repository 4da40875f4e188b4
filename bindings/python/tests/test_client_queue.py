"""Late rewards (`tell_later`): each counts once, whatever fails meanwhile, and none is lost in silence.
SPDX-License-Identifier: Apache-2.0"""
import logging
import os
import random
import subprocess
import sys
import threading
import time

import pytest
from served import TOKEN, PROGRAM, Restarting, client, proxy, segue, service  # noqa: F401

from segue._queue import RewardQueue
from segue._queue_file import QueueFile
from segue.rewards import Reward, TellResult
from segue.service_errors import Conflict, InvalidRequest, NotAllowed, ServiceError


@pytest.fixture
def tutor(client):
    return client.create("tutor", arms=["A", "B"], close_after=0)


def ask(tutor, count):
    return tutor.task("ann").ask(count=count)


def test_rewards_wait_for_a_service_that_is_down(service, client, tutor, caplog):
    decisions = ask(tutor, 50)
    service.kill()
    started = time.monotonic()
    for decision in decisions:
        decision.tell_later(1)
    assert time.monotonic() - started < 0.5  # the caller does not wait
    report = client.flush(timeout=0.3)
    assert report.waiting == 50 and not report.ok and "connection refused" in str(report)
    client.flush(timeout=0.3)
    assert len([record for record in caplog.records if "rewards wait" in record.message]) == 1
    service.restart()
    report = client.flush()
    assert report.ok and report.counted == 50 and report.error is None
    assert tutor.info["rewards"] == 50


def test_many_rewards_are_few_requests(proxy, client, tutor):
    decisions = ask(tutor, 1000)
    with segue.Client(proxy.url) as sender:
        for decision in decisions:
            sender.tell_later(decision, 1)
        assert sender.flush().counted == 1000
    assert len(proxy.requests) < 500  # what is queued while a request runs goes into the next one


def test_lost_responses_and_failures_count_once(proxy, client, tutor):
    """Random failures of any kind: no reward is lost, none counts twice."""
    decisions = ask(tutor, 300)
    busy = b'HTTP/1.1 503 X\r\nContent-Length: 2\r\nRetry-After: 0\r\n\r\n{}'
    proxy.fate[:] = [random.choice([None] * 8 + ["cut", "part", 30, busy]) for _ in range(60)]
    with segue.Client(proxy.url) as sender:
        for i, decision in enumerate(decisions):
            sender.tell_later(decision, i % 2)
            if i % 10 == 0:
                time.sleep(0.005)
        report = sender.flush()
    assert report.ok and report.counted + report.duplicates == 300
    assert tutor.info["rewards"] == 300


def test_a_wrong_reward_does_not_hold_up_the_others(client, tutor, caplog):
    first, second, third = ask(tutor, 3)
    for decision, reward in ((first, 1), (first, 0), (second, 7), (third, 1)):
        client.tell_later(decision, reward)
    client.tell_later("no decision id", 1)
    client.tell_later(second, 1, event="e\x00")  # a name that the service does not take: it rejects the whole list
    client.tell_later(second, 0)
    report = client.flush()
    assert report.counted == 3 and report.n_rejected == 4 and report.waiting == 0
    assert [type(result.error) for result in report.rejected] == [Conflict, InvalidRequest, InvalidRequest, InvalidRequest]
    assert len([record for record in caplog.records if "is rejected" in record.message]) == 4
    assert client.flush().ok  # a report is made once


def test_a_token_without_the_right_keeps_the_rewards(tmp_path):
    tokens = tmp_path / "tokens"
    tokens.write_text(f"ops admin {TOKEN}\nweb read {TOKEN}-read\n")
    tokens.chmod(0o600)
    service = Restarting(PROGRAM, tmp_path / "t.db", "--token-file", str(tokens))
    try:
        admin = segue.Client(service.url, token=TOKEN)
        decision = admin.create("tutor", arms=["A", "B"]).task("ann").ask()
        queue = tmp_path / "queue"
        with segue.Client(service.url, token=f"{TOKEN}-read", queue_file=queue) as reader:
            reader.tell_later(decision, 1)
            started = time.monotonic()
            report = reader.flush()
            assert time.monotonic() - started < 5 and report.waiting == 1 and isinstance(report.error, NotAllowed)
        with segue.Client(service.url, token=TOKEN, queue_file=queue) as able:
            assert able.flush().counted == 1
    finally:
        service.stop()


def test_an_unexpected_response_keeps_the_rewards(proxy, client, tutor):
    """A load balancer says that all is well, or results are missing: flush reports it at once, and the rewards are tried again."""
    first, *decisions = ask(tutor, 4)
    for i, body in enumerate((b'{"status":"ok"}', b'{"results":[]}', b'{"results":[3]}')):
        proxy.fate[:] = [b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)] * 100
        with segue.Client(proxy.url) as sender:
            sender.tell_later(decisions[i], 1)
            started = time.monotonic()
            report = sender.flush()
            assert time.monotonic() - started < 5 and report.waiting == 1
            assert isinstance(report.error, ServiceError) and "need the response of a Segue service" in str(report.error)
            proxy.fate.clear()
            sender.tell_later(first, 1)
            report = sender.flush()
            assert report.ok and report.counted + report.duplicates == 2


def counted(batch):
    return [TellResult(reward.decision, reward.reward, "counted") for reward in batch]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_the_thread_survives_any_exception(caplog):
    failures = [RuntimeError("a defect"), SystemExit()]  # the second ends the thread

    def send(batch):
        if failures:
            raise failures.pop(0)
        return counted(batch)
    queue = RewardQueue(send, None)
    queue.put(rewards(1)[0])
    assert queue.flush(5).error is not None and "a defect" in caplog.text and "Traceback" in caplog.text
    queue.flush(0.5)
    queue.put(rewards(1)[0])
    assert not failures and queue.close(5).ok


class Yielding(threading.Condition):
    """Runs `other` in another thread whenever this thread has released the lock."""

    def __init__(self, other):
        super().__init__()
        self.owner, self.other = threading.get_ident(), other

    def __exit__(self, *error):
        super().__exit__(*error)
        if threading.get_ident() == self.owner:
            thread = threading.Thread(target=self.other)
            thread.start()
            thread.join()


def test_close_reports_every_reward_that_was_accepted():
    queue, accepted = RewardQueue(counted, None), []

    def tell():
        try:
            queue.put(rewards(1)[0])
            accepted.append(1)
        except ValueError:
            pass
    queue._changed = Yielding(tell)
    assert queue.close(5).counted == len(accepted)


def run(code, *args):
    return subprocess.run([sys.executable, "-c", code, *args], env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
                          capture_output=True, text=True, timeout=60)


def test_a_killed_program_leaves_its_rewards_in_the_file(service, client, tutor, tmp_path):
    ids = [decision.id for decision in ask(tutor, 20)]
    service.kill()
    code = """
import os, signal, sys, segue
client = segue.Client(sys.argv[1], queue_file=sys.argv[2])
for decision in sys.argv[3:]:
    client.tell_later(decision, 1)
os.kill(os.getpid(), signal.SIGKILL)"""
    assert run(code, service.url, str(tmp_path / "queue"), *ids).returncode == -9
    service.restart()
    with segue.Client(service.url, queue_file=tmp_path / "queue") as second:
        assert second.flush().counted == 20
    assert (tmp_path / "queue").read_bytes() == b"" and (tmp_path / "queue").stat().st_mode & 0o777 == 0o600
    assert tutor.info["rewards"] == 20


@pytest.mark.parametrize("ending", ["", "; del client", "; raise SystemExit(3)"])
def test_the_end_of_a_program_sends_what_is_queued(service, tutor, ending):
    code = f"import sys, segue; client = segue.Client(sys.argv[1]); client.tell_later(sys.argv[2], 1){ending}"
    ended = run(code, service.url, ask(tutor, 1)[0].id)
    assert ended.stderr == "" and tutor.info["rewards"] == 1


def test_rewards_that_are_lost_at_the_end_are_logged(service, tutor):
    decision = ask(tutor, 1)[0].id
    service.kill()
    code = "import sys, segue, segue._queue as q; q.AT_EXIT = 0.2; segue.Client(sys.argv[1]).tell_later(sys.argv[2], 1)"
    assert "1 waiting" in (lost := run(code, service.url, decision).stderr) and "the rest is lost" in lost
    service.restart()


def test_a_closed_client_queues_nothing(client, tutor):
    decision = ask(tutor, 1)[0]
    client.close()
    with pytest.raises(ValueError, match="the client is closed"):
        decision.tell_later(1)


def test_a_file_belongs_to_one_client(service, tmp_path):
    with segue.Client(service.url, queue_file=tmp_path / "queue") as owner:
        with pytest.raises(BlockingIOError, match="another process or client uses it; give each a file of its own"):
            segue.Client(service.url, queue_file=tmp_path / "queue")
        child = os.fork()
        if child == 0:
            try:
                owner.tell_later("x", 1)
            except OSError as error:
                os._exit(0 if "in each process" in str(error) else 2)
            os._exit(1)
        assert os.waitpid(child, 0)[1] == 0
    segue.Client(service.url, queue_file=tmp_path / "queue").close()


def test_a_damaged_file_is_named_and_left_as_it_is(service, tmp_path):
    path = tmp_path / "queue"
    path.write_bytes(b'{"decision":"a","reward":1}\nnot a reward\n')
    for _ in range(2):
        with pytest.raises(ValueError, match="queue:2: is not a queued reward; move the file away, or remove the line"):
            segue.Client(service.url, queue_file=path)
    assert path.read_bytes() == b'{"decision":"a","reward":1}\nnot a reward\n'
    with pytest.raises(FileNotFoundError):
        segue.Client(service.url, queue_file=tmp_path / "none" / "queue")


def rewards(count):
    return [Reward.make(f"decision-{i}", i) for i in range(count)]


def test_a_line_that_was_not_finished_is_removed(tmp_path):
    path = tmp_path / "queue"
    path.write_bytes(b'{"decision":"a","reward":1}\n{"decision":"b","rew')
    file = QueueFile(path)
    assert [reward.decision for reward in file.read()] == ["a"]
    file.append(rewards(1)[0])
    file.close()
    assert [reward.decision for reward in QueueFile(path).read()] == ["a", "decision-0"]


def test_any_history_of_a_file_leaves_what_waits(tmp_path, monkeypatch):
    """Appends, completions, rewrites and restarts in random order, beside a list."""
    monkeypatch.setattr("segue._queue_file.MAX_DONE", 300)
    file, waiting, number = QueueFile(tmp_path / "queue"), [], 0
    file.read()
    for _ in range(2000):
        what = random.random()
        if what < 0.6:
            waiting.append(Reward.make(f"d{number}", number))
            file.append(waiting[-1])
            number += 1
        elif what < 0.95:
            done = random.randint(0, min(4, len(waiting)))
            del waiting[:done]
            file.finish(done, waiting)
        else:
            file.close()
            file = QueueFile(tmp_path / "queue")
            assert file.read() == waiting
    assert os.path.getsize(tmp_path / "queue") < 2 * 300 + 60 * len(waiting) + 2000


def test_a_full_disk_is_an_error_of_the_caller_and_leaves_the_file(tmp_path):
    code = """
import resource, signal, sys
from segue._queue_file import QueueFile
from segue.rewards import Reward
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
file = QueueFile(sys.argv[1])
file.read()
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
for i in range(9):
    try:
        file.append(Reward.make(f"decision-{i}", 1))
    except OSError as error:
        print(i, error)
        break"""
    ended = run(code, str(tmp_path / "queue"))
    assert ended.stdout.startswith("2 ") and ended.stderr == ""
    assert [reward.decision for reward in QueueFile(tmp_path / "queue").read()] == ["decision-0", "decision-1"]


def test_a_file_that_cannot_be_marked_is_logged(service, client, tutor, tmp_path, monkeypatch, caplog):
    decision = ask(tutor, 1)[0]
    with segue.Client(service.url, queue_file=tmp_path / "queue") as sender:
        monkeypatch.setattr(QueueFile, "finish", lambda *_: (_ for _ in ()).throw(OSError("no")))
        with caplog.at_level(logging.WARNING):
            sender.tell_later(decision, 1)
            assert sender.flush().counted == 1
        assert "sent again after a restart, and count once" in caplog.text
    monkeypatch.undo()
    with segue.Client(service.url, queue_file=tmp_path / "queue") as again:
        assert again.flush().duplicates == 1
