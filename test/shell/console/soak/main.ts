/**
 * `npm run lab -- soak:console [--days D] [--markets M]`: simulated days of a console, and its use of memory, disk and
 * processor; see `soak.ts`. Exits with 1 when a bound is exceeded.
 */

import { parseArgs } from 'node:util';
import { orExit } from '../../../support/or-exit.js';
import '../../../support/tied.js';
import { judgeConsole } from './bounds.js';
import { soakConsole } from './soak.js';

const { days, markets } = orExit((args) => {
  const options = { days: { type: 'string', default: '7' }, markets: { type: 'string', default: '60' } } as const;
  const { values } = parseArgs({ args: [...args], options });
  const [days, markets] = [Number(values.days), Number(values.markets)];
  if (!(days > 0)) throw new Error(`--days must be above 0, got ${values.days}`);
  if (!(Number.isSafeInteger(markets) && markets > 0))
    throw new Error(`--markets must be a whole number above 0, got ${values.markets}`);
  return { days, markets };
});

const mb = (bytes: number): string => (bytes / 1e6).toFixed(1);

const soaked = await soakConsole({ days, markets, everyDays: Math.min(0.5, days / 4) }, (row) => {
  const memory = `resident ${mb(row.residentBytes)} MB, heap ${mb(row.heapBytes)}, external ${mb(row.externalBytes)}, of it buffers ${mb(row.arrayBufferBytes)}`;
  console.log(`${row.days} days: ${memory}; store ${mb(row.storeBytes)} MB`);
});
const verdicts = judgeConsole(soaked);
for (const { name, figure, bound, unit, isOver } of verdicts)
  console.log(`${isOver ? 'OVER' : 'ok  '} ${name}: ${figure.toFixed(2)} ${unit}, at most ${bound}`);
process.exitCode = verdicts.some(({ isOver }) => isOver) ? 1 : 0;
