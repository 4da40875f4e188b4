"""The client's operations against a real service: what is sent, what comes back, what is rejected.
SPDX-License-Identifier: Apache-2.0"""
import json
import pickle
import threading

import pytest
from served import PROGRAM, TOKEN, Restarting, client, proxy, segue, service  # noqa: F401

from segue.service_errors import Conflict, Gone, InvalidRequest, NotAllowed, NotFound


@pytest.fixture
def tutor(client):
    return client.create("tutor", arms=["video", "quiz", "game"], steps=30)


def test_each_call_is_one_request_on_one_connection(proxy):
    """A request that is sent twice is seen here, and not in its result, which is the same."""
    with segue.Client(proxy.url) as client:
        task = client.create("tutor", arms=["A", "B"]).task("ann")
        for _ in range(10):
            assert task.ask().tell(1).status == "counted"
        decisions = task.ask(count=3)
        assert [result.status for result in client.tell_many((decision, 0) for decision in decisions)] == ["counted"] * 3
        task.close()
    assert len(proxy.requests) == 1 + 2 * 10 + 2 + 1
    assert proxy.connections == 1


def test_creation_is_idempotent_and_other_settings_are_rejected(client):
    client.create("tutor", arms=["A", "B"], steps=5)
    client.create("tutor", arms=["A", "B"], steps=5)
    with pytest.raises(Conflict, match="already exists with different settings"):
        client.create("tutor", arms=["A", "B"], steps=6)


def test_an_event_gives_the_same_decision(tutor):
    task = tutor.task("ann")
    assert task.ask("page-1").id == task.ask("page-1").id != task.ask("page-2").id
    first, second = task.ask(), task.ask()
    assert first.event and first.event != second.event
    assert task.ask(event=False).event is None


def test_options_of_an_ask(tutor):
    task = tutor.task("ann", features={"country": "de", "age": 41})
    assert task.ask(eligible=["game"]).arm == "game"
    assert task.ask(exclude={"game", "quiz"}).arm == "video"
    decision = task.ask(probability=True, explain=True)
    assert 0 < decision.probability <= 1 and decision.probability_by in ("exact", "monte-carlo")
    assert task.info["features"] == {"country": "de", "age": 41}
    assert len({decision.id for decision in task.ask(count=7)}) == 7
    with pytest.raises(InvalidRequest) as caught:
        task.ask(count=0)
    assert caught.value.field == "count"


def test_numbers_of_numpy_are_accepted(tutor):
    numpy = pytest.importorskip("numpy")
    task = tutor.task("ann", features={"age": numpy.int64(41)})
    assert task.ask(eligible=numpy.array(["quiz"])).tell(numpy.float32(0.5)).status == "counted"
    assert task.info["arms"][1]["mean"] == 0.5


@pytest.mark.parametrize("reward", [float("nan"), float("inf"), "x", None])
def test_a_reward_that_is_no_number_is_not_sent(tutor, reward):
    decision = tutor.task("ann").ask()
    with pytest.raises((ValueError, TypeError)):
        decision.tell(reward)
    with pytest.raises((ValueError, TypeError)):
        decision.tell_later(reward)
    assert tutor.info["rewards"] == 0


def test_errors_are_those_of_the_library_and_have_the_sentence(client, tutor):
    task = tutor.task("ann")
    decision = task.ask()
    with pytest.raises(ValueError, match="the reward is 7; need a number from 0 to 1"):
        decision.tell(7)
    with pytest.raises(KeyError) as missing:
        client.learner("none").info
    assert str(missing.value) == "there is no learner 'none'; POST /v1/learners creates one"
    decision.tell(1)
    with pytest.raises(Conflict) as conflict:
        decision.tell(0)
    assert (conflict.value.status, conflict.value.code) == (409, "conflict") and conflict.value.request
    task.close()
    with pytest.raises(Gone):
        task.tell(task_decision(client), 1)
    assert all(isinstance(error.value, segue.ServiceError) and isinstance(error.value, segue.Error) for error in (missing, conflict))
    copy = pickle.loads(pickle.dumps(conflict.value))
    assert (str(copy), copy.status, copy.request) == (str(conflict.value), 409, conflict.value.request)


