"""Servers of a cluster, a primary with a synchronous standby, and proxies between all of them, for tests of faults.

Each machine has a clock of its own, if the library clock_shim.c is given: its file has the seconds by which it is ahead.
As root each database has a disk of its own, a small tmpfs that can be filled.
SPDX-License-Identifier: Apache-2.0"""
import contextlib
import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

PG = next((path for path in sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)), None)
LEASE = 2.0
WAIT_FOR_STANDBY = "SELECT pg_logical_emit_message(true, '', '')"  # it writes, so its COMMIT waits
REQUESTS, ANSWERS = True, False  # the two ways of a connection


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


# ---- the network ---------------------------------------------------------------------------


class Proxy:
    """Passes bytes from a port to `target` (a port, or the path of a socket); can cut, refuse and stall.

    `stalls`: the ways that stand still; `cut_answers`: how many answers to COMMIT to lose, `lost_answers`: how many were."""

    def __init__(self, target):
        self.target, self.refuses, self.stalls, self.cut_answers, self.lost_answers = target, False, (), 0, 0
        self.pairs, self.lock = set(), threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            try:
                if self.refuses:
                    raise OSError
                server = socket.socket(socket.AF_UNIX if isinstance(self.target, str) else socket.AF_INET)
                server.connect(self.target if isinstance(self.target, str) else ("127.0.0.1", self.target))
            except OSError:
                client.close()
                continue
            state = {"in_commit": False}
            with self.lock:
                self.pairs.add((client, server))
            threading.Thread(target=self.copy, args=(client, server, state, REQUESTS), daemon=True).start()
            threading.Thread(target=self.copy, args=(server, client, state, ANSWERS), daemon=True).start()

    def copy(self, source, sink, state, way):
        try:
            while data := source.recv(65536):
                while way in self.stalls:
                    time.sleep(0.02)
                if way == REQUESTS:
                    state["in_commit"] = b"COMMIT" in data
                elif state["in_commit"] and self.cut_answers > 0:
                    self.cut_answers -= 1  # stored, perhaps, and unanswered
                    self.lost_answers += 1
                    break
                sink.sendall(data)
        except OSError:
            pass
        self.close(source, sink)

    def close(self, *ends):
        for end in ends:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut(self):
        with self.lock:
            pairs, self.pairs = self.pairs, set()
        for pair in pairs:
            self.close(*pair)


# ---- clocks and disks ----------------------------------------------------------------------


class Clock:
    """The wall clock of one machine; its programs have `environment`.  CLOCK_MONOTONIC stays."""

    def __init__(self, shim, path):
        self.path, self.environment = path, {}
        if shim:
            self.environment = {"LD_PRELOAD": shim, "CLOCK_SHIM": path}
            self.set(0)

    def set(self, seconds):
        with open(f"{self.path}.new", "w") as f:
            f.write(f"{seconds}\n")
        os.chmod(f"{self.path}.new", 0o644)
        os.replace(f"{self.path}.new", self.path)


class Disk:
    """A folder on a tmpfs of its own; where it may not be mounted, a plain one that cannot be filled."""

    SIZE = 192 << 20

    def __init__(self, folder, owner):
        self.folder, self.lock, self.fills = folder, threading.Lock(), 0
        os.mkdir(folder)
        self.is_mounted = owner is not None and subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={self.SIZE}", "segue-test", folder], capture_output=True).returncode == 0
        if owner:
            shutil.chown(folder, owner)

    def capacity(self):
        found = os.statvfs(self.folder)
        return found.f_bavail * found.f_frsize

    def fill(self, spare):
        """All but `spare` bytes; the database may take them at the same time."""
        with self.lock, contextlib.suppress(OSError):
            self.fills += 1
            with open(f"{self.folder}/filler{self.fills}", "wb") as f:
                while (capacity := self.capacity()) > spare:
                    os.posix_fallocate(f.fileno(), f.seek(0, os.SEEK_END), min(capacity - spare, 1 << 20))

    def empty(self):
        with self.lock:
            for filler in pathlib.Path(self.folder).glob("filler*"):
                filler.unlink()

    def end(self):
        if self.is_mounted:
            subprocess.run(["umount", "-l", self.folder], check=False)


# ---- the databases -------------------------------------------------------------------------


def insist(action, *arguments, seconds=90):
    """Repeat what a fault of another kind may make fail meanwhile, such as a full disk."""
    until = time.monotonic() + seconds
    while True:
        try:
            return action(*arguments)
        except (AssertionError, OSError):
            if time.monotonic() > until:
                raise
            time.sleep(0.2)


