/** `npm run lab -- NAME [ARGS]`: runs a development script; without a name it lists them. */

import { spawnSync } from 'node:child_process';

/** Collects garbage on request, for measurements of memory. */
const MEASURED = 'node --expose-gc --import tsx';

/** Command of each script. */
export const LAB_SCRIPTS: Readonly<Record<string, string>> = {
  anatomy: 'tsx test/evidence/anatomy.ts',
  disk: 'tsx test/disk/main.ts',
  docs: 'tsx test/support/doc-tables.ts',
  evidence: 'tsx test/evidence/main.ts',
  'guardian-trials': 'tsx test/shell/guardian/main.ts',
  'kill-points': 'tsx test/disk/kill-points.ts',
  lag: 'tsx test/shell/console/lag.ts',
  pictures: 'tsx test/shell/console/pictures.ts',
  planted: 'tsx test/simulation/planted/main.ts',
  'signer-corpus': 'tsx test/shell/wallet/corpus/main.ts',
  soak: `${MEASURED} test/simulation/soak/main.ts`,
  'soak:console': `${MEASURED} test/shell/console/soak/main.ts`,
  'strategy-pages': 'tsx test/evidence/pages.ts',
  'test:long': 'TWINBOOK_EFFORT=long vitest run',
  types: ['test', 'src/lab/report/page', 'src/shell/dashboard/page']
    .map((part) => `GOGC=400 tsc --singleThreaded -p ${part}`)
    .join(' && '),
};

if (process.argv[1] === import.meta.filename) {
  const [name = '', ...args] = process.argv.slice(2);
  const command = LAB_SCRIPTS[name];
  if (command === undefined) {
    console.error(`Name a script: npm run lab -- NAME [ARGS]. There are ${Object.keys(LAB_SCRIPTS).join(', ')}.`);
    process.exitCode = 2;
  } else {
    process.exitCode = spawnSync('sh', ['-c', `${command} "$@"`, name, ...args], { stdio: 'inherit' }).status ?? 1;
  }
}
