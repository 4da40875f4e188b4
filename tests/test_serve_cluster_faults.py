#!/usr/bin/python3
"""A short run of bench/cluster: every kind of fault once, then the checks (cluster_faults.py).

usage: test_serve_cluster_faults.py SEGUE [SHIM [SECONDS]]; SHIM is clock_shim.c, without it no clock is set
SPDX-License-Identifier: Apache-2.0"""
import sys

import cluster_faults

if not cluster_faults.PG:
    print("PostgreSQL is not installed; scripts/install-deps postgresql installs it")
    sys.exit(77)
shim = sys.argv[2] if len(sys.argv) > 2 else None
found = cluster_faults.run(sys.argv[1], float(sys.argv[3]) if len(sys.argv) > 3 else 25.0, shim=shim)
assert found["acknowledged"] > 0 and found["polls"] > 0, found
assert found["pairs"], found
if "fill_primary" in found["faults"]:
    assert found["failures of disks"] > 0, found
else:
    print("disks were not filled: a tmpfs can be mounted by root alone")
print(found)
