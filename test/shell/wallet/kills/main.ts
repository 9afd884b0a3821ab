/** `npm run key-kills [-- --kills N] [--seed S]`: kills that many writers of key and credentials files; 1 when any lost one. */

import { parseArgs } from 'node:util';
import { orExit } from '../../../support/or-exit.js';
import { CALLS, hasStrace, type KillAt, KilledWriter } from './kills.js';
import '../../../support/tied.js';

const { kills, seed } = orExit((args) => {
  const options = { kills: { type: 'string', default: '100' }, seed: { type: 'string', default: '1' } } as const;
  const { values } = parseArgs({ args: [...args], options });
  const [kills, seed] = [Number(values.kills), Number(values.seed)];
  if (!Number.isSafeInteger(kills) || kills < 1) throw new Error(`--kills must be a count, got ${values.kills}`);
  if (!Number.isSafeInteger(seed) || seed < 0) throw new Error(`--seed must be a seed, got ${values.seed}`);
  return { kills, seed };
});

const traced = hasStrace();
if (!traced) console.log('strace is missing: every kill comes at a random moment, none at a system call');
const writer = new KilledWriter(seed);
const counts = new Map<string, number>();
let lost = 0;
try {
  for (let number = 0; number < kills; number++) {
    const call = CALLS[Math.floor(number / 2) % CALLS.length] ?? 'fsync';
    const atCall = traced && number % 2 === 0;
    const at: KillAt = atCall ? { call, number: 1 + Math.floor(number / 2 / CALLS.length) } : null;
    const name = at === null ? 'at a random moment' : `at ${call}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
    const losses = await writer.kill(at);
    lost += losses.length;
    for (const loss of losses) console.log(`kill ${number + 1} ${name}: ${loss}`);
  }
} finally {
  writer.remove();
}
for (const [name, count] of counts) console.log(`${count} kills ${name}`);
console.log(lost === 0 ? `${kills} kills, nothing was lost` : `${kills} kills, ${lost} losses`);
process.exitCode = lost === 0 ? 0 : 1;
