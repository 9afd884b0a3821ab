/**
 * Puts a folder of recordings into a bucket, day by day: data first, then the description, and last the manifest, which alone
 * makes files count. It may be stopped or killed anywhere and be run again: what is there already is not sent a second time,
 * and what somebody else wrote is never overwritten. The local copy goes only after the bucket was asked whether it has it all.
 */

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { TwinbookError } from '../../shared/base/errors.js';
import { readPackedManifest, readPackedManifestText } from '../packed/manifest.js';
import { rememberSent, withSent } from '../packed/sent.js';
import { openSegments, parseDay } from '../store/day-folder.js';
import { dayFolders, isPackedDay, isStore, marketFolders, packedDays } from '../store/folders.js';
import { formatDate, MANIFEST, MARKET } from '../store/layout.js';
import { eventsFiles, type Manifest, readManifest, readManifestText } from '../store/manifest.js';
import { ObjectClient, type Patience } from './client.js';
import { type Environment, type ObjectPlace, readCredentials, readPlace, showKey } from './place.js';

export interface UploadReport {
  /** Days with a manifest. */
  days: number;
  /** Data files that were sent, and those that the bucket had. */
  sent: number;
  there: number;
  bytesSent: number;
  /** Days whose manifest was written: before it, the bucket did not have all of them. */
  written: number;
  /** Segments that are no Parquet yet: they are sent once they are. */
  open: number;
}

/** What a manifest of either layout says of its files. */
interface Listing {
  readonly files: readonly ListedFile[];
}

interface ListedFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

const readListing = (day: string, text: string, name: string): Listing =>
  isPackedDay(day) ? readPackedManifestText(text, name) : readManifestText(text, name);

const DAY_MS = 86_400_000;
const GONE = '.gone-';

export class Uploader {
  readonly place: ObjectPlace;
  readonly #folder: string;
  readonly #packedOnly: boolean;
  readonly #client: ObjectClient;
  /** Days of which the bucket has everything, by what their small files said then. */
  readonly #confirmed = new Map<string, string>();

  /**
   * With `packedOnly` days with many markets in a file alone: a recorder packs what it wrote before that is sent. Throws TwinbookError
   * `usage` for an address that is none.
   */
  constructor(folder: string, url: string, env: Environment, patience?: Patience, packedOnly = false) {
    this.place = readPlace(url, env);
    if (this.place.inside !== '') {
      const hint = 'Give what comes before market=…: the folders of markets and days are made there.';
      throw new TwinbookError('usage', `${url} is a place inside a recording, not one of recordings`, hint);
    }
    this.#folder = folder;
    this.#packedOnly = packedOnly;
    this.#client = new ObjectClient(this.place, readCredentials(env), patience);
  }

  get counts(): ObjectClient['counts'] {
    return this.#client.counts;
  }

  /**
   * Sends what the bucket lacks. Throws TwinbookError `file_unreadable` where it cannot be reached or written, and
   * `recording_invalid` where it holds files of another recording, or a local file is not what its manifest says.
   */
  async upload(onDay: (done: number, days: number) => void = () => undefined): Promise<UploadReport> {
    const report: UploadReport = { days: 0, sent: 0, there: 0, bytesSent: 0, written: 0, open: 0 };
    const days = this.#days();
    for (const [at, day] of days.entries()) {
      onDay(at, days.length);
      if (isPackedDay(day)) {
        // Without a manifest it counts here as little as there.
        if (!existsSync(join(day, MANIFEST))) continue;
      } else {
        const manifest = readManifest(join(day, MANIFEST));
        report.open += openSegments(day, manifest).length;
        // What is left of a day that was packed and taken out says only where it ended.
        if (manifest === null || (manifest.packed !== undefined && manifest.files.length === 0)) continue;
      }
      report.days += 1;
      await this.#uploadDay(day, report);
    }
    return report;
  }

