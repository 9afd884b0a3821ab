/**
 * A copy of a world's trader without the world: it gets the other one's inputs and must send the same requests. Its
 * heap holds only a trader, and its folder only a trader's files: ledger and journal.
 */

import { existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Random } from '../../../src/shared/base/random.js';
import type { Observation } from '../../../src/shared/protocol/seam.js';
import { Segments, StepInputRecorder } from '../../../src/shell/journal/journal-writer.js';
import { drawSetting, KEY, type Pace } from '../setting.js';
import { keysOf, TraderProcess } from '../trader-process.js';
import { type Memory, measureMemory } from './heap.js';

/** A journal packs its file at this size; sixteen times as often as a trader does, so that it grows evenly. */
const SEGMENT_BYTES = 1_000_000;

export interface GivenStep {
  readonly observation: Observation;
  /** Requests of the other trader at that step, as JSON. */
  readonly requests: string;
}

/** A part of a trader's life. */
export interface Period {
  /** Start time, Unix ms. */
  readonly begunMs: number;
  /** Emptied once they are used: a trader does not hold them. */
  readonly steps: GivenStep[];
}

export interface TraderFigures extends Memory {
  readonly ledgerBytes: number;
  readonly walBytes: number;
  readonly journalBytes: number;
  /** Steps since the start. */
  readonly steps: number;
  /** Rows of the ledger. */
  readonly orders: number;
  readonly fills: number;
  /** Deviations from the other trader, and at the end errors of its ledger. */
  readonly violations: readonly string[];
}

export class LoneTrader {
  readonly #process: TraderProcess;
  readonly #segments: Segments;
  readonly #recorder = new StepInputRecorder();
  readonly #violations: string[] = [];
  #steps = 0;

  /** @param folder its own folder, which is kept at the end */
  constructor(seed: number, pace: Pace, begunMs: number, folder: string) {
    const journal = join(folder, 'journal');
    mkdirSync(journal);
    this.#segments = new Segments(journal, SEGMENT_BYTES);
    this.#process = new TraderProcess({
      path: join(folder, 'ledger.sqlite'),
      runId: 'r1',
      keys: keysOf(KEY),
      nowMs: begunMs,
      setting: drawSetting(Random.fromSeed(seed, 'setting'), pace),
      heard: (signer) => this.#recorder.signer(signer),
    });
  }

  /** Runs through a period; returns its figures at the end. Throws disk errors. */
  async live({ steps }: Period): Promise<TraderFigures> {
    for (const step of steps) this.#take(step);
    steps.length = 0;
    await this.#segments.flush();
    return this.#figures();
  }

  close(): void {
    this.#process.close();
  }

  #take({ observation, requests }: GivenStep): void {
    const own = this.#process.trader.handle(observation);
    const { timedOut, signed } = this.#recorder.take();
    this.#segments.add(JSON.stringify({ index: this.#steps, observation, requests: own, timedOut, signed }));
    this.#steps += 1;
    this.#process.touched.clear();
    // As the daemon does, to log them.
    this.#process.trader.takeNotices();
    if (this.#violations.length > 0 || JSON.stringify(own) === requests) return;
    this.#violations.push(`step ${this.#steps}: given the same, it asked otherwise than the trader of the simulation`);
  }

  #figures(): TraderFigures {
    const { ledger } = this.#process;
    return {
      ...measureMemory(),
      ledgerBytes: sizeOf(ledger.path),
      walBytes: sizeOf(`${ledger.path}-wal`),
      journalBytes: this.#segments.bytes,
      steps: this.#steps,
      orders: ledger.orders({ limit: Number.MAX_SAFE_INTEGER }).length,
      fills: ledger.newestSeq('fills'),
      violations: [...this.#violations, ...ledger.verify()],
    };
  }
}

const sizeOf = (path: string): number => (existsSync(path) ? statSync(path).size : 0);
