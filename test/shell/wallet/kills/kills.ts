/**
 * Kills of processes that write secrets files, at random times and at the writing system calls, repeatedly in the same
 * folder. After each kill the old key, every reported new one, and the credentials must be complete.
 */

import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Random } from '../../../../src/shared/base/random.js';
import { createKeyFile, loadCredentials, openKeyFile, saveCredentials } from '../../../../src/shell/wallet/key-file.js';

/** The program as one file, so that its system calls are those of its writes and of one start. */
let writer: string | null = null;
function writerProgram(): string {
  if (writer !== null) return writer;
  const outfile = join(mkdtempSync(join(tmpdir(), 'twinbook-writer-')), 'writer.mjs');
  const words = [join(import.meta.dirname, 'writer.mjs'), '--bundle', '--platform=node', '--format=esm'];
  execFileSync(join(import.meta.dirname, '../../../../node_modules/.bin/esbuild'), [
    ...words,
    `--outfile=${outfile}`,
    '--log-level=warning',
  ]);
  process.once('exit', () => rmSync(dirname(outfile), { recursive: true, force: true }));
  writer = outfile;
  return outfile;
}

const PASSPHRASE = 'correct horse';
const OTHER = { baseUrl: 'http://other', wallet: 'theirs' };
const OURS = { baseUrl: 'http://venue', wallet: 'ours' };

/** The time between two writes varies: the longest wait covers some rounds. */
const LONGEST_WAIT_MS = 60;

/** System calls of a write, in their order; a round makes each at least once. */
export const CALLS = ['fchmod', 'fsync', 'link', 'rename', 'unlink'] as const;

/** Null: at a random time. */
type KillAt = { readonly call: (typeof CALLS)[number]; readonly number: number } | null;

/** The first round of a folder is complete before the first kill. */
export class KilledWriter {
  readonly #folder = mkdtempSync(join(tmpdir(), 'twinbook-kills-'));
  readonly #random: Random;
  readonly #address: string;
  /** The newest round that a writer reported. */
  #told = 0;
  #next = 1;

  constructor(seed: number) {
    this.#random = Random.fromSeed(seed, 'kills');
    this.#address = createKeyFile({ path: this.#path('old.json'), passphrase: null }).address;
    saveCredentials(this.#path('credentials.json'), OTHER, { apiKey: 'theirs', secret: 'theirs' });
    saveCredentials(this.#path('credentials.json'), OURS, { apiKey: 'key-0', secret: 'the secret of round 0' });
  }

  /** Starts a writer, kills it, and returns the losses; empty if there are none. */
  async kill(at: KillAt): Promise<readonly string[]> {
    const args = [writerProgram(), this.#folder, String(this.#next), PASSPHRASE];
    const inject = at === null ? [] : ['-f', '-qq', '-o', '/dev/null', '-e', `trace=${at.call}`];
    const when = at === null ? [] : ['-e', `inject=${at.call}:signal=SIGKILL:when=${at.number}`];
    const [command, words] =
      at === null ? [process.execPath, args] : ['strace', [...inject, ...when, process.execPath, ...args]];
    const child = spawn(command, words, { stdio: ['ignore', 'pipe', 'inherit'] });
    const waitMs = this.#random.below(LONGEST_WAIT_MS);
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => {
      if (at === null && said === '') setTimeout(() => child.kill('SIGKILL'), waitMs);
      said += chunk.toString('utf8');
    });
    await new Promise((closed) => child.once('close', closed));
    if (!said.startsWith('begins\n')) return ['the writer never began'];
    this.#told = Math.max(this.#told, ...said.split('\n').slice(1, -1).map(Number));
    return this.#losses();
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #losses(): readonly string[] {
    const losses: string[] = [];
    const wholly = (what: string, check: () => boolean) => {
      try {
        if (!check()) losses.push(`${what} is not what was written`);
      } catch (error) {
        losses.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
      }
    };
    const isOurs = (path: string, passphrase: string | null) =>
      openKeyFile({ path, passphrase }).address === this.#address;
    wholly('the old key', () => isOurs(this.#path('old.json'), null));
    const written = this.#written();
    for (const round of written) wholly(`key ${round}`, () => isOurs(this.#path('new', `${round}.json`), PASSPHRASE));
    for (let round = 1; round <= this.#told; round++)
      if (!written.includes(round)) losses.push(`key ${round} was told of and is gone`);
    wholly('the credentials', () => this.#roundOfCredentials() >= this.#told);
    wholly('the credentials of another venue', () => this.#load(OTHER)?.secret === 'theirs');
    for (const path of this.#everyFile())
      if ((statSync(path).mode & 0o777) !== 0o600) losses.push(`${path} can be read by others`);
    // The next one continues after all existing rounds.
    this.#next = Math.max(this.#told, ...written) + 1;
    return losses;
  }

  #written(): number[] {
    const names = readdirSync(this.#folder).includes('new') ? readdirSync(this.#path('new')) : [];
    return names.filter((name) => /^\d+\.json$/.test(name)).map((name) => Number.parseInt(name, 10));
  }

  /** The round of the stored credentials; -1 if they belong to none. */
  #roundOfCredentials(): number {
    const stored = this.#load(OURS);
    const round = Number(/^key-(\d+)$/.exec(stored?.apiKey ?? '')?.[1] ?? -1);
    return stored?.secret === `the secret of round ${round}` ? round : -1;
  }

  #load(owner: typeof OURS) {
    return loadCredentials(this.#path('credentials.json'), owner, {});
  }

  #everyFile(): string[] {
    const entries = readdirSync(this.#folder, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  }

  #path(...names: readonly string[]): string {
    return join(this.#folder, ...names);
  }
}
