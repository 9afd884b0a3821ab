/** The page's work by commands that a person would type, each in a separate process: replays of a market, and reports. */

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../../shared/base/errors.js';
import { guarded } from '../../shared/base/processes.js';
import { utcText } from '../../shared/base/text.js';
import type { Acted } from '../dashboard/contract.js';
import { nowMs } from '../runtime/clock.js';

/** A run of a day with many markets takes minutes. */
const WITHIN_MS = 600_000;
/** A page asks every two seconds; a replay without a request for this long is ended when another one is requested. */
const GIVEN_UP_MS = 10_000;
const MOST_KEPT = 8;

export interface PastView {
  readonly subject: string;
  /** Unix ms. */
  readonly at: number;
  /** `waiting` while another time is computed; requests repeat in either state. */
  readonly state: 'waiting' | 'working' | 'done' | 'failed';
  /** Output of the command; until then its progress. */
  readonly text: string;
}

interface Working {
  readonly key: string;
  readonly child: ChildProcess;
  askedMs: number;
  /** Ended for lack of requests: restarted at the next one. */
  isGivenUp: boolean;
}

/**
 * A market at an earlier time: replaying its run takes a processor for seconds or minutes. So it has the lowest priority,
 * one at a time, with its output cached for a while.
 */
export class MarketReplay {
  readonly #file: string;
  readonly #program: string;
  readonly #steadyMs: () => number;
  /** Cached answers, oldest question first. */
  readonly #known = new Map<string, PastView>();
  #working: Working | null = null;

  /** @param file the trader's */
  constructor(file: string, program = PROGRAM, steadyMs: () => number = () => performance.now()) {
    this.#file = file;
    this.#program = program;
    this.#steadyMs = steadyMs;
  }

