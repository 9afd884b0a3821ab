/** `twinbook replay RUN --play OTHER.yaml`: another configuration on the market that a recorded run saw. */

import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { BRACKET, USUAL_LANDING_MS } from '../../lab/backtest/plan.js';
import type { ParityResult } from '../../lab/parity/parity.js';
import type { ReplayedTrader } from '../../lab/replay/contract.js';
import { TwinbookError } from '../../shared/base/errors.js';
import { utcText } from '../../shared/base/utc-text.js';
import { isStrategyFileAt, loadConfig } from '../../shell/config/load.js';
import type { RunJournal } from '../../shell/journal/contract.js';
import { limitsOfThen } from '../../trader/risk/limits.js';
import type { CliIo } from '../output/io.js';
import { json, prose, record } from '../output/table.js';
import { type FillModelFlag, resolveFillModels } from './fill-model-option.js';
import { ProgressLine } from './progress.js';
import { marketTable, sideTable } from './side-table.js';

export interface PlayFlags extends FillModelFlag {
  readonly play?: string;
  readonly json?: true;
}

/** Returns the text to print. */
export async function playOverRun(run: RunJournal, file: string, flags: PlayFlags, io: CliIo): Promise<string> {
  const { runParity } = await import('../../lab/parity/parity.js');
  const { checkFillModels } = await import('../../lab/backtest/open-sources.js');
  const fillModels = checkFillModels(resolveFillModels(flags, BRACKET, io.cwd));
  const trader = await loadOther(run, file, io);
  const line = new ProgressLine(io, flags.json === true);
  try {
    const played = await runParity(run, {
      trader,
      isOther: true,
      fillModels,
      recorded: null,
      latency: null,
      seed: 1,
      landingMs: USUAL_LANDING_MS,
      progress: (share, what) => line.show(share, what),
    });
    return flags.json === true ? json(makeRow(run, file, played)) : format(run, file, played, io.columns);
  } finally {
    line.end();
  }
}

/** A strategy file runs within the settings and limits of the run; a trader's file brings its own. */
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

function makeRow({ description, folder, warnings }: RunJournal, file: string, played: ParityResult): object {
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

function format({ folder, warnings }: RunJournal, file: string, played: ParityResult, width?: number): string {
  const { parity, liveRun, data, latency } = played;
  const facts = record(
    [
      ['run', basename(folder)],
      ['span', `${utcText(liveRun.fromMs)} to ${utcText(liveRun.toMs)} UTC`],
      ['played', file],
      ...data.map((line) => ['data', line] as const),
      ['latency', latency],
    ],
    width,
  );
  const remarks = [...warnings, ...parity.remarks].map((remark) => `! ${remark}\n`).join('');
  const parts = [facts, sideTable(parity, width), marketTable(parity, [], width), prose(remarks, width, '  ')];
  return parts.join('\n').replace(/[^\P{C}\n]/gu, '?');
}
