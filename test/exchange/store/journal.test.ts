import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Command, ExchangeCore } from '../../../src/exchange/core/core.js';
import { Crowd } from '../../../src/exchange/crowd/crowd.js';
import { PersistentCore, recordMutations } from '../../../src/exchange/store/persistent-core.js';
import { Random } from '../../../src/shared/base/random.js';
import { SqliteDriver } from '../../../src/shared/base/sqlite-driver.js';
import { newFolder } from '../../support/folders.js';
import { throughJson } from '../core/drawer.js';
import { accepted, m, settings } from '../core/venue.js';

const START_MS = 1_700_000_000_000;

let folder: string;
let live: PersistentCore;
beforeEach(() => {
  folder = newFolder();
  live = PersistentCore.open(folder, settings);
});
afterEach(() => live.close());

/** The state that the files of a process killed now would give. */
function reopened(own = settings, damage: (copy: string) => void = () => undefined): unknown {
  const copy = newFolder();
  cpSync(folder, copy, { recursive: true });
  damage(copy);
  const persistentCore = PersistentCore.open(copy, own);
  const snapshot = persistentCore.core.snapshot();
  persistentCore.close();
  return snapshot;
}

const state = () => throughJson(live.core.snapshot());

describe('the journal', () => {
  it('gives the identical state at every moment of a busy life', () => {
    const { core } = live;
    const random = Random.fromSeed(3);
    let nowMs = START_MS;
    const crowd = new Crowd(core, { seed: 1 }, nowMs);
    for (let turn = 0; turn < 6; turn++) {
      for (let n = 0; n < 50; n++) {
        nowMs += random.below(2_000);
        live.batch(() => crowd.tick(nowMs));
        core.at(nowMs).setSigningAvailable(random.chance(0.9));
        core.at(nowMs).identity.challenge('not a wallet', `nonce ${turn} ${n}`);
      }
      if (turn === 3) live.save();
      expect(reopened()).toEqual(state());
    }
  });

  it('replays under the settings that it was written under', () => {
    live.core.at(START_MS).identity.openInternal('somebody', { unlimited: false, funds: m(5) });
    expect(reopened({ ...settings, startingFunds: m(1), seed: 8 })).toEqual(state());
  });

  it('stores each market in its own row of the snapshot, so that the longest text does not grow with the markets', () => {
    for (let n = 0; n < 3; n++) accepted(live.core.at(START_MS).markets.create({ config: { kind: 'orderbook' } }));
    live.save();
    live.save();
    let rows: unknown = null;
    const again = reopened(settings, (copy) => {
      const db = new SqliteDriver(join(copy, 'exchange.sqlite'));
      rows = db.prepare('SELECT count(*) FROM snapshot').pluck().get();
      db.close();
    });
    expect(rows).toBe(4);
    expect(again).toEqual(state());
  });

  it('takes no snapshot in the middle of a batch: its calls would be replayed twice', () => {
    const work = () => {
      live.core.at(START_MS).identity.openInternal('somebody', { unlimited: false, funds: m(5) });
      live.save();
    };
    expect(() => live.batch(work)).toThrow('a snapshot must not be taken inside a batch');
    expect(reopened()).toEqual(state());
  });

  it('stores a batch whole, also when the work in it throws', () => {
    const work = () => {
      live.core.at(START_MS).setSigningAvailable(false);
      throw new Error('a bug of a simulated trader');
    };
    expect(() => live.batch(work)).toThrow('a bug of a simulated trader');
    expect(reopened()).toMatchObject({ signingAvailable: false });
  });

  it.each(['orders.cancelAll', 'identity.credential', 'constructor', '__proto__.toString', 'snapshot', 'at', ''])(
    'follows no path but those of its calls: not %j',
    (path) => {
      const core = new ExchangeCore(settings);
      const before = JSON.stringify(core.snapshot());
      // A damaged or forged line, which has no type.
      const line = [START_MS, path, []] as unknown as Command;
      expect(() => core.apply(line)).toThrow('unknown command of the exchange');
      expect(JSON.stringify(core.snapshot())).toBe(before);
      const forge = (copy: string) => {
        const db = new SqliteDriver(join(copy, 'exchange.sqlite'));
        db.prepare('INSERT INTO journal (now_ms, method, args) VALUES (?, ?, ?)').run(START_MS, path, '[]');
        db.close();
      };
      expect(() => reopened(settings, forge)).toThrow('the stored call is unknown to this version');
    },
  );

  it('writes one row for a call, whatever the core calls itself', () => {
    const rows: unknown[] = [];
    const core = new ExchangeCore(settings);
    recordMutations(core, { append: (command) => rows.push(command), assertSound: () => undefined });
    const { condition_id } = accepted(core.at(START_MS).markets.create({ config: { kind: 'orderbook' } }));
    core.at(START_MS + 1).markets.setState(condition_id, 'canceled');
    core.apply([START_MS + 2, 'setSigningAvailable', [false]]);
    expect(rows).toEqual([
      [START_MS, 'markets.create', [{ config: { kind: 'orderbook' } }]],
      [START_MS + 1, 'markets.setState', [condition_id, 'canceled']],
      [START_MS + 2, 'setSigningAvailable', [false]],
    ]);
  });
});
