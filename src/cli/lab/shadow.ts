/** `twinbook shadow RUN`: strategies beside a run that goes on, or over one that is over, without sending anything. */

import { basename, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import type { RunPicture } from '../../lab/backtest/contract.js';
import { BRACKET, USUAL_LANDING_MS } from '../../lab/backtest/plan.js';
import type { ReplayedTrader } from '../../lab/replay/contract.js';
import { count, formatGain, formatShares } from '../../lab/report/figures.js';
import type { ShadowResult } from '../../lab/shadow/shadow.js';
import { formatDecimal } from '../../shared/base/decimal.js';
import type { Micros } from '../../shared/base/micros.js';
import { utcText } from '../../shared/base/utc-text.js';
import { isStrategyFileAt, loadConfig } from '../../shell/config/load.js';
import type { RunJournal } from '../../shell/journal/contract.js';
import { lastWrittenMs, type WaitForMore } from '../../shell/journal/follow-run.js';
import { nowMs } from '../../shell/runtime/clock.js';
import type { MarketSnapshot } from '../../trader/engine/snapshot.js';
import { limitsOfThen } from '../../trader/risk/limits.js';
import { integerBetween } from '../arguments.js';
import { EXIT } from '../output/exit.js';
import { addAction, addJsonOption, type CliIo, type Session } from '../output/io.js';
import { type Column, json, prose, record, table } from '../output/table.js';
import { writeWhole } from '../output/whole-file.js';
import { type FillModelFlag, fillModelOption, resolveFillModels } from './fill-model-option.js';
import { openRun, RUN_ARGUMENT } from './run-option.js';
import { sideTable } from './side-table.js';

interface ShadowFlags extends FillModelFlag {
  readonly config: string;
  readonly runsOf?: string;
  readonly now?: true;
  readonly every: number;
  readonly latency?: string;
  readonly seed: number;
  readonly landingMs: number;
  readonly report?: string;
  readonly json?: true;
}

/** A trader writes its journal once a second; one that has not for so long has ended, or stands still. */
const STANDS_STILL_MS = 60_000;
const LOOK_AGAIN_MS = 500;

export function addShadowCommand(program: Command, session: Session): void {
  const command = program
    .command('shadow')
    .argument('[run]', RUN_ARGUMENT, 'last')
    .description(
      'runs strategies beside a run, on what that sees, without sending anything: quotes, and fills as a backtest counts them',
    )
    .requiredOption(
      '-c, --config <file>',
      "the strategy file to run, within the run's own settings; or a trader's file",
    )
    .option(
      '--runs-of <file>',
      "the trader's configuration file whose journal.dir has the run (default: config/paper.yaml)",
    )
    .option('--now', 'up to what the journal holds now, also of a run that goes on')
    .addOption(
      new Option('--every <s>', 'seconds between two looks at what it quotes')
        .default(10)
        .argParser(integerBetween(1, 86_400)),
    )
    .addOption(fillModelOption(BRACKET))
    .option('--latency <model>', "round trips: constant:MS or recorded, scaled by :xK (default: the run's own)")
    .addOption(
      new Option('--seed <n>', 'seed of latencies and ids').default(1).argParser(integerBetween(0, 2 ** 32 - 1)),
    )
    .addOption(
      new Option('--landing-ms <n>', 'how long merges take')
        .default(USUAL_LANDING_MS)
        .argParser(integerBetween(0, 600_000)),
    )
    .option('--report <file>', 'at the end write the live run and the shadow side by side as a report, one HTML file');
  addJsonOption(command);
  addAction<ShadowFlags>(command, session, async (flags, [name = 'last']) => {
    const { io } = session;
    const run = openRun(name, flags.runsOf, io);
    // Loaded first: the program may be replaced while the run goes on.
    const { reportHtml } = await import('../../lab/report/html/report-html.js');
    const result = await shadowRun(run, flags, io);
    const { sessions, analyses } = result;
    if (flags.report !== undefined) writeWhole(resolve(io.cwd, flags.report), reportHtml({ sessions }, analyses));
    io.out(flags.json === true ? json(makeRow(run, flags.config, result)) : formatResult(run, result, io.columns));
    if (flags.report !== undefined && flags.json !== true) io.out(`report: ${flags.report}\n`);
    return EXIT.ok;
  });
}

async function shadowRun(run: RunJournal, flags: ShadowFlags, io: CliIo): Promise<ShadowResult> {
  const { runShadow } = await import('../../lab/shadow/shadow.js');
  const { checkFillModels } = await import('../../lab/backtest/open-sources.js');
  const pictures = new Pictures(flags, io);
  const stopped = { asked: false };
  const stop = io.stopAsked().then(() => {
    stopped.asked = true;
  });
  const more: WaitForMore = async () => {
    if (flags.now === true || stopped.asked || standsStill(run.folder)) return false;
    pictures.show();
    await Promise.race([sleep(LOOK_AGAIN_MS), stop]);
    return !stopped.asked;
  };
  return runShadow(run, {
    trader: await shadowTrader(run, flags.config, io),
    fillModels: checkFillModels(resolveFillModels(flags, BRACKET, io.cwd)),
    latency: flags.latency ?? null,
    seed: flags.seed,
    landingMs: flags.landingMs,
    more,
    onStart: (model, look) => pictures.add(model, look),
  });
}

const standsStill = (folder: string): boolean => nowMs() - (lastWrittenMs(folder) ?? nowMs()) > STANDS_STILL_MS;

/** A strategy file is run within the settings and the limits of the run; a trader's file brings its own. */
async function shadowTrader(run: RunJournal, file: string, io: CliIo): Promise<ReplayedTrader> {
  const { traderNow, traderWith } = await import('../../lab/replay/run-settings.js');
  const { description } = run;
  if (!isStrategyFileAt(file, io.cwd)) return traderNow(await loadConfig(file, io), description);
  const { loadStrategyFile } = await import('../../shell/config/strategy-file.js');
  const limits = limitsOfThen(description.risk);
  const feeds = (description.feeds ?? []).map(({ name }) => name);
  const loaded = await loadStrategyFile(resolve(io.cwd, file), { limits, feeds }, io.cwd);
  return traderWith(description, loaded === null ? [] : [loaded.config]);
}

/** What the shadow quotes, told now and then while the run goes on. */
class Pictures {
  readonly #flags: ShadowFlags;
  readonly #io: CliIo;
  readonly #looks: { readonly model: string; readonly look: () => RunPicture }[] = [];
  #shownMs = Number.NEGATIVE_INFINITY;

  constructor(flags: ShadowFlags, io: CliIo) {
    this.#flags = flags;
    this.#io = io;
  }

  add(model: string, look: () => RunPicture): void {
    this.#looks.push({ model, look });
  }

  show(): void {
    if (this.#flags.json === true || this.#looks.length === 0) return;
    if (nowMs() - this.#shownMs < this.#flags.every * 1000) return;
    this.#shownMs = nowMs();
    const pictures = this.#looks.map(({ model, look }) => ({ model, ...look() }));
    this.#io.out(formatPicture(pictures, this.#io.columns));
  }
}

type ModelPicture = RunPicture & { readonly model: string };

function formatPicture(pictures: readonly ModelPicture[], width?: number): string {
  const [first] = pictures;
  const modelColumns: readonly Column<ModelPicture>[] = [
    { title: 'FILL MODEL', cell: ({ model }) => model },
    { title: 'FILLS', cell: ({ snapshot }) => count(snapshot.fills), right: true },
    { title: 'RESULT', cell: ({ snapshot }) => formatGain(snapshot.resultMicros), right: true },
    { title: 'OPEN ORDERS', cell: ({ snapshot }) => count(snapshot.openOrders), right: true },
    { title: 'MODE', cell: ({ snapshot }) => snapshot.mode },
  ];
  const models = table(pictures, modelColumns, width);
  if (first === undefined) return models;
  const columns: readonly Column<MarketSnapshot>[] = [
    {
      title: `MARKET (${first.model})`,
      cell: ({ title }) => (title.length > 40 ? `${title.slice(0, 39)}…` : title),
      gives: 'cut',
    },
    { title: 'BID', cell: ({ bidMicros }) => formatPrice(bidMicros), right: true },
    { title: 'FAIR', cell: ({ fairMicros }) => formatPrice(fairMicros), right: true },
    { title: 'ASK', cell: ({ askMicros }) => formatPrice(askMicros), right: true },
    { title: 'NET', cell: (market) => formatShares(market.yesMicros - market.noMicros), right: true },
    { title: 'NOTE', cell: ({ note }) => note, gives: 'cut', keep: 50 },
  ];
  const quotes = table(first.snapshot.markets, columns, width);
  return `${utcText(first.nowMs)} UTC\n${models}${quotes}\n`.replace(/[^\P{C}\n]/gu, '?');
}

const formatPrice = (price: Micros | null): string => (price === null ? '–' : formatDecimal(price));

function makeRow({ description, folder, warnings }: RunJournal, config: string, result: ShadowResult): object {
  const { liveRun, sides, markets, remarks, analyses, latency } = result;
  return {
    run: description.runId,
    folder,
    config,
    warnings,
    from_ms: liveRun.fromMs,
    to_ms: liveRun.toMs,
    latency,
    sides,
    markets: markets.map(({ conditionId, title, sides: ofMarket }) => ({ conditionId, title, sides: ofMarket })),
    remarks,
    analyses,
  };
}

function formatResult(
  { folder }: RunJournal,
  { liveRun, latency, sides, markets, remarks }: ShadowResult,
  width?: number,
): string {
  const pairs: Parameters<typeof record>[0] = [
    ['run', basename(folder)],
    ['span', `${utcText(liveRun.fromMs)} to ${utcText(liveRun.toMs)} UTC`],
    ['latency', latency],
  ];
  const columns: readonly Column<(typeof markets)[number]>[] = [
    {
      title: 'Shares filled in',
      cell: ({ title }) => (title.length > 50 ? `${title.slice(0, 49)}…` : title),
      gives: 'cut',
    },
    ...sides.map(({ name }, index) => ({
      title: name,
      cell: (market: (typeof markets)[number]) => formatShares(market.sides[index]?.sharesMicros ?? 0),
      right: true,
      keep: 50 - index,
    })),
  ];
  const lines = prose(remarks.map((remark) => `! ${remark}\n`).join(''), width, '  ');
  return [record(pairs, width), sideTable({ sides }, width), table(markets, columns, width), lines]
    .join('\n')
    .replace(/[^\P{C}\n]/gu, '?');
}
