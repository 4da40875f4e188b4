#!/usr/bin/python3
"""Rights of tokens, names in the logs, the audit log, and SIGHUP, of a running service.

usage: test_serve_rights.py SEGUE SOURCE [unittest options]
SPDX-License-Identifier: Apache-2.0"""
import json
import os
import resource
import signal
import stat
import sys
import time
import unittest

import postgresql
import prometheus
from program import SEGUE, SOURCE, answer
from served import FEW, Served
from service import Service

READ, DECIDE, ADMIN = "a-token-that-may-read", "a-token-that-may-decide", "a-token-that-may-admin"
THREE = f"grafana read {READ}\nweb decide {DECIDE}\nops admin {ADMIN}\n"
OTHER = "another-token-of-the-test"
PATIENCE = 30  # seconds, where a healthy service takes less than one


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


class Guarded(Served):
    create, text = False, THREE
    reports = (FEW, "without a valid token rejected", "the tokens have changed")

    def options_of(self):
        self.audit = self.folder / "audit"
        self.tokens = self.file(self.text, "tokens")
        return "--token-file", self.tokens, "--audit-log", str(self.audit)

    def setUp(self):
        super().setUp()
        self.reader, self.decider, self.admin = map(self.service.client, (READ, DECIDE, ADMIN))

    def make(self, name="tutor"):
        return self.admin.post("/v1/learners", {"name": name, "arms": ["A", "B"], "steps": 3})[0]

    def hang_up(self):
        self.service.process.send_signal(signal.SIGHUP)

    def wait_until(self, condition):
        until = time.monotonic() + PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), until)
            time.sleep(0.02)


class Rights(Guarded):
    def forbidden(self, client, right, method, path, body=None):
        status, reply = client.call(method, path, body)
        self.assertEqual(status, 403, (method, path, reply))
        self.assertIn(f"needs the right {right}", reply["error"]["message"])

    def test_read_reads_everything_and_changes_nothing(self):
        self.assertEqual(self.make(), 201)
        decision = self.decider.ask("tutor", "t")[1]["decision"]
        for path in ("", "/tutor", "/tutor/history", "/tutor/versions", "/tutor/decisions", "/tutor/tasks", "/tutor/tasks/t"):
            self.assertEqual(self.reader.get(f"/v1/learners{path}")[0], 200, path)
        status, text = self.reader.raw("GET", "/metrics")
        self.assertEqual(status, 200)
        self.assertIn(b"segue_requests_total", text)
        for path in ("/", "/app.js", "/openapi.json", "/healthz", "/readyz"):  # open to all
            self.assertEqual(self.service.client().raw("GET", path)[0], 200, path)
        for path, body in (("/ask", {"task": "t"}), ("/tasks", {"task": "u"}), ("/tasks/t/close", None)):
            self.forbidden(self.reader, "decide", "POST", f"/v1/learners/tutor{path}", body)
        self.forbidden(self.reader, "decide", "POST", "/v1/tell", {"decision": decision, "reward": 1})
        self.forbidden(self.reader, "admin", "DELETE", "/v1/learners/tutor")
        self.assertEqual(self.reader.get("/v1/learners/tutor")[1]["rewards"], 0)

    def test_decide_plays_tasks_and_administers_nothing(self):
        self.assertEqual(self.make(), 201)
        self.assertEqual(self.decider.post("/v1/learners/tutor/tasks", {"task": "t"})[0], 201)
        decision = self.decider.ask("tutor", "t")[1]["decision"]
        self.assertEqual(self.decider.tell(decision, 1)[0], 200)
        self.assertEqual(self.decider.post("/v1/learners/tutor/tasks/t/close")[0], 200)
        self.assertEqual(self.decider.get("/v1/learners/tutor")[1]["rewards"], 1)
        self.forbidden(self.decider, "admin", "POST", "/v1/learners", {"name": "b", "arms": ["A", "B"]})
        self.forbidden(self.decider, "admin", "POST", "/v1/learners/tutor/arms", {"arm": "C"})
        self.forbidden(self.decider, "admin", "DELETE", "/v1/learners/tutor/arms/A")
        self.forbidden(self.decider, "admin", "DELETE", "/v1/learners/tutor")
        self.assertEqual(self.decider.get("/v1/learners/b")[0], 404)

    def test_admin_does_everything(self):
        self.assertEqual(self.make(), 201)
        decision = self.admin.ask("tutor", "t")[1]["decision"]
        self.assertEqual(self.admin.tell(decision, 1)[0], 200)
        self.assertEqual(self.admin.post("/v1/learners/tutor/arms", {"arm": "C"})[0], 201)
        self.assertEqual(self.admin.call("DELETE", "/v1/learners/tutor/arms/A")[0], 200)
        self.assertEqual(self.admin.call("DELETE", "/v1/learners/tutor")[0], 200)

    def test_the_description_names_the_right_of_every_operation(self):
        rights = {"read": 1, "decide": 2, "admin": 3}
        paths = json.loads((SOURCE / "src/service/api/openapi.json").read_text())["paths"]
        operations = [(method, path, operation) for path, item in paths.items() for method, operation in item.items()
                      if method in ("get", "post", "delete", "patch", "put")]
        self.assertGreater(len(operations), 15)
        for method, path, operation in operations:
            needed = rights.get(operation.get("x-right"), 0)
            self.assertEqual(needed == 0, operation.get("security") == [], path)
            self.assertEqual(needed > 0, "403" in operation["responses"], path)
            for right, client in enumerate((self.service.client(), self.reader, self.decider, self.admin)):
                status = client.raw(method.upper(), path.replace("{", "").replace("}", ""))[0]
                rejected = 401 if right == 0 else 403
                self.assertEqual(status == rejected, right < needed, (method, path, right, status))

    def test_a_long_body_is_read_from_an_administrator_only(self):
        body = {"name": "b", "arms": ["A", "B"], "x": "x" * 100000}
        self.assertEqual(self.decider.post("/v1/learners", body)[0], 413)
        self.assertEqual(self.admin.post("/v1/learners", body)[0], 400)

    def test_many_rewards_are_read_from_a_client_that_may_decide(self):
        body = {"rewards": [{"decision": "x" * 200, "reward": 1}] * 400}
        self.assertEqual(self.reader.post("/v1/tell", body)[0], 413)
        for client in (self.decider, self.admin):
            status, answer = client.post("/v1/tell", body)
            self.assertEqual((status, len(answer["results"])), (200, 400))

    def test_the_client_commands_use_a_token_of_such_a_file(self):
        self.assertEqual(self.make(), 201)
        listed = json.loads(answer("learners", "--url", f"http://127.0.0.1:{self.service.port}", "--token-file", self.tokens))
        self.assertEqual([line["name"] for line in listed["learners"]], ["tutor"])


