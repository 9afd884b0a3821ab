/** `npm run fuzz [-- --seconds N --seed N --way exchange|client|both]`: hostile input both ways; 1 when anything gave way. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { campaign } from './exchange/campaign.js';
import { ServerProcess } from './exchange/process.js';
import type { Tally } from './tally.js';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string' },
    way: { type: 'string', default: 'both' },
  },
});
const seconds = Number(values.seconds);
const seed = values.seed === undefined ? Date.now() % 1_000_000 : Number(values.seed);
if (!(seconds > 0)) throw new Error(`--seconds must be seconds for each way, above 0, got ${values.seconds}`);
if (!Number.isSafeInteger(seed) || seed < 0) throw new Error(`--seed must be a whole number, got ${values.seed}`);
if (!['exchange', 'client', 'both'].includes(values.way))
  throw new Error(`--way must be exchange, client or both, got ${values.way}`);

/** The promise of the service: no answer takes longer. */
const SLOW_MS = 1000;
const LANES = 8;

let faults = 0;

function report(title: string, tally: Tally, tookMs: number, found: readonly string[], more: string): void {
  const took = tookMs / 1000;
  const perMinute = Math.round((tally.total * 60) / took).toLocaleString('en-US');
  console.log(
    `\n${title}: ${tally.total.toLocaleString('en-US')} in ${took.toFixed(0)} s, ${perMinute} a minute, seed ${seed}`,
  );
  console.log(tally.table('class'));
  console.log(`slowest ${tally.slowestMs.toFixed(0)} ms: ${tally.slowest}${more}`);
  for (const fault of found) console.log(`\nFAILED: ${fault}`);
  faults += found.length;
}

async function fuzzExchange(dataDir: string | null, halfMs: number): Promise<void> {
  const server = await ServerProcess.start({ dataDir, seed });
  const { tally, attackMs, faults, heapBytes } = await campaign(server.url, {
    ...{ seed, lanes: LANES, slowMs: SLOW_MS },
    half: () => {
      const endMs = performance.now() + halfMs;
      return () => performance.now() > endMs;
    },
    heapBytes: () => server.heapBytes(),
  });
  const ended = await server.end();
  const heap = heapBytes.map((bytes) => `${Math.round((bytes ?? 0) / 1_048_576)} MB`).join(', then ');
  const where = dataDir === null ? 'in memory' : 'with a data folder';
  report(
    `requests into the exchange, ${where}`,
    tally,
    attackMs,
    ended === null ? faults : [...faults, ended],
    `; heap ${heap}`,
  );
}

if (values.way !== 'client') {
  const folder = mkdtempSync(join(tmpdir(), 'twinbook-fuzz-'));
  await fuzzExchange(null, (seconds * 1000) / 4);
  await fuzzExchange(folder, (seconds * 1000) / 4);
  rmSync(folder, { recursive: true, force: true });
}
console.log(faults === 0 ? '\nnothing gave way' : `\n${faults} failures; --seed ${seed} makes the same requests again`);
process.exitCode = faults === 0 ? 0 : 1;
