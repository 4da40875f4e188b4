"""A PostgreSQL server of a test's own, by the script support/postgresql.
SPDX-License-Identifier: Apache-2.0"""
import atexit
import os
import pathlib
import subprocess

SCRIPT = pathlib.Path(__file__).parent / "support" / "postgresql"


class Server:
    """Stops when this process ends.  Where PostgreSQL is not installed it ends this process: CTest counts it as skipped."""

    def __init__(self):
        self.script = subprocess.Popen([SCRIPT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True)
        atexit.register(self.end)
        word, _, self.folder = self.script.stdout.readline().strip().partition(" ")
        if word != "ready":
            print(f"skipped: {self.folder}", flush=True)
            os._exit(77)

    def command(self, text):
        """stop, start, kill, or set NAME VALUE."""
        self.script.stdin.write(text + "\n")
        self.script.stdin.flush()
        answer = self.script.stdout.readline().strip()
        assert answer == "done", (text, answer)

    def end(self):
        if self.script.poll() is None:
            self.script.stdin.close()
            self.script.wait()
            self.script.stdout.close()

    def run(self, statements, database="postgres"):
        """What psql prints: a line per row, columns separated by '|'."""
        done = subprocess.run(["psql", "-qXAt", "-v", "ON_ERROR_STOP=1", "-h", self.folder, "-U", "postgres", "-d", database, "-c", statements],
                              capture_output=True, text=True)
        assert done.returncode == 0, (statements, done.stderr)
        return done.stdout.splitlines()

    def store(self, schema, **more):
        """The name of a store in a schema of its own, which is created."""
        self.run(f"SET client_min_messages = error; CREATE SCHEMA IF NOT EXISTS {schema}")
        options = {"host": self.folder, "user": "postgres", "dbname": "postgres", "options": f"-csearch_path={schema}", **more}
        return "postgresql:" + " ".join(f"{key}={value}" for key, value in options.items())


_servers = []


def own_server():
    """The one server of this process."""
    if not _servers:
        _servers.append(Server())
    return _servers[0]


def is_chosen():
    """Tests run on PostgreSQL: SEGUE_TEST_STORE=postgresql."""
    return os.environ.get("SEGUE_TEST_STORE") == "postgresql"
