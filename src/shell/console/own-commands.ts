/** Makes reports for the page by running the command line's own commands, each in a separate process. */

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../../shared/base/errors.js';
import { guarded } from '../../shared/base/processes.js';
import { utcText } from '../../shared/base/text.js';
import type { Acted } from '../dashboard/contract.js';
import { nowMs } from '../runtime/clock.js';

const HERE = fileURLToPath(import.meta.url);

/** Path of the `twinbook` program, which runs with the Node binary and options of this process. */
export const PROGRAM = join(dirname(dirname(dirname(HERE))), 'cli', `twinbook${extname(HERE)}`);

const MOST_REPORTS = 20;
const NAME = /^\d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d UTC (ledger|backtest)\.html$/;

/** The trader's file, and the places of its ledger, recordings and journals. */
interface ReportPlace {
  readonly file: string;
  readonly ledger: { readonly path: string };
  readonly recording: { readonly dir: string };
  readonly journal: { readonly dir: string };
}

/** Makes one report at a time: on the ledger, on a backtest, or on a run compared with its backtests. */
export class Reports {
  readonly #place: ReportPlace;
  readonly #program: string;
  readonly #folder: string;
  #child: ChildProcess | null = null;
  /** Newest progress line of the newest command, or its error with the error's hint. */
  #said = '';
  /** Output of the newest comparison of a run with its backtests; empty before the first comparison. */
  #parity = '';

  constructor(place: ReportPlace, program = PROGRAM) {
    this.#place = place;
    this.#program = program;
    this.#folder = `${place.ledger.path}.reports`;
  }

  view() {
    const { journal, recording } = this.#place;
    return {
      isWorking: this.#child !== null,
      said: this.#said,
      parity: this.#parity,
      journals: list(journal.dir).filter((name) => existsSync(join(journal.dir, name, 'run.json'))),
      reports: list(this.#folder).filter((name) => NAME.test(name)),
      recordings: list(recording.dir).filter((name) => name.startsWith('market=')),
    };
  }

  read(name: string): string | null {
    return NAME.test(name) && existsSync(join(this.#folder, name))
      ? readFileSync(join(this.#folder, name), 'utf8')
      : null;
  }

  /** Starts a report. @param of recording to backtest (null for all), or run to compare with its backtests */
  start(kind: 'ledger' | 'backtest' | 'parity', of: string | null): Acted {
    const { file, recording } = this.#place;
    const { recordings: recorded, journals } = this.view();
    if (this.#child !== null) return { refusal: 'another report is being made', text: '' };
    if (kind === 'parity' ? !journals.includes(of ?? '') : of !== null && !recorded.includes(of))
      return { refusal: `there is no ${kind === 'parity' ? 'journal of run' : 'recording'} ${of}`, text: '' };
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    for (const old of this.view().reports.slice(MOST_REPORTS - 1)) rmSync(join(this.#folder, old), { force: true });
    const name = `${utcText(nowMs()).replaceAll(':', '.')} UTC ${kind}.html`;
    const command = {
      ledger: ['pnl'],
      backtest: ['backtest', '--data', join(recording.dir, of ?? '')],
      parity: ['parity', of ?? ''],
    }[kind];
    const report = kind === 'parity' ? [] : ['--report', join(this.#folder, name)];
    const child = spawn(process.execPath, [...process.execArgv, this.#program, ...command, '-c', file, ...report]);
    let output = '';
    this.#child = child;
    const say = (text: string) => {
      this.#said = `${kind}: ${text}`;
    };
    const fail = (error: unknown) => say(messageOf(error));
    const showProgress = (chunk: Buffer) =>
      say(chunk.toString().trim().replaceAll('\n  ', ' ').split('\n').at(-1)?.trim() ?? '');
    say('reading …');
    child.stderr.on('data', guarded(showProgress, fail));
    const keep = (chunk: Buffer) => {
      output += chunk.toString();
    };
    child.stdout.on('data', guarded(keep, fail));
    child.once('error', fail);
    child.once('close', (code) => {
      this.#child = null;
      if (code !== 0) return;
      this.#said = kind === 'parity' ? `the comparison of run ${of} with its backtests is below` : `${name} is ready`;
      if (kind === 'parity') this.#parity = output;
    });
    try {
      // The low priority keeps the command from slowing the trader.
      if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
    } catch {
      // Ignored: the child process has ended already, or the system forbids a change of priority.
    }
    return { refusal: null, text: 'the report is being made; its progress is below' };
  }

  close(): void {
    this.#child?.kill('SIGKILL');
  }
}

const list = (folder: string): readonly string[] => (existsSync(folder) ? readdirSync(folder).sort().reverse() : []);
