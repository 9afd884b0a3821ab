/** A large made-up recording. Equal sizes give equal events, so it stays in the folder for temporary files. */

import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deriveConditionId } from '../../src/recording/contract.js';
import { openRecordingStore } from '../../src/recording/store/store.js';
import { end, FIRST_MS, market, wanderingRows, writeRows } from '../lab/backtest/recordings.js';
import { sized } from './bench.js';

/** Level changes and trades of all markets together. */
export const EVENTS = sized(10_000_000, 20_000);
const MARKETS = sized(10, 2);
/** Of each market; a step has two events or more, so that a second has about two hundred. */
const STEPS_PER_S = 80;
const EVENTS_A_MINUTE = 100 * 60;
/** Raised when the events for equal sizes change. */
const VERSION = 2;

/** Returns the folder of the recording; the first call writes it. */
export async function syntheticRecording(events = EVENTS, seed = 1): Promise<string> {
  const folder = join(tmpdir(), `twinbook-synthetic-v${VERSION}-${MARKETS}-${events}-${seed}`);
  if (existsSync(join(folder, 'whole'))) return folder;
  const draft = `${folder}.${process.pid}`;
  rmSync(draft, { recursive: true, force: true });
  const store = await openRecordingStore(draft, { origin: 'synthetic' });
  for (let number = 0; number < MARKETS; number++) {
    const each = Math.floor(events / MARKETS);
    const rows = wanderingRows(seed * MARKETS + number, each / EVENTS_A_MINUTE, STEPS_PER_S).slice(0, each);
    const closeTimeMs = 1 + (rows.at(-1)?.[0] ?? FIRST_MS);
    const conditionId = deriveConditionId('synthetic', `${seed}/${number}`);
    const titles = { eventTitle: `Made-up event ${number}`, title: `Made-up market ${number}` };
    writeRows(store.market(market({ conditionId, ...titles, closeTimeMs })), [...rows, end(closeTimeMs - FIRST_MS)]);
    await store.rotate();
  }
  await store.close();
  writeFileSync(join(draft, 'whole'), '');
  rmSync(folder, { recursive: true, force: true });
  renameSync(draft, folder);
  return folder;
}
