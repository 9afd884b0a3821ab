/** The disk of the trader's files: a faulty disk if available, else the plain file system. */

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Random } from '../../src/shared/base/random.js';
import { FaultyDisk, type LossMode } from '../disk/faulty-disk.js';
import type { Faults, Tally } from './faults.js';

/** A commit costs a sync, which is free in memory. */
const PLACE = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
/** Writes and syncs of a few commits. */
const MOST_OPERATIONS = 12;
const LOSSES: readonly LossMode[] = ['all', 'some', 'torn'];

/** The reason why crashes lose nothing and no write fails; null if they do. */
export const diskMissing = (): string | null => FaultyDisk.missing();

export class Disk {
  readonly folder = mkdtempSync(join(PLACE, 'twinbook-simulation-'));
  readonly #faulty: FaultyDisk | null;
  readonly #random: Random;
  readonly #tally: Tally;

  /** @param plain for a caller who copies the ledger's file: the file must include the write-ahead log */
  constructor(random: Random, tally: Tally, plain: boolean) {
    this.#random = random;
    this.#tally = tally;
    this.#faulty = !plain && FaultyDisk.missing() === null ? FaultyDisk.open(this.folder) : null;
  }

  /** Writes and syncs fail at this rate from now on. */
  suffer({ diskError }: Faults): void {
    const error = this.#random.chance(0.5) ? 'EIO' : 'ENOSPC';
    const seed = this.#random.uint32();
    if (diskError === 0) this.#faulty?.heal();
    else this.#faulty?.failAt({ kind: 'any', error, chance: diskError, seed, file: 'ledger.sqlite' });
  }

  /** The power fails during the next commits; `crash` draws the loss. */
  crashSoon(faults: Faults): void {
    const [loses, seed, at] = [this.#loss(faults), this.#random.uint32(), 1 + this.#random.below(MOST_OPERATIONS)];
    this.#faulty?.failAt({ kind: 'any', error: 'power-loss', at, seed, loses, file: 'ledger.sqlite' });
  }

  /** The process ends, by kill -9 or by a power loss. Open files must be closed next. */
  crash(faults: Faults): void {
    this.#faulty?.crash(this.#random.uint32(), this.#loss(faults));
    this.suffer(faults);
  }

  #loss({ unsyncedLost }: Faults): LossMode {
    const loses = this.#random.chance(unsyncedLost) ? (LOSSES[this.#random.below(LOSSES.length)] ?? 'all') : 'none';
    if (this.#faulty !== null && loses !== 'none') this.#tally.add(`fault: power lost, un-synced writes: ${loses}`);
    return loses;
  }

  close(): void {
    const { failures = 0, lost = 0 } = this.#faulty?.counts() ?? {};
    this.#tally.add('fault: disk error', failures);
    this.#tally.add('fault: write undone or torn', lost);
    this.#faulty?.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
