/** In every file of the fast tier: a test that starts a process fails, with a hint (docs/testing.md). */

import processes from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';

export const RULE = 'only a test whose file is named *.system.test.ts may start a process, see docs/testing.md';

function refuse(): never {
  throw new Error(RULE);
}

for (const name of ['exec', 'execFile', 'execFileSync', 'execSync', 'fork', 'spawn', 'spawnSync'] as const) {
  processes[name] = refuse as never; // Each of the seven has its own type, and none of them returns.
}
// Code that imports one of them by name gets this one too.
syncBuiltinESMExports();
