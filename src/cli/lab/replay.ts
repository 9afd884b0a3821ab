/** `twinbook replay RUN`: decides a recorded run again and compares every request. */

import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { BRACKET, USUAL_LANDING_MS } from '../../lab/backtest/plan.js';
import type { ParityResult } from '../../lab/parity/parity.js';
import type { Difference } from '../../lab/replay/compare.js';
import type { ReplayedTrader, ReplayResult } from '../../lab/replay/replay.js';
import { TwinbookError } from '../../shared/base/errors.js';
import { utcText } from '../../shared/base/utc-text.js';
import { isStrategyFileAt, loadConfig } from '../../shell/config/load.js';
import type { RunJournal } from '../../shell/journal/contract.js';
import { limitsOfThen } from '../../trader/risk/limits.js';
import { EXIT } from '../output/exit.js';
import { addAction, addJsonOption, type CliIo, type Session } from '../output/io.js';
import { json, record } from '../output/table.js';
import { type FillModelFlag, fillModelOption } from './fill-model-option.js';
import { makeRunCode, openRun, RUN_ARGUMENT, type RunFlags, traderOfNow, withRunConfig } from './run-option.js';
import { backtestRun, sidesText } from './side-table.js';

interface ReplayFlags extends RunFlags, FillModelFlag {
  readonly asRecorded?: true;
  readonly play?: string;
  readonly json?: true;
}

interface Replayed {
  readonly run: RunJournal;
  /** Reasons for differing decisions. */
  readonly changes: readonly string[];
  readonly result: ReplayResult;
}

export function addReplayCommand(program: Command, session: Session): void {
  const command = program
    .command('replay')
    .argument('<run>', RUN_ARGUMENT)
    .description('decides a recorded run once more from what it saw, and compares every request that it made')
    .option('--as-recorded', "with the run's own settings, whatever its files say now")
    .addOption(
      new Option(
        '--play <file>',
        "play another configuration over the run's market in a backtest: a strategy file, or a trader's file",
      ).conflicts(['asRecorded', 'acceptChangedCode']),
    )
    .addOption(fillModelOption(BRACKET));
  addJsonOption(withRunConfig(command));
  addAction<ReplayFlags>(command, session, async (flags, [name = '']) => {
    if (flags.play !== undefined) {
      session.io.out(await playOverRun(openRun(name, flags.config, session.io), flags.play, flags, session.io));
      return EXIT.ok;
    }
    if (flags.fillModel !== undefined) {
      const hint = 'Add --play FILE, or leave --fill-model out.';
      throw new TwinbookError('usage', '--fill-model applies only to --play', hint);
    }
    const replayed = await replayNamed(name, flags, session.io);
    session.io.out(flags.json === true ? json(makeReplayRow(replayed)) : formatReplay(replayed));
    return replayed.result.difference === null ? EXIT.ok : EXIT.difference;
  });
}

async function replayNamed(name: string, flags: ReplayFlags, io: CliIo): Promise<Replayed> {
  const run = openRun(name, flags.config, io);
  const { changesSince, traderThen } = await import('../../lab/replay/run-settings.js');
  const { replayRun } = await import('../../lab/replay/replay-run.js');
  const code = makeRunCode(name, flags, io);
  const trader =
    flags.asRecorded === true
      ? await traderThen(run.description, code)
      : await traderOfNow(run, name, flags.config, io);
  const changes = changesSince(run.description, trader);
  // Before the replay itself, which may take long.
  if (flags.json !== true && changes.length > 0) io.out(changesText(changes));
  return { run, changes, result: await replayRun(run, { trader, code }) };
}

const changesText = (changes: readonly string[]): string =>
  `decisions may differ, because\n${changes.map((change) => `  ${change}\n`).join('')}`;

function makeReplayRow({ run, changes, result }: Replayed): object {
  const { description, end, warnings } = run;
  return {
    run: description.runId,
    folder: run.folder,
    version: description.version,
    config_hash: description.configHash,
    started_ms: description.startedMs,
    from_ms: result.fromMs,
    to_ms: result.toMs,
    complete: isComplete(run),
    ended: end,
    warnings,
    changes,
    exact: result.difference === null,
    steps: result.steps,
    repeated_steps: result.repeatedSteps,
    requests: result.requests,
    repeated_requests: result.repeatedRequests,
    signatures: result.signatures,
    difference: result.difference,
  };
}

const isComplete = ({ end }: RunJournal): boolean => end !== null && end.stoppedEarly === null;