class Databases:
    """A primary and a synchronous standby; either can become the other.  `lock`: held while they start, stop, change places."""

    def __init__(self, shim=None):
        self.where = tempfile.mkdtemp(prefix="segue-cluster-", dir="/tmp")
        self.as_root, self.lock, self.shim = os.geteuid() == 0, threading.RLock(), None
        os.chmod(self.where, 0o755)  # for the user postgres, who reads the shim there
        if self.as_root:
            shutil.chown(self.where, "postgres")
        if shim:
            self.shim = shutil.copy(shim, self.where)
        self.disks = [Disk(f"{self.where}/disk{i}", "postgres" if self.as_root else None) for i in (0, 1)]
        self.clocks = [Clock(self.shim, f"{self.where}/clock-database{i}") for i in (0, 1)]
        self.primary, self.standby = 0, 1
        try:
            self.begin()
        except BaseException:
            self.stop()
            raise

    def begin(self):
        self.run("initdb", "-D", self.data(0), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "-N",
                 "--wal-segsize=1")
        with open(f"{self.data(0)}/postgresql.conf", "a") as conf:
            conf.write("listen_addresses = ''\nshared_buffers = 32MB\nmax_connections = 60\nwal_level = replica\n"
                       "max_wal_senders = 8\nhot_standby = on\nwal_keep_size = 32MB\nmin_wal_size = 2MB\nmax_wal_size = 32MB\n"
                       "wal_retrieve_retry_interval = 500ms\n")
        self.start(0)
        self.copy_to(1)
        self.wait_synchronous(self.primary)

    def data(self, i):
        return f"{self.where}/disk{i}/data"

    def socket_of(self, i):
        return f"{self.where}/.s.PGSQL.{5000 + i}"

    def run(self, program, *args, check=True, machine=None, timeout=None):
        def become():
            if self.as_root:
                import grp
                import pwd
                user = pwd.getpwnam("postgres")
                os.setgroups([g.gr_gid for g in grp.getgrall() if "postgres" in g.gr_mem])
                os.setgid(user.pw_gid)
                os.setuid(user.pw_uid)
        environment = {} if machine is None else self.clocks[machine].environment
        try:
            done = subprocess.run([PG / program, *args], cwd="/tmp", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, preexec_fn=become, timeout=timeout,
                                  env={**os.environ, **environment})
        except subprocess.TimeoutExpired as late:
            raise AssertionError(program, args, "no answer") from late
        assert not check or done.returncode == 0, (program, args, done.stdout)
        return done.stdout

    def start(self, i):
        self.run("pg_ctl", "-D", self.data(i), "-l", f"{self.where}/log{i}", "-w", "-t", "60",
                 "-o", f"-p {5000 + i} -k {self.where}", "start", machine=i)

    def runs(self, i):
        return "server is running" in self.run("pg_ctl", "-D", self.data(i), "status", check=False)

    def revive(self):
        """Start what has ended, as on a full disk."""
        with self.lock:
            for i in (0, 1):
                if not self.runs(i):
                    insist(self.start, i)

    def sql(self, statement, i=None):
        i = self.primary if i is None else i
        return self.run("psql", "-qXAt", "-v", "ON_ERROR_STOP=1", "-h", self.where, "-p", str(5000 + i), "-U", "postgres",
                        "-c", statement, "postgres", timeout=30).splitlines()

    def copy_to(self, i):
        if not self.runs(self.primary):  # its disk was full
            self.start(self.primary)
        shutil.rmtree(self.data(i), ignore_errors=True)
        self.run("pg_basebackup", "-D", self.data(i), "-h", self.where, "-p", str(5000 + self.primary), "-U", "postgres",
                 "-R", "-c", "fast")
        self.start(i)

    def set_names(self, i, names):
        self.sql(f"ALTER SYSTEM SET synchronous_standby_names = '{names}'", i)
        self.sql("SELECT pg_reload_conf()", i)

    def wait_synchronous(self, i):
        """All that was committed is on the standby, and what will be goes there."""
        self.revive()
        self.set_names(i, "*")
        until = time.monotonic() + 30
        while not self.sql("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'", i):
            assert time.monotonic() < until, "the standby is not synchronous"
            time.sleep(0.05)
        self.sql(WAIT_FOR_STANDBY, i)

    def kill(self, i):
        try:
            with open(f"{self.data(i)}/postmaster.pid") as f:
                os.kill(int(f.readline()), signal.SIGKILL)
        except (OSError, ValueError):
            pass  # it has ended
        time.sleep(0.3)
        for child in pathlib.Path("/proc").glob("[0-9]*/cmdline"):  # its processes end by themselves
            try:
                if child.read_bytes().startswith(b"postgres:") and os.readlink(child.parent / "cwd") == self.data(i):
                    os.kill(int(child.parent.name), signal.SIGKILL)
            except OSError:
                pass
        for lock in (f"{self.data(i)}/postmaster.pid", f"{self.socket_of(i)}.lock"):
            pathlib.Path(lock).unlink(missing_ok=True)

    def restart(self):
        with self.lock:
            self.kill(self.primary)
            insist(self.start, self.primary)

    def promote(self):
        """The primary is killed; the standby takes over, and gets a standby of its own."""
        with self.lock:
            insist(self.revive)
            self.kill(self.primary)
            self.primary, self.standby = self.standby, self.primary
            insist(self.lead)
            self.kill(self.standby)
            insist(self.copy_to, self.standby)
            insist(self.wait_synchronous, self.primary)

    def lead(self):
        """The standby of before becomes the primary; it may have ended meanwhile."""
        if not self.runs(self.primary):
            self.start(self.primary)
        self.set_names(self.primary, "")
        if self.sql("SELECT pg_is_in_recovery()", self.primary) == ["t"]:
            self.run("pg_ctl", "-D", self.data(self.primary), "-w", "promote")

    def failures_of_disks(self):
        """Lines of the databases' logs."""
        return sum(pathlib.Path(f"{self.where}/log{i}").read_text(errors="replace").count("No space left on device") for i in (0, 1))

    def stop(self):
        for i in (0, 1):
            self.run("pg_ctl", "-D", self.data(i), "-m", "immediate", "-w", "stop", check=False)
            self.disks[i].end()
        shutil.rmtree(self.where, ignore_errors=True)