def task_decision(client):
    """A decision of a task that is closed."""
    task = client.learner("tutor").task("closed")
    decision = task.ask()
    task.close()
    return decision


def test_names_with_any_characters(client):
    learner = client.create("a/b ü?#%", arms=["x/y", "ü", "100 %"])
    task = learner.task("key/with ?&# and ü")
    task.ask(eligible=["x/y"]).tell(1)
    assert task.close()["rewards"] == 1
    learner.retire_arm("x/y")
    assert learner.arms == ["ü", "100 %"]
    with pytest.raises(ValueError, match="surrogates"):
        learner.task("\ud800").ask()


def test_a_block_closes_its_task(tutor):
    with tutor.task("ann") as task:
        task.ask().tell(1)
    assert not task.info["open"]
    with pytest.raises(RuntimeError, match="own"), tutor.task("bob") as task:
        task.ask().tell(1)
        raise RuntimeError("own")
    assert not task.info["open"]
    with tutor.task("never asked"):
        pass
    with pytest.raises(NotFound), tutor.client.learner("none").task("x"):
        pass


def test_a_reward_and_an_ask_in_one_request(client):
    task = client.create("short", arms=["A", "B"], steps=2).task("ann")
    second = task.tell_and_ask(task.ask(), 1, eligible=["B"])
    assert second.arm == "B"
    assert task.tell_and_ask(second, 0) is None
    assert task.info["rewards"] == 2 and not task.info["open"]


def test_several_rewards_of_a_decision(client):
    task = client.create("shop", arms=["A", "B"], range=[0, 100], aggregate="sum").task("ann")
    decision = task.ask()
    assert decision.tell(20, event="order-17").total == 20
    assert decision.tell(5, event="order-18").total == 25
    assert decision.tell(5, event="order-18").status == "duplicate"
    with pytest.raises(InvalidRequest):
        decision.tell(5)


def test_shadow_mode(client):
    learner = client.create("watched", arms=["A", "B"], steps=2, mode="shadow")
    with learner.task("ann") as task:
        decision = task.ask(chosen="B", chosen_probability=0.5)
        assert decision.arm == "B" and decision.would_choose in ("A", "B")
        decision.tell(1)
    assert learner.shadow()["caller"]["steps"] == 1


def test_settings_pause_export_merge_delete(client, tutor):
    assert tutor.change(control=0.2)["control"] == 0.2 == tutor.settings["control"]
    tutor.pause()
    with pytest.raises(Conflict, match="is paused"):
        tutor.task("ann").ask()
    tutor.resume()
    for i in range(3):
        with tutor.task(f"t{i}") as task:
            task.ask().tell(1)
    other = client.create("other", arms=["video", "quiz", "game"], steps=30)
    exported = tutor.export()  # once: a refit changes its bytes
    assert other.merge(exported)["tasks"] == 3
    assert other.merge(json.loads(json.dumps(exported)))["status"] == "duplicate"
    assert tutor.effect["tasks"] == 3 and isinstance(tutor.types, list)
    assert [task["task"] for task in tutor.tasks(open=False)] == ["t2", "t1", "t0"]
    tutor.task("t0").erase()
    with pytest.raises(NotFound):
        tutor.task("t0").erase()
    tutor.delete()
    assert [learner["name"] for learner in client.learners()] == ["other"]


def test_many_rewards_each_with_its_own_result(client, tutor):
    decisions = [decision for i in range(3) for decision in tutor.task(f"t{i}").ask(count=1000)]
    tutor.change(close_after=0)
    rewards = [(decision, 1) for decision in decisions] + [{"decision": decisions[0].id, "reward": 0}, ("x", 1)]
    results = client.tell_many(rewards)
    assert len(results) == 3002
    assert [result.error.status for result in results[-2:]] == [409, 400]
    counted = [result for result in results[:3000] if result.status == "counted"]
    assert len(counted) == tutor.info["rewards"] == 90  # close_after is 30 in tasks that were open before
    assert all(isinstance(result.error, Gone) for result in results[:3000] if result.status == "rejected")


def test_long_events_are_divided_by_bytes(client):
    """1,000 rewards with events of 256 bytes are more than a request may have."""
    learner = client.create("shop", arms=["A", "B"], aggregate="max")
    decision = learner.task("ann").ask()
    results = client.tell_many((decision, i / 1000, f"{i:0256}") for i in range(1000))
    assert {result.status for result in results} == {"counted"} and results[-1].total == 0.999