class Logs(Guarded):
    def test_the_access_log_names_the_token_and_has_none(self):
        self.make()
        self.reader.get("/v1/learners")
        self.reader.post("/v1/tell", {})
        self.service.client().get("/v1/learners")
        self.service.client(OTHER).get("/healthz")
        self.assertEqual(self.service.stop(), 0)
        logged = [(line.get("name"), line["method"], line["path"], line["status"]) for line in lines(self.log)]
        self.assertEqual(logged, [("ops", "POST", "/v1/learners", 201), ("grafana", "GET", "/v1/learners", 200),
                                  ("grafana", "POST", "/v1/tell", 403), (None, "GET", "/v1/learners", 401),
                                  (None, "GET", "/healthz", 200)])
        for path in (self.log, self.audit):
            self.assertNotIn("a-token", path.read_text())

    def test_the_audit_log_has_administrative_requests_before_their_responses(self):
        def entry(status, name, method, path, learner):
            last = lines(self.audit)[-1]
            self.assertLess(abs(last.pop("time") - time.time()), 3600)
            self.assertTrue(last.pop("request"))
            self.assertEqual(last, {"name": name, "method": method, "path": path, "learner": learner, "status": status})

        self.assertEqual(self.make("a b"), 201)
        entry(201, "ops", "POST", "/v1/learners", "a b")
        self.assertEqual(self.make("a b"), 200)
        entry(200, "ops", "POST", "/v1/learners", "a b")
        self.assertEqual(self.admin.post("/v1/learners/a%20b/arms", {"arm": "C"})[0], 201)
        entry(201, "ops", "POST", "/v1/learners/a%20b/arms", "a b")
        self.assertEqual(self.decider.call("DELETE", "/v1/learners/a%20b")[0], 403)
        entry(403, "web", "DELETE", "/v1/learners/a%20b", "a b")
        self.assertEqual(self.admin.call("DELETE", "/v1/learners/none")[0], 404)
        entry(404, "ops", "DELETE", "/v1/learners/none", "none")
        count = len(lines(self.audit))
        self.assertEqual(self.decider.ask("a%20b", "t")[0], 200)
        self.reader.get("/v1/learners")
        self.assertEqual(self.service.client(OTHER).call("DELETE", "/v1/learners/none")[0], 401)  # of no caller that is known
        self.assertEqual(len(lines(self.audit)), count)
        self.assertEqual(stat.S_IMODE(self.audit.stat().st_mode), 0o600)

    def test_sighup_opens_new_logs(self):
        self.assertEqual(self.make("a"), 201)
        for path in (self.log, self.audit):
            path.rename(f"{path}.1")
        self.hang_up()
        self.wait_until(lambda: self.log.exists() and self.audit.exists())
        self.assertEqual(self.make("b"), 201)
        self.wait_until(lambda: [line["learner"] for line in lines(self.audit)] == ["b"])
        old = self.audit.with_name("audit.1")
        self.assertEqual([line["learner"] for line in lines(old)], ["a"])

    def test_a_log_that_cannot_be_opened_again_goes_on(self):
        self.reports = (*self.reports, "the old file of the audit log is still used")
        old = self.audit.rename(self.folder / "audit.1")
        self.audit.mkdir()
        self.hang_up()
        self.service.reported("the old file of the audit log is still used; correct it and send SIGHUP again")
        self.assertEqual(self.make("a"), 201)
        self.assertEqual([line["learner"] for line in lines(old)], ["a"])

    def test_many_administrators_lose_no_line(self):
        for i in range(40):
            self.assertEqual(self.admin.post("/v1/learners", {"name": f"l{i}", "arms": ["A", "B"]})[0], 201)
        self.service.close_clients()
        self.service.kill()  # no line waits in the program
        self.assertEqual([line["learner"] for line in lines(self.audit)], [f"l{i}" for i in range(40)])
        self.service.start()


