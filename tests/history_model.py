"""A check that what callers noted (history.py) can have happened one call after the other: each task, each decision, and
what pauses and settings do, are compared with a sequential model, with the times at which calls began and ended.

A call without an answer, or whose answer is that the outcome is not known, may have happened or not, also after it ended; one
whose answer is that nothing has changed did not happen.
SPDX-License-Identifier: Apache-2.0"""
import collections
import math

from disk import UNCHANGED, rewards_in
from history import DEADLINE, DEFAULT, LEARNER, STEPS, decisions_of
from service import parts_of
from stores import query

REFIT = "a refit of the learner runs"  # nothing was erased


def is_unknown(call):
    """It may have happened."""
    return call.status == 0 or (call.status == 503 and not any(says in call.body["error"]["message"] for says in (UNCHANGED, REFIT)))


def may_have_happened(call):
    return call.status == 200 or is_unknown(call)


def last_moment(call):
    return math.inf if is_unknown(call) else call.ended


def expand(calls):
    """Tells of several rewards as one call each, with its own answer."""
    for call in calls:
        if call.kind != "tells":
            yield call
            continue
        assert call.status in (0, 200, 503), call
        results = call.body["results"] if call.status == 200 else [None] * len(call.value)
        for (task, decision, value), result in zip(call.value, results, strict=True):
            status = call.status if result is None else result.get("http_status", 200)
            yield call._replace(kind="tell", task=task, key=decision, value=value, status=status, body=result or call.body)


def acknowledged(calls):
    """Tells whose reward counted."""
    return [call for call in expand(calls) if call.kind == "tell" and call.status == 200 and call.body["status"] == "counted"]


def find_pauses(calls):
    """Times in which the learner was paused: surely, and possibly.  A resume whose outcome is not known ends the first kind alone."""
    pauses = [call for call in calls if call.value and may_have_happened(call)]
    resumes = [call for call in calls if not call.value and may_have_happened(call)]
    surely, possibly = [], []
    for pause in pauses:
        end = min((r.begun for r in resumes if last_moment(r) > pause.begun), default=math.inf)
        if pause.status == 200 and pause.ended < end:
            surely.append((pause.ended, end))
        possibly.append((pause.begun, min((r.ended for r in resumes if r.status == 200 and r.begun > last_moment(pause)),
                                          default=math.inf)))
    return surely, possibly


class History:
    """All calls, and the rewards of the store by (task, number of the decision)."""

    def __init__(self, calls, there):
        self.there = there
        self.by_task, self.by_decision = collections.defaultdict(list), collections.defaultdict(list)
        self.tells, self.given, self.asked = collections.defaultdict(list), collections.defaultdict(set), {}
        for call in expand(calls):
            if call.task is not None:
                self.by_task[call.task].append(call)
            if call.kind == "tell":
                self.by_decision[call.key].append(call)
                self.tells[parts_of(call.key)[1]].append(call)
            elif call.kind == "ask" and call.status == 200:
                for made in decisions_of(call.body):
                    self.given[parts_of(made["decision"])[1]].add(made["decision"])
                    self.asked[made["decision"]] = min(call.begun, self.asked.get(made["decision"], math.inf))
        self.defaults = collections.Counter(task for (task, _), value in there.items() if value == DEFAULT)
        self.paused, self.maybe_paused = find_pauses([call for call in calls if call.kind == "pause"])
        self.erased = {call.body["task_id"]: call for call in calls if call.kind == "erase" and call.status == 200}

    def of(self, task, kind):
        return [call for call in self.by_task[task] if call.kind == kind and may_have_happened(call)]

    def is_full(self, task, task_id, when):
        """It may have closed by its number of rewards.  The defaults of a task that was erased later are not in the store any more."""
        rewarded = {call.key for call in self.tells[task_id] if may_have_happened(call) and call.begun < when}
        if not self.of(task, "erase"):
            return len(rewarded) + self.defaults[task_id] >= STEPS
        late = {decision for decision in self.given[task_id] if self.asked[decision] + DEADLINE < when}
        return len(rewarded | late) >= STEPS or any(is_unknown(call) for call in self.of(task, "ask"))

    def can_be_over(self, task, ids, when):
        """The task may be closed, or gone."""
        return any(call.begun < when for call in self.of(task, "close") + self.of(task, "erase")) or any(
            self.is_full(task, task_id, when) for task_id in ids)

    def ids_of(self, task):
        return {parts_of(call.key)[1] for call in self.by_task[task] if call.kind == "tell"}


# ---- tells ----


def check_refused(history, decision, call, counted):
    """Gone: its task is closed or erased, or its deadline has passed."""
    late = history.asked.get(decision, math.inf) + DEADLINE - 0.01 < call.ended
    erasing = any(erase.begun < call.ended for erase in history.of(call.task, "erase"))
    assert late or history.can_be_over(call.task, [parts_of(decision)[1]], call.ended), ("gone while open", call)
    assert erasing or not counted or counted[0].ended > call.begun, ("gone though counted", call)


