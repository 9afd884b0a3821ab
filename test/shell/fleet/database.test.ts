/** Servers unfit for a fleet are rejected by name; `server.system.test.ts` tests that each connection checks. */

import { describe, expect, it } from 'vitest';
import { limitSession, requireFit } from '../../../src/shell/fleet/database.js';

const SOUND = { version: 150_005, named: '15.5', is_replica: false, read_only: 'off', fsync: 'on' };

describe('a server', () => {
  it.each([
    ['of an old version', { version: 120_017, named: '12.17' }, 'is PostgreSQL 12.17', 'PostgreSQL 13 or newer'],
    ['that says no version', { version: null, named: '' }, 'is PostgreSQL ', 'PostgreSQL 13 or newer'],
    ['that replicates another', { is_replica: true }, 'is a replica, which accepts no writes', 'the primary server'],
    ['that takes no writes', { read_only: 'on' }, 'is read-only for this user', 'default_transaction_read_only = off'],
    ['that may forget a commit', { fsync: 'off' }, 'runs with fsync = off', 'fsync = on'],
  ])('%s is refused, with what is wanted', (_, changes, what, wanted) => {
    let error: unknown = null;
    try {
      requireFit('db:5432, database fleet', { ...SOUND, ...changes });
    } catch (cause) {
      error = cause;
    }
    expect(error).toMatchObject({
      code: 'fleet_unusable',
      message: expect.stringContaining(`db:5432, database fleet ${what}`),
      hint: expect.stringContaining(wanted),
    });
  });

  it.each([
    [130_014, false],
    [150_005, true],
  ])('of version %s is taken, and ends idle sessions where it can', (version, endsIdle) => {
    requireFit('', { ...SOUND, version });
    const limits = limitSession({ answerMs: 5_000, idleMs: 60_000 }, { version });
    expect(limits).toContain('SET statement_timeout = 5000');
    expect(limits.includes('idle_session_timeout')).toBe(endsIdle);
  });
});