class FullDisk(Guarded):
    """The audit log is on a disk of its own, which is full: a limit of the size of files that it has reached."""
    reports = (*Guarded.reports, "the audit log cannot be written", "the audit log is written again")

    def options_of(self):
        options = super().options_of()
        self.audit.write_bytes(b" " * (64 << 20) + b"\n")  # the store and its WAL are far smaller
        self.audit.chmod(0o600)
        return options

    def limit(self, size):
        resource.prlimit(self.service.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    @staticmethod
    def before():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    def last(self):
        with self.audit.open("rb") as file:
            file.seek(64 << 20)
            return [json.loads(line)["status"] for line in file.read().splitlines() if line]

    def test_administrative_requests_wait_for_the_log(self):
        self.assertEqual(self.make("a"), 201)
        self.limit(64 << 20)
        self.assertEqual(self.make("b"), 201)  # it is stored already when its line fails
        self.service.reported("the audit log cannot be written: File too large")
        status, reply = self.admin.call("DELETE", "/v1/learners/a")
        self.assertEqual(status, 503)
        self.assertIn("the audit log cannot be written, and nothing has changed", reply["error"]["message"])
        self.assertEqual(self.decider.ask("a", "t")[0], 200)  # others go on
        self.assertEqual(self.last(), [201])
        self.assertEqual(self.failing(), 1)
        self.limit(resource.RLIM_INFINITY)
        self.assertEqual(self.admin.call("DELETE", "/v1/learners/a")[0], 200)
        self.assertEqual(self.last(), [201, 201, 503, 200])
        self.service.reported("the audit log is written again")

    def failing(self):
        return prometheus.parse(self.admin.raw("GET", "/metrics")[1].decode())["segue_audit_log_failing"].value()

    def test_a_reload_writes_the_lines_that_wait(self):
        self.limit(64 << 20)
        self.assertEqual((self.failing(), self.make("b"), self.failing()), (0, 201, 1))
        self.limit(resource.RLIM_INFINITY)
        self.hang_up()
        self.service.reported("the audit log is written again")
        self.assertEqual((self.failing(), self.last()), (0, [201]))

    def test_lines_that_are_lost_are_an_error(self):
        self.limit(64 << 20)
        self.assertEqual(self.make("b"), 201)
        self.assertEqual(self.service.stop(), 1)
        self.assertIn("lines of the audit log are lost: File too large", "".join(self.service.errors))
        self.service.errors.clear()


class Reload(Guarded):
    reports = (*Guarded.reports, "the old tokens stay valid")

    def status(self, token):
        client = self.service.client(token)
        return client.get("/v1/learners")[0]

    def test_sighup_replaces_the_tokens(self):
        self.file(f"grafana decide {READ}\nnew admin {OTHER}\n", "tokens")
        self.hang_up()
        self.service.reported("the tokens have changed; 2 are valid now")
        self.assertEqual([self.status(token) for token in (READ, DECIDE, ADMIN, OTHER)], [200, 401, 401, 200])
        self.assertEqual(self.admin.get("/v1/learners")[0], 401)  # also on an open connection
        self.assertEqual(self.reader.post("/v1/tell", {})[0], 400)  # more than before

    def test_a_broken_file_leaves_the_old_tokens(self):
        for text, says in ((f"new admin {OTHER}\nweb all {DECIDE}\n", "line 2: the second field is not a right"),
                           ("", "has no token"), (f"a read {READ}\nb read {READ}\n", "line 2: the token of 'a' again")):
            self.service.errors.clear()
            self.file(text, "tokens")
            self.hang_up()
            self.service.reported(says)
            self.service.reported("the old tokens stay valid; correct it and send SIGHUP again")
            self.assertEqual([self.status(token) for token in (READ, DECIDE, ADMIN, OTHER)], [200, 200, 200, 401])
        os.remove(self.tokens)
        self.hang_up()
        self.service.reported("tokens: cannot be opened")
        self.assertEqual(self.status(ADMIN), 200)
        self.file(f"new admin {OTHER}\n", "tokens")
        self.hang_up()
        self.service.reported("the tokens have changed; 1 is valid now")
        self.assertEqual([self.status(token) for token in (ADMIN, OTHER)], [401, 200])

    def test_many_reloads_under_load(self):
        """Requests of a token that stays valid never fail."""
        self.make()
        for i in range(30):
            self.file(f"web decide {DECIDE}\nops admin {ADMIN}\n" + (f"x read {OTHER}\n" if i % 2 else ""), "tokens")
            self.hang_up()
            for j in range(20):
                self.assertEqual(self.decider.ask("tutor", f"t{i}-{j}")[0], 200)
        self.wait_until(lambda: self.status(OTHER) == 200)


class Plain(Guarded):
    """A file of tokens alone: each may do everything, as before."""
    text = f"# two\n{READ}\n\n{ADMIN}\n"

    def test_a_token_alone_has_all_rights(self):
        self.assertEqual(self.reader.post("/v1/learners", {"name": "a", "arms": ["A", "B"]})[0], 201)
        self.assertEqual(self.admin.call("DELETE", "/v1/learners/a")[0], 200)
        self.assertEqual([line["name"] for line in lines(self.audit)], ["line 2", "line 4"])


class Starts(Guarded):
    def test_wrong_files_are_named(self):
        store = "--store", str(self.folder / "b.db"), "--listen", "127.0.0.1:0"
        for says, text in (("line 1: has two fields", f"web {DECIDE}"), ("line 2: the second field", f"{READ}\nx root {ADMIN}"),
                           ("line 1: the first field is not a name", f"a/b read {READ}")):
            self.refused(2, says, "serve", *store, "--token-file", self.file(text, "wrong"))
        self.refused(2, "cannot be opened", "serve", *store, "--audit-log", self.folder / "none" / "audit")
        self.refused(2, "is no regular file", "serve", *store, "--audit-log", "/dev/null")
        if not postgresql.is_chosen():
            self.refused(2, "is part of a store; name another file with --audit-log", "serve", *store, "--audit-log", self.store)

    def test_sighup_without_such_files_stops(self):
        service = Service(SEGUE, str(self.folder / "c.db"))
        service.process.send_signal(signal.SIGHUP)
        self.assertEqual(service.process.wait(timeout=PATIENCE), 0)
        service.reader.join()
        service.process.stderr.close()


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
