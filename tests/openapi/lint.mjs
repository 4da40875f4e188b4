// lint.mjs - what `redocly lint` does, with its recommended rules: each problem on a line of its own, exit 1.
// usage: lint.mjs FILE, from a folder that has node_modules
// SPDX-License-Identifier: Apache-2.0
import { createRequire } from "node:module";
import path from "node:path";

const require = createRequire(path.resolve("package.json"));
const { createConfig, lint } = require("@redocly/openapi-core");
const config = await createConfig({ extends: ["recommended"] });
const problems = await lint({ ref: process.argv[2], config });
for (const problem of problems) {
  const where = problem.location?.[0]?.pointer ?? "";
  console.log(`${problem.severity}: ${problem.ruleId}: ${problem.message} (${where})`);
}
process.exit(problems.length > 0 ? 1 : 0);
