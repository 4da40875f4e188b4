// play.ts - plays one task with a generated client: creates a learner, asks, tells, closes, reads.
// usage: play.js URL TOKEN; exit 1 if a response is not what the description says
// SPDX-License-Identifier: Apache-2.0
import { ApiError, DecisionsService, LearnersService, OpenAPI, ServiceService, TasksService, TellResponse } from "./client";

declare const process: { argv: string[]; exitCode: number };

function expect(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

async function play(): Promise<void> {
  const learner = "generated";
  const arms = ["a", "b"];
  const created = await LearnersService.createLearner({ requestBody: { name: learner, arms, steps: 100 } });
  expect(created.name === learner && created.arms.length === 2, "the learner that was created");
  for (let step = 0; step < 5; step++) {
    const answer = await DecisionsService.ask({ learner, requestBody: { task: "t" } });
    const { arm, decision: id } = answer;
    if (arm === undefined || id === undefined) throw new Error("an ask without a decision");
    expect(arms.includes(arm), `arm ${arm}`);
    const told = await DecisionsService.tell({ requestBody: { decision: id, reward: arm === "a" ? 1 : 0 } });
    if (!("status" in told)) throw new Error("a response to many rewards");
    expect(told.status === TellResponse.status.COUNTED && told.task === "t" && !told.closed, "the reward counts");
  }
  await TasksService.closeTask({ learner, task: "t" });
  const shown = await LearnersService.inspectLearner({ learner });
  expect(shown.tasks.closed === 1 && shown.tasks.open === 0 && shown.rewards === 5, "one closed task with five rewards");
  expect((await ServiceService.metrics()).includes('segue_learner_rewards{learner="generated"} 5'), "metrics");
}

async function refuse(): Promise<void> {
  const error = await LearnersService.inspectLearner({ learner: "none" }).catch((reason) => reason);
  expect(error instanceof ApiError && error.status === 404, "a learner that does not exist: 404");
}

async function main(): Promise<void> {
  [OpenAPI.BASE, OpenAPI.TOKEN] = process.argv.slice(2);
  await play();
  await refuse();
}

main().catch((reason) => {
  console.error(reason);
  process.exitCode = 1;
});