def test_threads_share_a_client(client, tutor):
    errors = []

    def play(number):
        try:
            for i in range(20):
                assert tutor.task(f"thread-{number}").ask().tell(i % 2).status == "counted"
        except Exception as error:
            errors.append(error)
    threads = [threading.Thread(target=play, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == [] and tutor.info["rewards"] == 320


@pytest.mark.parametrize("url", ["localhost:8080", "ftp://x", "http://", "http://u:p@h", "http://h?x=1"])
def test_a_wrong_url_is_named(url):
    with pytest.raises(ValueError, match="need http"):
        segue.Client(url)


def test_tokens(tmp_path):
    tokens = tmp_path / "tokens"
    tokens.write_text(f"ops admin {TOKEN}\nweb decide {TOKEN}-decide\n")
    tokens.chmod(0o600)
    service = Restarting(PROGRAM, tmp_path / "t.db", "--token-file", str(tokens))
    try:
        tutor = segue.Client(service.url, token=TOKEN).create("tutor", arms=["A", "B"])
        with pytest.raises(NotAllowed) as missing:
            segue.Client(service.url).learner("tutor").info
        with pytest.raises(NotAllowed) as wrong:
            segue.Client(service.url, token="wrong-token-of-this-test").learner("tutor").info
        web = segue.Client(service.url, token=f"{TOKEN}-decide").learner("tutor")
        web.task("ann").ask().tell(1)
        with pytest.raises(NotAllowed, match="admin") as lacking:
            web.delete()
        assert [error.value.status for error in (missing, wrong, lacking)] == [401, 401, 403]
        assert TOKEN not in repr(tutor.client)
    finally:
        service.stop()
    with pytest.raises(ValueError, match="token has"):
        segue.Client(service.url, token="two\nlines")


def test_the_first_argument_of_ask_may_be_a_count(tutor):
    """As in the library: ask(8)."""
    task = tutor.task("ann")
    assert len({decision.id for decision in task.ask(8)}) == 8 and len(task.ask(2, exclude={"quiz"})) == 2
    for call in (lambda: task.ask(8, count=8), lambda: task.ask(1.5), lambda: task.ask(True)):
        with pytest.raises((TypeError, InvalidRequest)):
            call()


@pytest.mark.parametrize("call,kind,sentence", [
    (lambda task, decision: task.tell(decision, "1"), TypeError, "reward is '1'; need a number"),
    (lambda task, decision: task.tell(decision, None), TypeError, "reward is None; need a number"),
    (lambda task, decision: task.tell_later(decision, 10**400), ValueError, "reward is too large; need a finite number"),
    (lambda task, decision: task.learner.client.tell_many([5]), TypeError, r"a reward is 5; need \(decision, reward\)"),
    (lambda task, decision: task.learner.client.tell_many({decision.id: 1}), TypeError, "a reward is '"),
    (lambda task, decision: task.ask(exclude=5), TypeError, "exclude is 5; need a set of arms"),
    (lambda task, decision: task.learner.client.learner(None).types, TypeError, "a name is None; need a text"),
    (lambda task, decision: task.learner.client.create("x", arms="ab"), TypeError, "arms is 'ab'; need a list of names"),
    (lambda task, decision: task.learner.task("x", features={"age": float("nan")}).ask(), ValueError, "not finite; need finite numbers"),
    (lambda task, decision: segue.Client("http://localhost:99999"), ValueError, "url is 'http://localhost:99999'; need http://HOST:PORT"),
    (lambda task, decision: segue.Client("http://localhost", token=5), TypeError, "token is a int; need a text"),
    (lambda task, decision: segue.Client("http://localhost", timeout="1"), TypeError, "timeout is '1'; need a number of seconds"),
    (lambda task, decision: segue.Client("http://localhost", timeout=1e300), ValueError, "at most 1000000"),
])
def test_wrong_arguments_are_named_before_anything_is_sent(tutor, call, kind, sentence):
    task = tutor.task("ann")
    decision = task.ask()
    with pytest.raises(kind, match=sentence):
        call(task, decision)
    assert task.info["rewards"] == 0 and decision.tell(1).status == "counted"
