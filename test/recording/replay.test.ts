/** The paper exchange plays our format like the raw recordings. */

import { describe, expect, it } from 'vitest';
import type { ExchangeCore } from '../../src/exchange/core/core.js';
import { detailRow, publicTradePage } from '../../src/exchange/core/records/market-rows.js';
import { attachReplay } from '../../src/exchange/crowd/replay.js';
import { openRecordings } from '../../src/recording/recording.js';
import { newCore, START_MS } from '../exchange/crowd/world.js';
import { SAMPLE } from './make-sample.js';

const MINUTE_MS = 60_000;

/** Plays the recordings to their end. */
async function played(paths: readonly string[]): Promise<{ core: ExchangeCore; warnings: readonly string[] }> {
  const core = newCore();
  const replay = await attachReplay(core, await openRecordings(paths), 1, START_MS);
  for (let nowMs = START_MS; !replay.done; nowMs += MINUTE_MS) {
    await replay.ready();
    replay.tick(nowMs);
  }
  return { core, warnings: replay.notes().notes.map(({ message }) => message) };
}

describe('a replay', () => {
  it('plays the sample to its end: every trade, every outcome', async () => {
    const { core, warnings } = await played([SAMPLE]);
    expect(warnings).toEqual([]);
    for (const { market, summary } of await openRecordings([SAMPLE])) {
      const index = core.catalog.findIndex(market.conditionId);
      if (index === null) throw new Error(`${market.title} was not played`);
      const ended = { title: market.title, state: 'resolved' };
      expect(detailRow(core.catalog, core.catalog.market(index))).toMatchObject(ended);
      expect(publicTradePage(core.catalog.market(index), { limit: 20_000 }).rows).toHaveLength(
        summary?.events.trade ?? -1,
      );
    }
  });

  it('is refused where the exchange has another market of that name', async () => {
    const [recording] = await openRecordings([SAMPLE]);
    const conditionId = recording?.market.conditionId ?? '';
    const core = newCore();
    const other = { condition_id: conditionId, title: 'Will it rain?', event: 'Weather', description: '' };
    const config = { kind: 'orderbook' } as const;
    expect(core.at(START_MS).markets.create({ ...other, category: 'wtf', rules: [], config }).ok).toBe(true);
    await expect(attachReplay(core, await openRecordings([SAMPLE]), 1, START_MS)).rejects.toThrow(
      expect.objectContaining({
        code: 'recording_invalid',
        message: expect.stringContaining(`this exchange has another market with that id: "Will it rain?"`),
        hint: expect.stringContaining('Replay it in a separate folder'),
      }),
    );
  });

  it('says what it plays, how long that takes, and what is over already', async () => {
    const core = newCore();
    const open = await openRecordings([SAMPLE]);
    const names = open.map(({ market }) => `"${market.title}" (paper-crowd)`);
    const replay = await attachReplay(core, open, 5, START_MS);
    expect(replay.plan).toEqual(names.map((name) => `replay: ${name}, 15 min, played in 3 min at speed 5`));
    for (let nowMs = START_MS; !replay.done; nowMs += MINUTE_MS) {
      await replay.ready();
      replay.tick(nowMs);
    }
    const again = await attachReplay(core, await openRecordings([SAMPLE]), 1, core.nowMs);
    expect(again.plan).toEqual(
      names.map((name) => `not replayed again: ${name}, whose replay has already ended in this data folder`),
    );
  });
});