  /** @param subject of a market @param atMs Unix ms */
  ask(subject: string, atMs: number): PastView {
    const key = JSON.stringify([subject, atMs]);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const nowMs = this.#steadyMs();
    if (this.#working?.key === key) this.#working.askedMs = nowMs;
    else if (this.#working === null) this.#begin(key, { subject, atMs }, nowMs);
    else {
      if (nowMs - this.#working.askedMs > GIVEN_UP_MS) this.#giveUp(this.#working);
      return {
        subject,
        at: atMs,
        state: 'waiting',
        text: 'Another moment is being worked out; this one comes after it.',
      };
    }
    return { subject, at: atMs, state: 'working', text: 'The run of then is decided again from its journal …' };
  }

  close(): void {
    if (this.#working !== null) this.#giveUp(this.#working);
  }

  #giveUp(working: Working): void {
    working.isGivenUp = true;
    working.child.kill('SIGKILL');
  }

  #begin(key: string, { subject, atMs }: { readonly subject: string; readonly atMs: number }, askedMs: number): void {
    const moment = new Date(atMs).toISOString();
    const asked = ['explain', '-c', this.#file, '--at', moment, '--', subject];
    const child = execFile(
      process.execPath,
      [...process.execArgv, this.#program, ...asked],
      { timeout: WITHIN_MS, killSignal: 'SIGKILL' },
      (error, stdout, stderr) => {
        this.#working = null;
        if (working.isGivenUp) return;
        const text = (error === null ? stdout : stderr).trim() || `it did not end within ${WITHIN_MS / 60_000} minutes`;
        this.#keep(key, { subject, at: atMs, state: error === null ? 'done' : 'failed', text });
      },
    );
    const working: Working = { key, child, askedMs, isGivenUp: false };
    this.#working = working;
    spareOthers(child);
  }

  #keep(key: string, view: PastView): void {
    this.#known.set(key, view);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_KEPT && oldest !== undefined) this.#known.delete(oldest);
  }
}

/** The trader has priority. */
export function spareOthers({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has ended already, or the system forbids it.
  }
}

const HERE = fileURLToPath(import.meta.url);

/** Path of our own command, run by Node like this process. */
export const PROGRAM = join(dirname(dirname(dirname(HERE))), 'cli', `twinbook${extname(HERE)}`);

/** Older ones are removed. */
const MOST_REPORTS = 20;
const NAME = /^\d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d UTC (ledger|backtest)\.html$/;

export interface ReportPlace {
  readonly configFile: string;
  readonly ledgerPath: string;
  readonly recordings: string;
  readonly journals: string;
  readonly program?: string;
}

/** Reports on the ledger, on a backtest of the configuration, or on a run beside its backtests; one at a time. */
export class Reports {
  readonly #place: ReportPlace;
  readonly #folder: string;
  #child: ChildProcess | null = null;
  /** Newest message of the newest command: a line, and its indented hint. */
  #said = '';
  /** Output of the newest comparison of a run; empty without one. */
  #parity = '';

  constructor(place: ReportPlace) {
    this.#place = place;
    this.#folder = `${place.ledgerPath}.reports`;
  }

  view() {
    return {
      isWorking: this.#child !== null,
      said: this.#said,
      parity: this.#parity,
      journals: list(this.#place.journals).filter((name) => existsSync(join(this.#place.journals, name, 'run.json'))),
      reports: list(this.#folder).filter((name) => NAME.test(name)),
      recordings: list(this.#place.recordings).filter((name) => name.startsWith('market=')),
    };
  }

  /** HTML; null for an unknown name. */
  read(name: string): string | null {
    return NAME.test(name) && existsSync(join(this.#folder, name))
      ? readFileSync(join(this.#folder, name), 'utf8')
      : null;
  }

  /** @param of recording of a backtest, null for all; run of a comparison */
  start(kind: 'ledger' | 'backtest' | 'parity', of: string | null): Acted {
    const { configFile, recordings, program = PROGRAM } = this.#place;
    const { recordings: recorded, journals } = this.view();
    if (this.#child !== null) return { refusal: 'another report is being made', text: '' };
    if (kind === 'parity' ? !journals.includes(of ?? '') : of !== null && !recorded.includes(of))
      return { refusal: `there is no ${kind === 'parity' ? 'journal of run' : 'recording'} ${of}`, text: '' };
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    for (const old of this.view().reports.slice(MOST_REPORTS - 1)) rmSync(join(this.#folder, old), { force: true });
    const name = `${utcText(nowMs()).replaceAll(':', '.')} UTC ${kind}.html`;
    const command = {
      ledger: ['pnl'],
      backtest: ['backtest', '--data', join(recordings, of ?? '')],
      parity: ['parity', of ?? ''],
    }[kind];
    const report = kind === 'parity' ? [] : ['--report', join(this.#folder, name)];
    const args = [...process.execArgv, program, ...command, '-c', configFile, ...report];
    const child = spawn(process.execPath, args);
    let output = '';
    this.#child = child;
    this.#said = `${kind}: reading …`;
    const say = (chunk: Buffer) => {
      this.#said = `${kind}: ${chunk.toString().trim().replaceAll('\n  ', ' ').split('\n').at(-1)?.trim() ?? ''}`;
    };
    const fail = (error: unknown) => {
      this.#said = `${kind}: ${messageOf(error)}`;
    };
    child.stderr.on('data', guarded(say, fail));
    const keep = (chunk: Buffer) => {
      output += chunk.toString();
    };
    child.stdout.on('data', guarded(keep, fail));
    child.once('error', fail);
    child.once('close', (code) => {
      this.#child = null;
      if (code !== 0) return;
      this.#said = kind === 'parity' ? `the comparison of run ${of} is below` : `${name} is ready`;
      if (kind === 'parity') this.#parity = output;
    });
    spareOthers(child);
    return { refusal: null, text: 'it is being made; its progress is below' };
  }

  close(): void {
    this.#child?.kill('SIGKILL');
  }
}

/** Names within a folder, the last in order of letters first; empty without it. */
const list = (folder: string): readonly string[] => (existsSync(folder) ? readdirSync(folder).sort().reverse() : []);
