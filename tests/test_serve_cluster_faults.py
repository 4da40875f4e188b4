#!/usr/bin/python3
"""A short run of bench/cluster: every kind of fault once, then the checks (cluster_faults.py).

usage: test_serve_cluster_faults.py SEGUE [SHIM [SECONDS]]; SHIM is clock_shim.c, without it no clock is set
SPDX-License-Identifier: Apache-2.0"""
import sys

import cluster_faults
from cluster_faults import Tell

COUNTED, DUPLICATE, CONFLICT = (200, "counted"), (200, "duplicate"), (409, None)
CLOSED, UNKNOWN = (410, None), (0, None)


def is_possible(stored, *tells):
    """`tells`: begun, ended, reward and answer."""
    try:
        cluster_faults.check_register("d", [Tell(0, begun, ended, value, *answer) for begun, ended, value, answer in tells], stored)
    except AssertionError:
        return False
    return True


def check_the_checker():
    assert is_possible(1.0, (0, 9, 1.0, COUNTED), (1, 2, 1.0, DUPLICATE), (3, 4, 0.0, CONFLICT))
    assert is_possible(1.0, (0, 1, 1.0, UNKNOWN), (5, 6, 0.0, CONFLICT), (7, 8, 0.0, UNKNOWN))
    assert is_possible(1.0, (0, 1, 1.0, DUPLICATE))  # a server repeated it
    assert is_possible(None, (0, 1, 1.0, UNKNOWN), (2, 3, 0.0, CLOSED))
    assert not is_possible(1.0, (0, 1, 1.0, COUNTED), (2, 3, 1.0, COUNTED))
    assert not is_possible(1.0, (0, 1, 1.0, COUNTED), (2, 3, 0.0, DUPLICATE))
    assert not is_possible(None, (0, 1, 1.0, COUNTED))
    assert not is_possible(0.0, (0, 1, 1.0, COUNTED))
    assert not is_possible(0.0, (0, 1, 1.0, UNKNOWN))
    assert not is_possible(1.0, (0, 1, 0.0, CONFLICT), (2, 3, 1.0, COUNTED))
    assert not is_possible(1.0, (0, 1, 1.0, UNKNOWN), (2, 3, 0.0, CLOSED))


check_the_checker()
if not cluster_faults.PG:
    print("PostgreSQL is not installed; scripts/install-deps postgresql installs it")
    sys.exit(77)
shim = sys.argv[2] if len(sys.argv) > 2 else None
found = cluster_faults.run(sys.argv[1], float(sys.argv[3]) if len(sys.argv) > 3 else 25.0, shim=shim)
assert found["acknowledged"] > 0 and found["polls"] > 0, found
assert found["pairs"] and found["told by several clients"] > 0 and found["answers to COMMIT lost"] > 0, found
if "fill_primary" in found["faults"]:
    assert found["failures of disks"] > 0, found
else:
    print("disks were not filled: a tmpfs can be mounted by root alone")
print(found)
