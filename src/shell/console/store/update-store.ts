/** The newest message of each channel that was taken in, over the end of a console's process: none is obeyed twice. */

import type { TakenUpdate, UpdateMemory } from '../../alerts/telegram/listener.js';
import type { StoreFile } from './store-file.js';

export class UpdateStore implements UpdateMemory {
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