# ---- the servers ---------------------------------------------------------------------------


class Server:
    def __init__(self, program, cluster, number):
        self.program, self.cluster, self.number = program, cluster, number
        self.port = free_port()
        self.database = [Proxy(cluster.databases.socket_of(i)) for i in (0, 1)]
        self.entry = Proxy(self.port)  # of the other servers
        self.process, self.lock = None, threading.Lock()
        self.clock = Clock(cluster.databases.shim, f"{cluster.databases.where}/clock-server{number}")
        self.messages = open(f"{cluster.databases.where}/server{number}.log", "a")
        self.start()

    def start(self):
        ports = ",".join(str(proxy.port) for proxy in self.database)
        store = (f"postgresql:host=127.0.0.1,127.0.0.1 port={ports} user=postgres dbname=postgres connect_timeout=3 "
                 "target_session_attrs=read-write")
        self.process = subprocess.Popen(
            [self.program, "serve", "--store", store, "--listen", f"127.0.0.1:{self.port}", "--threads", "2",
             "--advertise", f"http://127.0.0.1:{self.entry.port}", "--lease", f"{LEASE}s"],
            stdout=self.messages, stderr=self.messages, env={**os.environ, **self.clock.environment})

    def signal(self, number):
        self.process.send_signal(number)

    def revive(self):
        """Start it again if it has ended."""
        with self.lock:
            if self.process.poll() is not None:
                self.start()

    def end(self):
        self.signal(signal.SIGCONT)
        self.signal(signal.SIGTERM)
        return self.process.wait(60)


class Cluster:
    def __init__(self, program, n=3, shim=None):
        self.databases = Databases(shim)
        self.servers = []
        for i in range(n):
            self.servers.append(Server(program, self, i))

    def store(self):
        return f"postgresql:host={self.databases.where} port={5000 + self.databases.primary} user=postgres dbname=postgres"

    def wait_ready(self, seconds=60):
        until = time.monotonic() + seconds
        for server in self.servers:
            while True:
                server.revive()
                status, _ = call(server.port, "GET", "/readyz", timeout=2)
                if status == 200:
                    break
                assert time.monotonic() < until, (server.number, status)
                time.sleep(0.1)

    def stop(self):
        for server in self.servers:
            if server.process.poll() is None:
                server.process.kill()
                server.process.wait()
        self.databases.stop()


def call(port, method, path, body=None, timeout=8, headers=None):
    """(status, body); status 0: no answer."""
    try:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
        connection.request(method, path, json.dumps(body) if body is not None else None,
                           {"Content-Type": "application/json", **(headers or {})})
        response = connection.getresponse()
        answer = response.status, json.loads(response.read())
        connection.close()
        return answer
    except (OSError, http.client.HTTPException, ValueError):
        return 0, {}
