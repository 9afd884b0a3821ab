/** `twinbook replay RUN`: decides a recorded run again and compares every request. */

import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { BRACKET, USUAL_LANDING_MS } from '../../lab/backtest/plan.js';
import type { ParityResult } from '../../lab/parity/parity.js';
import type { Difference } from '../../lab/replay/compare.js';
import type { ReplayedTrader, ReplayResult } from '../../lab/replay/replay.js';
import { TwinbookError } from '../../shared/base/errors.js';
import { utcText } from '../../shared/base/utc-text.js';
import { isStrategyFileAt, loadConfig } from '../../shell/config/load.js';
import type { RunJournal } from '../../shell/journal/runs.js';
import { type Answer, command, flag, text, type Values } from '../command.js';
import { type CliIo, EXIT } from '../output/io.js';
import { record } from '../output/table.js';
import { fillModelOption } from './backtest.js';
import { backtestRun, makeRunCode, openRun, RUN_ARGUMENT, RUN_OPTIONS, sidesText, traderOfNow } from './side-table.js';

type Replayed = Awaited<ReturnType<typeof replayNamed>>;

const OPTIONS = {
  asRecorded: flag('--as-recorded', "with the run's own settings, whatever its files say now"),
  play: text(
    '--play <file>',
    "play another configuration over the run's market in a backtest: a strategy file, or a trader's file",
    'asRecorded',
    'acceptChangedCode',
  ),
  fillModel: fillModelOption(BRACKET),
  ...RUN_OPTIONS,
};

type ReplayFlags = Values<typeof OPTIONS>;

export const addReplayCommand = command({
  name: 'replay',
  args: [['<run>', RUN_ARGUMENT]],
  help: 'repeats the decisions of a recorded run from its inputs, and compares every request',
  options: OPTIONS,
  answer: async ({ options, args: [name = ''], isJson, io }): Promise<Answer> => {
    if (options.play !== undefined)
      return playOverRun(openRun(name, options.config, io), options.play, options, isJson, io);
    if (options.fillModel !== undefined) {
      const hint = 'Add --play FILE, or leave --fill-model out.';
      throw new TwinbookError('usage', '--fill-model applies only to --play', hint);
    }
    const replayed = await replayNamed(name, options, isJson, io);
    const code = replayed.result.difference === null ? EXIT.ok : EXIT.difference;
    return { data: makeReplayRow(replayed), text: () => formatReplay(replayed), code };
  },
});

async function replayNamed(name: string, flags: ReplayFlags, isJson: boolean, io: CliIo) {
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
  if (!isJson && changes.length > 0) io.out(changesText(changes));
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

/** Plays another configuration on the market that the run saw. */
async function playOverRun(
  run: RunJournal,
  file: string,
  { fillModel }: ReplayFlags,
  isJson: boolean,
  io: CliIo,
): Promise<Answer> {
  const trader = await loadOther(run, file, io);
  const asked = { trader, isOther: true, latency: null, seed: 1, landingMs: USUAL_LANDING_MS };
  const played = await backtestRun(run, asked, fillModel, isJson, io);
  const text = (width: number | undefined) => sidesText(run, played, { before: [['played', file]] }, width);
  return { data: makePlayedRow(run, file, played), text };
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
  const { readStrategyFile, withCode } = await import('../../shell/config/load.js');
  const feeds = description.feeds.map(({ name }) => name);
  const loaded = await readStrategyFile(path, { limits: description.risk, feeds }, io.cwd);
  return traderWith(description, loaded === null ? [] : [withCode(loaded.config)]);
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
