/** Alerts stored between console processes: open ones with acknowledgements, and pending messages of every channel. */

import type { Acknowledgement, AlertMemory, AlertState } from '../../alerts/contract.js';
import type { StoreFile } from './store-file.js';

/** The console reads acknowledgements within a second; their alert may be over by then, ms. */
const KEPT_MS = 86_400_000;

export class AlertStore implements AlertMemory {
  readonly #file: StoreFile;

  constructor(file: StoreFile) {
    this.#file = file;
  }

  load(): AlertState | null {
    return this.#file.attempt((sqlite) => {
      const text = sqlite.prepare<[], string>('SELECT state FROM alert_state').pluck().get();
      return text === undefined ? null : stateIn(text);
    }, null);
  }

  save(state: AlertState): void {
    this.#file.attempt((sqlite) => {
      sqlite.prepare('INSERT OR REPLACE INTO alert_state VALUES (1, ?)').run(JSON.stringify(state));
    }, undefined);
  }

  acknowledgements(): readonly Acknowledgement[] {
    const sql = 'SELECT kind, since_ms AS sinceMs, time_ms AS timeMs FROM acknowledgements';
    return this.#file.attempt((sqlite) => sqlite.prepare<[], Acknowledgement>(sql).all(), []);
  }

  /** False when it cannot be kept. */
  acknowledge({ kind, sinceMs, timeMs }: Acknowledgement): boolean {
    return this.#file.attempt((sqlite) => {
      sqlite.prepare('DELETE FROM acknowledgements WHERE time_ms < ?').run(timeMs - KEPT_MS);
      sqlite.prepare('INSERT OR IGNORE INTO acknowledgements VALUES (?, ?, ?)').run(kind, sinceMs, timeMs);
      return true;
    }, false);
  }
}

/** Null for what no console wrote. */
function stateIn(text: string): AlertState | null {
  try {
    const { open, waiting } = JSON.parse(text) as Partial<AlertState>; // a console of this version wrote it, or one before
    return Array.isArray(open) && typeof waiting === 'object' ? { open, waiting } : null;
  } catch {
    return null;
  }
}

/** Number of an update, and its arrival, Unix ms. */
export type TakenUpdate = Readonly<{ id: number; timeMs: number }>;

/** The newest message of each channel: none is obeyed twice. */
export class UpdateStore {
  readonly #file: StoreFile;

  constructor(file: StoreFile) {
    this.#file = file;
  }

  load(channel: string): TakenUpdate | null {
    const sql = 'SELECT id, time_ms AS timeMs FROM taken_updates WHERE channel = ?';
    return this.#file.attempt((sqlite) => sqlite.prepare<[string], TakenUpdate>(sql).get(channel) ?? null, null);
  }

  save(channel: string, { id, timeMs }: TakenUpdate): void {
    const sql = 'INSERT OR REPLACE INTO taken_updates VALUES (?, ?, ?)';
    this.#file.attempt((sqlite) => sqlite.prepare(sql).run(channel, id, timeMs), undefined);
  }
}
