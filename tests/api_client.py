"""A client of the service that plays whole tasks, for tests.
SPDX-License-Identifier: Apache-2.0"""
import urllib.parse

from service import Client


class ApiClient(Client):
    def must(self, method, path, body=None):
        """A call that has to succeed; its body."""
        status, answer = self.call(method, path, body)
        assert status < 300, answer
        return answer

    def fetch(self, path):
        return self.must("GET", path)

    def play(self, learner, key, means, steps, rng):
        """Ask and tell, each reward with the next question; the task closes by itself after the learner's steps."""
        path = f"/v1/learners/{urllib.parse.quote(learner, safe='')}/ask"
        tell = {}
        for _ in range(steps):
            answer = self.must("POST", path, {"task": key, **tell})
            reward = float(rng.random() < means[answer["arm"]])
            tell = {"tell": {"decision": answer["decision"], "reward": reward}}
        self.must("POST", "/v1/tell", tell["tell"])
