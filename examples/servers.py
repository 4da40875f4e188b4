"""Which server answers this client fastest?  Selection by latency, where each client is a short task.

    make build && PYTHONPATH=build/release/python /usr/bin/python3 examples/servers.py

A client is a task, a server an arm.  The reward is between 0 and 1: the share of a 500 ms budget that a
request left over.  Which server is near depends on where the client is, and the program is not told that.
From some dozen clients on it knows the regions, and a new client needs two or three requests.

Latencies are simulated, with a heavy tail; replace `latency` by a measurement.
SPDX-License-Identifier: Apache-2.0"""
import random

import segue

BUDGET = 500.0  # milliseconds
REQUESTS = 40   # of a client
SERVERS = ["frankfurt", "virginia", "oregon", "singapore", "sydney", "sao-paulo"]
# Median milliseconds from each region.  The program does not know this table.
REGIONS = {"europe": [25, 95, 150, 165, 260, 190],
           "us-east": [95, 12, 70, 220, 205, 115],
           "us-west": [150, 68, 14, 170, 145, 180],
           "asia": [170, 215, 165, 18, 95, 320],
           "brazil": [195, 118, 182, 325, 300, 15]}


def latency(network, region, server):
    """Milliseconds of one request: log-normal, and one in fifty waits for a retransmission."""
    median = REGIONS[region][SERVERS.index(server)]
    return median * network.lognormvariate(0.0, 0.25) + (200.0 if network.random() < 0.02 else 0.0)


def reward_of(milliseconds):
    """1 for no time at all, 0 at the budget and beyond."""
    return max(0.0, 1.0 - milliseconds / BUDGET)


def serve(learner, client, fails=frozenset()):
    """All requests of one client.  Returns the mean latency."""
    network = random.Random(client)
    region = network.choice(list(REGIONS))
    total = 0.0
    with learner.task() as task:
        for _ in range(REQUESTS):
            server = task.ask(exclude=fails)  # servers that a health check has found down
            spent = latency(network, region, server)
            task.tell(server, reward_of(spent))
            total += spent
    return total / REQUESTS


def main():
    learners = {method: segue.Learner(SERVERS, REQUESTS, method) for method in ("tla", "ts")}
    print("mean latency, ms     with transfer (tla)   without (ts)")
    last = {}
    for block in range(5):
        clients = range(block * 40, block * 40 + 40)
        last = {method: sum(serve(learner, client) for client in clients) / 40 for method, learner in learners.items()}
        print(f"clients {clients[0] + 1:>3} to {clients[-1] + 1:>3}   {last['tla']:14.0f} {last['ts']:17.0f}")
    down = sum(serve(learners["tla"], client, {"frankfurt"}) for client in range(1000, 1040)) / 40
    print(f"while frankfurt is down {down:11.0f}")
    assert last["tla"] < last["ts"] and "frankfurt" in learners["tla"].arms


if __name__ == "__main__":
    main()
