/** `npm run fuzz [-- --seconds N --seed N --way exchange|client|both]`: hostile input; exits with 1 on failure. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { orExit } from '../support/or-exit.js';
import { clientProcesses } from './client/process.js';
import { campaign } from './exchange/campaign.js';
import { ServerProcess } from './exchange/process.js';
import type { Outcome } from './tally.js';
import '../support/tied.js';

const { seconds, seed, way } = orExit((args) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: 'string', default: '60' },
      seed: { type: 'string' },
      way: { type: 'string', default: 'both' },
    },
  });
  const seconds = Number(values.seconds);
  const seed = values.seed === undefined ? Date.now() % 1_000_000 : Number(values.seed);
  const way = (['exchange', 'client', 'both'] as const).find((word) => word === values.way);
  if (!(seconds > 0)) throw new Error(`--seconds must be seconds for each way, above 0, got ${values.seconds}`);
  if (!Number.isSafeInteger(seed) || seed < 0) throw new Error(`--seed must be a whole number, got ${values.seed}`);
  if (way === undefined) throw new Error(`--way must be exchange, client or both, got ${values.way}`);
  return { seconds, seed, way };
});

/** The service's maximum response time. */
const SLOW_MS = 1000;
const LANES = 8;

let faults = 0;

interface Result extends Outcome {
  /** Requests to the exchange, or answers to the client: a read without a usable answer is sent three times. */
  readonly count: number;
}

function report(title: string, { tally, count, attackMs, faults: found, heapBytes }: Result): void {
  const perMinute = Math.round((count * 60_000) / attackMs);
  const heap = heapBytes.map((bytes) => `${Math.round((bytes ?? 0) / 1_048_576)} MB`).join(', ');
  console.log(`\n${title}: ${count} in ${(attackMs / 1000).toFixed(0)} s, ${perMinute} a minute, seed ${seed}`);
  console.log(tally.table('class'));
  if (tally.slowest !== '') console.log(`slowest: ${tally.slowestMs.toFixed(0)} ms, case ${tally.slowest}`);
  console.log(`heap in the middle and at the end: ${heap}`);
  for (const fault of found) console.log(`\nFAILED: ${fault}`);
  faults += found.length;
}

async function fuzzExchange(dataDir: string | null, halfMs: number): Promise<void> {
  const server = await ServerProcess.start({ dataDir, seed });
  const half = () => {
    const endMs = performance.now() + halfMs;
    return () => performance.now() > endMs;
  };
  const options = { seed, lanes: LANES, slowMs: SLOW_MS, half, heapBytes: () => server.heapBytes() };
  const outcome = await campaign(server.url, options);
  const ended = await server.end();
  const where = dataDir === null ? 'in memory' : 'with a data folder';
  const found = ended === null ? outcome.faults : [...outcome.faults, ended];
  report(`requests into the exchange, ${where}`, { ...outcome, count: outcome.tally.total, faults: found });
}

if (way !== 'client') {
  const folder = mkdtempSync(join(tmpdir(), 'twinbook-fuzz-'));
  await fuzzExchange(null, (seconds * 1000) / 4);
  await fuzzExchange(folder, (seconds * 1000) / 4);
  rmSync(folder, { recursive: true, force: true });
}
if (way !== 'exchange') {
  const outcome = await clientProcesses(seed, (seconds * 1000) / 2);
  report('answers into the client', { ...outcome, count: outcome.answers });
}
console.log(faults === 0 ? '\nnothing gave way' : `\n${faults} failures; --seed ${seed} makes the same input again`);
process.exitCode = faults === 0 ? 0 : 1;
