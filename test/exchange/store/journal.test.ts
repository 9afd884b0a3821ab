import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { CoreSettings } from '../../../src/exchange/core/contract.js';
import { type Command, ExchangeCore } from '../../../src/exchange/core/core.js';
import { Crowd } from '../../../src/exchange/crowd/crowd.js';
import { openDatabase } from '../../../src/exchange/store/database.js';
import { PersistentCore, recordMutations } from '../../../src/exchange/store/persistent-core.js';
import { Random } from '../../../src/shared/base/random.js';
import { newFolder } from '../../support/folders.js';
import { micros } from '../http/harness.js';

const SETTINGS: CoreSettings = {
  serviceName: 'SVC',
  draftLifetimeMs: 60_000,
  landingMs: 400,
  startingFunds: micros(10_000),
  challengeLifetimeMs: 600_000,
  seed: 7,
};
const START_MS = 1_700_000_000_000;

let folder: string;
beforeEach(() => {
  folder = newFolder();
});

/** Reopens the files that a process killed now would leave. */
function reopened(name: string, settings: CoreSettings = SETTINGS): PersistentCore {
  cpSync(join(folder, 'live'), join(folder, name), { recursive: true });
  return PersistentCore.open(join(folder, name), settings);
}

describe('the journal', () => {
  it('gives the identical state at every moment of a busy life', () => {
    const persistentCore = PersistentCore.open(join(folder, 'live'), SETTINGS);
    const { core } = persistentCore;
    const random = Random.fromSeed(3);
    let nowMs = START_MS;
    const crowd = new Crowd(core, { seed: 1 }, nowMs);
    for (let turn = 0; turn < 6; turn++) {
      for (let n = 0; n < 50; n++) {
        nowMs += random.below(2_000);
        persistentCore.batch(() => crowd.tick(nowMs));
        core.at(nowMs).setSigningAvailable(random.chance(0.9));
        core.at(nowMs).identity.challenge('not a wallet', `nonce ${turn} ${n}`);
      }
      if (turn === 3) persistentCore.save(nowMs);
      const copy = reopened(`copy ${turn}`);
      expect(copy.core.snapshot()).toEqual(JSON.parse(JSON.stringify(core.snapshot())));
      copy.close();
    }
    persistentCore.close();
  });

  it('replays under the settings that it was written under', () => {
    const persistentCore = PersistentCore.open(join(folder, 'live'), SETTINGS);
    persistentCore.core.at(START_MS).identity.openInternal('somebody', { unlimited: false, funds: micros(5) });
    const copy = reopened('copy', { ...SETTINGS, startingFunds: micros(1), seed: 8 });
    expect(copy.core.snapshot()).toEqual(JSON.parse(JSON.stringify(persistentCore.core.snapshot())));
    copy.close();
    persistentCore.close();
  });

  it('takes no snapshot in the middle of a batch: its calls would be replayed twice', () => {
    const persistentCore = PersistentCore.open(join(folder, 'live'), SETTINGS);
    const work = () => {
      persistentCore.core.at(START_MS).identity.openInternal('somebody', { unlimited: false, funds: micros(5) });
      persistentCore.save(START_MS);
    };
    expect(() => persistentCore.batch(work)).toThrow('a snapshot in a batch');
    const copy = reopened('copy');
    expect(copy.core.snapshot()).toEqual(JSON.parse(JSON.stringify(persistentCore.core.snapshot())));
    copy.close();
    persistentCore.close();
  });

  it('stores a batch whole, also when the work in it throws', () => {
    const persistentCore = PersistentCore.open(join(folder, 'live'), SETTINGS);
    const work = () => {
      persistentCore.core.at(START_MS).setSigningAvailable(false);
      throw new Error('a bug of a simulated trader');
    };
    expect(() => persistentCore.batch(work)).toThrow('a bug of a simulated trader');
    const copy = reopened('copy');
    expect(copy.core.snapshot()).toMatchObject({ signingAvailable: false });
    copy.close();
    persistentCore.close();
  });

  it.each(['orders.cancelAll', 'identity.credential', 'constructor', '__proto__.toString', 'snapshot', 'at', ''])(
    'follows no path but those of its calls: not %j',
    (path) => {
      const core = new ExchangeCore(SETTINGS);
      const before = JSON.stringify(core.snapshot());
      // A damaged or forged line, which has no type.
      const line = [START_MS, path, []] as unknown as Command;
      expect(() => core.apply(line)).toThrow('not a command of the exchange');
      expect(JSON.stringify(core.snapshot())).toBe(before);
      const live = PersistentCore.open(join(folder, 'live'), SETTINGS);
      live.core.at(START_MS).setSigningAvailable(false);
      live.close();
      const db = openDatabase(join(folder, 'live'));
      db.prepare('INSERT INTO journal (now_ms, method, args) VALUES (?, ?, ?)').run(START_MS, path, '[]');
      db.close();
      expect(() => PersistentCore.open(join(folder, 'live'), SETTINGS)).toThrow(
        'a call that this version does not know',
      );
    },
  );

  it('writes one row for a call, whatever the core calls itself', () => {
    const rows: unknown[] = [];
    const core = new ExchangeCore(SETTINGS);
    recordMutations(core, { append: (command) => rows.push(command), assertSound: () => undefined });
    const made = core.at(START_MS).markets.create({ config: { kind: 'orderbook' } });
    if (!made.ok) throw new Error(made.fault.message);
    core.at(START_MS + 1).markets.setState(made.value.condition_id, 'canceled');
    core.apply([START_MS + 2, 'setSigningAvailable', [false]]);
    expect(rows).toEqual([
      [START_MS, 'markets.create', [{ config: { kind: 'orderbook' } }]],
      [START_MS + 1, 'markets.setState', [made.value.condition_id, 'canceled']],
      [START_MS + 2, 'setSigningAvailable', [false]],
    ]);
  });
});