def check_repeated(decision, call, calls, counted, stored):
    """A duplicate agrees with the first tell, a conflict does not, and neither came before it."""
    unknown = [c for c in calls if is_unknown(c)]
    first = counted or [c for c in unknown if (c.value == call.value) == (call.status == 200)]
    assert first, ("a duplicate of nothing", call)
    assert min(c.begun for c in first) < call.ended, ("a duplicate before the first", call)
    assert stored is None or (call.status == 200) == (call.value == stored), ("neither the same nor another", call, stored)


def check_stored(history, decision, calls, counted, stored):
    """What was acknowledged is there, and nothing else, unless the task was erased."""
    task, task_id = calls[0].task, parts_of(decision)[1]
    if task_id in history.erased:
        assert stored is None, ("erased, and still there", decision, stored)
        assert all(c.begun < history.erased[task_id].ended for c in calls if c.status == 200), ("counted after it was erased", calls)
    elif counted:
        erases = [call for call in history.of(task, "erase") if is_unknown(call)]
        assert stored == counted[0].value or (stored is None and erases), ("lost or changed", counted[0], stored)
    elif stored not in (None, DEFAULT):
        assert stored in [c.value for c in calls if is_unknown(c)], ("no caller told it", decision, stored)


def check_decision(history, decision, calls):
    """At most one tell counts; the others agree with it, and did not come before it.  The store has it."""
    counted = [c for c in calls if c.status == 200 and c.body["status"] == "counted"]
    assert len(counted) <= 1, ("counted twice", decision, counted)
    stored = history.there.get(parts_of(decision)[1:3])
    for call in calls:
        if call.status in (0, 503) or call in counted:
            continue
        assert call.status in (200, 409, 410), call
        if call.status == 410:
            check_refused(history, decision, call, counted)
        else:
            check_repeated(decision, call, calls, counted, stored)
    check_stored(history, decision, calls, counted, stored)
    closed = [c for c in history.of(calls[0].task, "close") if c.status == 200]
    if counted and closed and not history.of(calls[0].task, "erase"):  # the key of an erased task is opened again
        first = min(closed, key=lambda c: c.ended)
        assert counted[0].begun < first.ended, ("counted after it was closed", counted[0], first)


# ---- asks ----


def check_ask(history, task, call, closed, found):
    """`found`: the decisions before, by their event ids and task."""
    assert call.status in (200, 409), call
    if call.status == 409:
        paused = "is paused" in call.body["error"]["message"]
        over = history.can_be_over(task, history.ids_of(task), call.ended)
        possible = any(begun < call.ended and call.begun < ended for begun, ended in history.maybe_paused)
        assert possible if paused else over, ("refused while open", call)
        return
    decisions = tuple(made["decision"] for made in decisions_of(call.body))
    if call.key:
        event = call.key, parts_of(decisions[0])[1]
        assert found.setdefault(event, decisions) == decisions, ("another decision", call)
        return
    assert call.begun < closed, ("asked after it was closed", call)
    paused = any(begun < call.begun and call.ended < ended for begun, ended in history.paused)
    assert not paused, ("decided while paused", call)
    for decision in decisions:
        assert found.setdefault(decision, call) is call, ("the same decision twice", call)


def check_task(history, task):
    closed = min((c.ended for c in history.of(task, "close") if c.status == 200), default=math.inf)
    if history.of(task, "erase"):
        closed = math.inf
    found = {}
    for call in history.by_task[task]:
        if call.kind == "ask" and call.status not in (0, 503):
            check_ask(history, task, call, closed, found)


# ---- the learner ----


def check_settings(calls, learner):
    """The control share is one that no later change replaced."""
    changes = [call for call in calls if call.kind == "change"]
    allowed = {call.value for call in changes if may_have_happened(call) and
               not any(c.status == 200 and last_moment(call) < c.begun for c in changes)}
    if all(call.status != 200 for call in changes):
        allowed.add(LEARNER["control"])
    assert learner["control"] in allowed, ("another control share", learner["control"], allowed)


def check_learner(calls, store, learner):
    """It counts the rewards of the store, and those of tasks that were closed and erased."""
    (open_rewards,), = query(store, "SELECT count(*) FROM reward JOIN task ON task.id = reward.task WHERE task.closed IS NULL")
    (closed_rewards,), = query(store, "SELECT coalesce(sum(rewards), 0) FROM task WHERE closed IS NOT NULL")
    assert learner["rewards"] == open_rewards + closed_rewards, (learner["rewards"], open_rewards, closed_rewards)
    check_settings(calls, learner)


def check(calls, store):
    """Compare all calls with each other and with the store; returns the number of stored rewards."""
    history = History(calls, rewards_in(store))
    for task in list(history.by_task):
        check_task(history, task)
    for decision, of in history.by_decision.items():
        check_decision(history, decision, of)
    sent = {parts_of(decision)[1:3] for decision in history.by_decision}
    others = {key for key, value in history.there.items() if value != DEFAULT}
    assert others <= sent, "the store has rewards that no caller told"
    return len(history.there)
