"""Load on a service by wrk, and the processor time that it costs.
SPDX-License-Identifier: Apache-2.0"""
import os
import pathlib
import re
import shutil
import subprocess
import sys


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wrk(port, script, seconds, connections, pid, threads=1):
    """Requests per second, and processor microseconds of the server per request."""
    if not shutil.which("wrk"):
        sys.exit("this benchmark needs wrk: scripts/install-deps bench")
    begun = cpu_seconds(pid)
    done = subprocess.run(["wrk", f"-t{threads}", f"-c{connections}", f"-d{seconds}s", "-s", script,
                           f"http://127.0.0.1:{port}"], capture_output=True, text=True, check=True).stdout
    used = cpu_seconds(pid) - begun
    count = int(re.search(r"(\d+) requests in", done).group(1))
    assert "Non-2xx" not in done, done
    return float(re.search(r"Requests/sec:\s+([\d.]+)", done).group(1)), used / count * 1e6


def script(folder, name, text):
    path = os.path.join(folder, name)
    pathlib.Path(path).write_text(text)
    return path