  /**
   * Removes local days of which the bucket has everything, `keepDays` after they ended; a market's newest day stays until the
   * market has ended, for what follows is numbered on from it. Returns how many. Throws as `upload` does.
   */
  async removeUploaded(keepDays: number, nowMs: number): Promise<number> {
    const before = formatDate(nowMs - Math.max(1, keepDays) * DAY_MS);
    let removed = 0;
    for (const market of isStore(this.#folder) && !this.#packedOnly ? marketFolders(this.#folder) : []) {
      removeRests(market);
      const days = dayFolders(market);
      for (const day of days) {
        const manifest = readManifest(join(day, MANIFEST));
        const isNewest = day === days.at(-1);
        if (manifest === null || parseDay(day) >= before || openSegments(day, manifest).length > 0) continue;
        if ((isNewest && !hasEnded(manifest)) || !(await this.#hasAll(day, manifest))) continue;
        // In one step: half a day would be damage.
        const gone = join(market, `${GONE}${basename(day)}`);
        renameSync(day, gone);
        rmSync(gone, { recursive: true, force: true });
        this.#confirmed.delete(day);
        removed += 1;
      }
      if (readdirSync(market).length === 0) rmSync(market, { recursive: true, force: true });
    }
    return removed + (await this.#removePacked(before));
  }

  /** The newest day of a market that goes on lies in its own folder; a day that goes on all the same is known as sent. */
  async #removePacked(before: string): Promise<number> {
    let removed = 0;
    if (isStore(this.#folder)) removeRests(this.#folder);
    for (const day of isStore(this.#folder) ? packedDays(this.#folder) : []) {
      const manifest = readPackedManifest(join(day, MANIFEST));
      if (manifest === null || parseDay(day) >= before) continue;
      if (!(await this.#hasAll(day, withSent(this.#folder, manifest)))) continue;
      rememberSent(this.#folder, manifest);
      const gone = join(dirname(day), `${GONE}${basename(day)}`);
      renameSync(day, gone);
      rmSync(gone, { recursive: true, force: true });
      this.#confirmed.delete(day);
      removed += 1;
    }
    return removed;
  }

  #days(): string[] {
    try {
      return isStore(this.#folder)
        ? [...(this.#packedOnly ? [] : marketFolders(this.#folder).flatMap(dayFolders)), ...packedDays(this.#folder)]
        : [];
    } catch (cause) {
      const message = `cannot read the recordings in ${this.#folder}: ${(cause as Error).message}`;
      const hint = 'Look at this folder and its disk; what was uploaded before stays in the bucket.';
      throw new TwinbookError('file_unreadable', message, hint, { cause });
    }
  }

  async #uploadDay(day: string, report: UploadReport): Promise<void> {
    // As bytes, read once: a recorder may write the next one meanwhile.
    const text = this.#readManifest(day);
    const manifest = readListing(day, text.toString('utf8'), join(day, MANIFEST));
    const described = existsSync(join(day, MARKET)) ? readFileSync(join(day, MARKET)) : null;
    const state = `${text.toString('utf8')}\n${described?.toString('utf8') ?? ''}`;
    if (this.#confirmed.get(day) === state) {
      report.there += manifest.files.length;
      return;
    }
    const remote = await this.#client.find(this.#key(day, MANIFEST));
    const listed = remote === null ? [] : this.#readRemote(day, remote.bytes).files;
    this.#requireSame(day, manifest, listed);
    for (const file of manifest.files) {
      if (listed.some(({ name }) => name === file.name)) report.there += 1;
      else await this.#uploadFile(day, file, report);
    }
    await this.#putWhereOther(day, MARKET, described);
    if (remote === null || !remote.bytes.equals(text)) {
      await this.#client.put(this.#key(day, MANIFEST), text);
      await this.#requireWritten(day, text);
      report.written += 1;
    }
    this.#confirmed.set(day, state);
  }

  /** As the bucket is to have it: of a packed day with what was sent of it and removed here. */
  #readManifest(day: string): Buffer {
    const text = readFileSync(join(day, MANIFEST));
    if (!isPackedDay(day)) return text;
    const manifest = readPackedManifestText(text.toString('utf8'), join(day, MANIFEST));
    const whole = withSent(this.#folder, manifest);
    return whole === manifest ? text : Buffer.from(`${JSON.stringify(whole, null, 2)}\n`);
  }

  async #uploadFile(day: string, file: ListedFile, report: UploadReport): Promise<void> {
    const key = this.#key(day, file.name);
    if (await this.#has(key, file)) {
      report.there += 1;
      return;
    }
    const path = join(day, file.name);
    const body = readFileOf(path);
    const got = createHash('sha256').update(body).digest('hex');
    if (got !== file.sha256) {
      const hint =
        '`twinbook data verify` checks all files; nothing of this day counts in the bucket until it is repaired.';
      throw new TwinbookError(
        'recording_invalid',
        `${path} has the checksum ${got}, its manifest says ${file.sha256}`,
        hint,
      );
    }
    await this.#client.put(key, body);
    if (!(await this.#has(key, file))) {
      const wanted = `${file.bytes} bytes with the SHA-256 ${file.sha256}, as they were written`;
      throw this.#client.faults.wrong(
        'confirm',
        key,
        'another object',
        wanted,
        'Another program writes to the same place.',
      );
    }
    report.sent += 1;
    report.bytesSent += body.length;
  }

  async #has(key: string, { bytes, sha256 }: { readonly bytes: number; readonly sha256: string }): Promise<boolean> {
    const found = await this.#client.head(key);
    return found !== null && found.bytes === bytes && found.sha256 === sha256;
  }

  async #putWhereOther(day: string, name: string, body: Buffer | null): Promise<void> {
    if (body === null) return;
    const key = this.#key(day, name);
    const there = await this.#client.find(key);
    if (there === null || !there.bytes.equals(body)) await this.#client.put(key, body);
  }

  async #requireWritten(day: string, text: Buffer): Promise<void> {
    const key = this.#key(day, MANIFEST);
    const there = await this.#client.find(key);
    if (there?.bytes.equals(text) === true) return;
    const hint = 'Another recorder writes to the same place: give each a prefix of its own.';
    throw this.#client.faults.wrong(
      'confirm',
      key,
      there === null ? 'nothing' : 'another manifest',
      'what was written',
      hint,
    );
  }

  /** Everything that this day's manifest lists, as it lists it. */
  async #hasAll(day: string, manifest: Listing): Promise<boolean> {
    const text = this.#readManifest(day);
    const there = await this.#client.find(this.#key(day, MANIFEST));
    if (there === null || !there.bytes.equals(text)) return false;
    if (existsSync(join(day, MARKET))) {
      const described = await this.#client.find(this.#key(day, MARKET));
      if (described === null || !described.bytes.equals(readFileSync(join(day, MARKET)))) return false;
    }
    for (const file of manifest.files) if (!(await this.#has(this.#key(day, file.name), file))) return false;
    return true;
  }

  #readRemote(day: string, bytes: Buffer): Listing {
    return readListing(day, bytes.toString('utf8'), showKey(this.place, this.#key(day, MANIFEST)));
  }

  /** What the bucket lists must be ours: names of two recorders are the same, their rows are not. */
  #requireSame(day: string, ours: Listing, theirs: Listing['files']): void {
    const other = theirs.find(({ name, sha256 }) => ours.files.find((file) => file.name === name)?.sha256 !== sha256);
    if (other === undefined) return;
    const hint = 'Another recorder or import wrote there: give each a prefix of its own.';
    const mine = ours.files.find(({ name }) => name === other.name);
    const wanted = mine === undefined ? `no such file, as ${day} has none` : `${mine.sha256}, as in ${day}`;
    throw this.#client.faults.wrong(
      'write',
      this.#key(day, other.name),
      `a file with the SHA-256 ${other.sha256}`,
      wanted,
      hint,
    );
  }

  #key(day: string, name: string): string {
    const full = resolve(day);
    const market = isPackedDay(day) ? '' : `${basename(dirname(full))}/`;
    return `${this.place.prefix}${market}${basename(full)}/${name}`;
  }
}

function readFileOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    const message = `cannot read ${path}, which its manifest lists: ${(cause as Error).message}`;
    throw new TwinbookError('file_unreadable', message, '`twinbook data verify` says what is wrong with a recording.', {
      cause,
    });
  }
}

const hasEnded = (manifest: Manifest): boolean => (eventsFiles(manifest).at(-1)?.kinds.end ?? 0) > 0;

/** Of a process that died between the two steps of removing a day. */
function removeRests(market: string): void {
  for (const name of readdirSync(market)) {
    if (name.startsWith(GONE)) rmSync(join(market, name), { recursive: true, force: true });
  }
}