function formatReplay({ run, changes, result }: Replayed): string {
  const { steps, requests, signatures, fromMs, toMs, difference } = result;
  const span = fromMs === null || toMs === null ? 'nothing was seen' : `${utcText(fromMs)} to ${utcText(toMs)} UTC`;
  const facts = record([
    ['run', basename(run.folder)],
    ['journal', `${span}, ${endText(run)}`],
    ...run.warnings.map((warning) => ['warning', warning] as const),
    ['steps', steps],
    ['requests', requests],
    ['signatures', signatures],
    ['repeated', shareText(result)],
  ]);
  return difference === null ? facts : `${facts}\n${differenceText(difference, changes)}`;
}

function endText({ end }: RunJournal): string {
  if (end === null) return 'it was cut off, or the run goes on';
  return end.stoppedEarly === null ? 'complete' : `it ends before the run did: ${end.stoppedEarly}`;
}

function shareText({ difference, steps, repeatedSteps, requests, repeatedRequests }: ReplayResult): string {
  if (difference === null) return steps === 0 ? 'there is nothing to repeat' : '100 %: every decision is the same';
  // Never rounded up to 100.
  const share = (part: number, all: number) => (all === 0 ? 0 : Math.floor((10_000 * part) / all) / 100).toFixed(2);
  return `${share(repeatedSteps, steps)} % of the steps, ${share(repeatedRequests, requests)} % of the requests, until they differ`;
}

function differenceText(difference: Difference, changes: readonly string[]): string {
  const { step, timeMs, observation, what, recorded, replayed, fields } = difference;
  const time = new Date(timeMs).toISOString().slice(0, 23).replace('T', ' ');
  const list = (lines: readonly string[]) => (lines.length === 0 ? ['  nothing'] : lines.map((line) => `  ${line}`));
  const lines = [
    `The first difference is in step ${step}, ${time} UTC: ${what}.`,
    ...['seen:', `  ${observation}`],
    ...['asked then:', ...list(recorded), 'asked now:', ...list(replayed)],
    ...(fields.length === 0 ? [] : ['in particular:']),
    ...fields.map(
      ({ path, ...values }) => `  ${path}: ${values.recorded ?? 'nothing'} then, ${values.replayed ?? 'nothing'} now`,
    ),
    ...(changes.length > 0 ? [] : [UNEXPLAINED]),
  ];
  return `${lines.join('\n').replace(/[^\P{C}\n]/gu, '?')}\n`;
}

/** Purpose of a replay: equal code and observations must give equal decisions. */
const UNEXPLAINED =
  'Neither settings nor strategy files have changed since: the code of twinbook itself has, or a strategy decides by something else than what it is given, such as a clock or a random number.';

/** Plays another configuration on the run's market data. Returns the text to print. */
async function playOverRun(run: RunJournal, file: string, flags: ReplayFlags, io: CliIo): Promise<string> {
  const trader = await loadOther(run, file, io);
  const asked = { trader, isOther: true, latency: null, seed: 1, landingMs: USUAL_LANDING_MS };
  const played = await backtestRun(run, asked, flags, io);
  if (flags.json === true) return json(makePlayedRow(run, file, played));
  return sidesText(run, played, { before: [['played', file]] }, io.columns);
}

/** A strategy file uses the run's settings and limits; a trader's file has its own. */
async function loadOther(run: RunJournal, file: string, io: CliIo): Promise<ReplayedTrader> {
  const { traderNow, traderWith } = await import('../../lab/replay/run-settings.js');
  const path = resolve(io.cwd, file);
  if (!existsSync(path)) {
    const hint = "Name a strategy file or a trader's file, e.g. config/strategies/crowd-maker.yaml.";
    throw new TwinbookError('config_invalid', `--play ${file}: no such file`, hint);
  }
  const { description } = run;
  if (!isStrategyFileAt(file, io.cwd)) return traderNow(await loadConfig(file, io), description);
  const { loadStrategyFile } = await import('../../shell/config/strategy-file.js');
  const feeds = (description.feeds ?? []).map(({ name }) => name);
  const loaded = await loadStrategyFile(path, { limits: limitsOfThen(description.risk), feeds }, io.cwd);
  return traderWith(description, loaded === null ? [] : [loaded.config]);
}

function makePlayedRow({ description, folder, warnings }: RunJournal, file: string, played: ParityResult): object {
  const { parity, liveRun, data, latency } = played;
  return {
    run: description.runId,
    folder,
    played: file,
    warnings,
    from_ms: liveRun.fromMs,
    to_ms: liveRun.toMs,
    data,
    latency,
    sides: parity.sides,
    markets: parity.markets.map(({ conditionId, title, sides }) => ({ conditionId, title, sides })),
    remarks: parity.remarks,
  };
}
