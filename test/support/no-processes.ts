/** In every file of the fast tier: a test that starts a process fails, and is told where it belongs (docs/testing.md). */

import processes from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';

export const RULE = 'only a test whose file is named *.system.test.ts may start a process, see docs/testing.md';

function refuse(): never {
  throw new Error(RULE);
}

for (const name of ['exec', 'execFile', 'execFileSync', 'execSync', 'fork', 'spawn', 'spawnSync'] as const) {
  processes[name] = refuse as never; // each of the seven has a type of its own, and none of them returns
}
// Whoever imports one of them by name gets this one too.
syncBuiltinESMExports();
