/** The paper exchange plays our format like the raw recordings. */

import { describe, expect, it } from 'vitest';
import type { ExchangeCore } from '../../src/exchange/core/core.js';
import { detailRow, publicTradePage } from '../../src/exchange/core/records/market-rows.js';
import { Replay } from '../../src/exchange/crowd/replay.js';
import { importRecordings } from '../../src/recording/import.js';
import { openRecordings } from '../../src/recording/recording.js';
import { newCore, START_MS, tapeHash } from '../exchange/crowd/world.js';
import { newFolder } from '../support/folders.js';
import { SAMPLE } from './make-sample.js';
import { CLOSE_MS, delta, OPEN_MS, snapshot, trade, writeKalshi } from './samples.js';

const MINUTE_MS = 60_000;

/** Plays the recordings to their end. */
async function played(paths: readonly string[]): Promise<{ core: ExchangeCore; warnings: readonly string[] }> {
  const core = newCore();
  const replay = await Replay.attach(core, await openRecordings(paths), { speed: 1 }, START_MS);
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
      expect(detailRow(core.catalog, core.catalog.market(index))).toMatchObject({
        title: market.title,
        state: 'resolved',
      });
      expect(publicTradePage(core.catalog.market(index), { limit: 20_000 }).rows).toHaveLength(
        summary?.events.trade ?? -1,
      );
    }
  });

  it('is refused where the exchange has another market of that name', async () => {
    const [recording] = await openRecordings([SAMPLE]);
    const conditionId = recording?.market.conditionId ?? '';
    const core = newCore();
    const other = {
      condition_id: conditionId,
      title: 'Will it rain?',
      event: 'Weather',
      description: 'Traded by the crowd.',
    };
    const made = core
      .at(START_MS)
      .markets.create({ ...other, category: 'wtf', rules: [], config: { kind: 'orderbook' } });
    expect(made.ok).toBe(true);
    const attached = Replay.attach(core, await openRecordings([SAMPLE]), { speed: 1 }, START_MS);
    await expect(attached).rejects.toThrow(
      expect.objectContaining({
        code: 'recording_invalid',
        message: expect.stringContaining(`this exchange has another one of that name: "Will it rain?"`),
        hint: expect.stringContaining('Replay it in a folder of its own'),
      }),
    );
  });

  it('says what it plays, how long that takes, and what is over already', async () => {
    const core = newCore();
    const open = await openRecordings([SAMPLE]);
    const names = open.map(({ market }) => `"${market.title}" (paper-crowd)`);
    const replay = await Replay.attach(core, open, { speed: 5 }, START_MS);
    expect(replay.plan).toEqual(names.map((name) => `replay: ${name}, 15 min, in 3 min at speed 5`));
    for (let nowMs = START_MS; !replay.done; nowMs += MINUTE_MS) {
      await replay.ready();
      replay.tick(nowMs);
    }
    const again = await Replay.attach(core, await openRecordings([SAMPLE]), { speed: 1 }, core.nowMs);
    expect(again.plan).toEqual(names.map((name) => `not replayed again: ${name}, which is over in this folder`));
  });

  it('of an imported recording trades as that of the raw one', async () => {
    const T = OPEN_MS + MINUTE_MS;
    const lines = [snapshot(T, [['0.4000', '100.00']], [['0.5500', '50.00']])];
    for (let n = 1; n < 200; n++) {
      lines.push(delta(T + n * 1000, 'no', '0.5500', n % 3 === 0 ? '-4.00' : '3.00'));
      if (n % 3 === 0) lines.push(trade(T + n * 1000, 'yes', '0.4500', '0.5500', '4.00'));
    }
    const set = writeKalshi([...lines, snapshot(CLOSE_MS + 800, [], [])]);
    const out = newFolder();
    await importRecordings('kalshi', [set], out);
    const [raw, imported] = [await played([set]), await played([out])];
    expect(publicTradePage(raw.core.catalog.market(0), { limit: 1000 }).rows).toHaveLength(66);
    expect(tapeHash(imported.core)).toBe(tapeHash(raw.core));
    expect(detailRow(imported.core.catalog, imported.core.catalog.market(0))).toEqual(
      detailRow(raw.core.catalog, raw.core.catalog.market(0)),
    );
  });
});
