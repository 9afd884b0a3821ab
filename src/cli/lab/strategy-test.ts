/** `twinbook strategies test`: rules for every strategy, and scenarios of its author. */

import { dirname, resolve } from 'node:path';
import type { CheckResult, TriedStrategy } from '../../lab/strategy-checks/generated-market.js';
import { TwinbookError } from '../../shared/base/errors.js';
import { loadConfig } from '../../shell/config/load.js';
import { loadStrategyModule } from '../../shell/config/strategy-module.js';
import { readParams } from '../../trader/strategy/read-params.js';
import { type Answer, command, flag, integerBetween, text, unless, usual, type Values } from '../command.js';
import { type CliIo, EXIT } from '../output/io.js';
import { type Column, table } from '../output/table.js';
import { writeWhole } from '../output/whole-file.js';

type TestFlags = Values<typeof OPTIONS>;

const MARKETS = 20;
const LOOKS = 100;
/** Events have two to five markets each. */
const EVENTS = 10;
const EVENT_LOOKS = 60;

const OPTIONS = {
  scenarios: text('--scenarios <file>', 'books and holdings with the quotes that it shall give'),
  types: unless('--no-types', 'without asking the TypeScript compiler'),
  record: flag('--record', 'write its quotes into the file of scenarios'),
  seed: usual('--seed <n>', 'seed of the generated markets', 1, integerBetween(0, 2 ** 31)),
};

export const strategyTestCommand = command({
  name: 'test',
  help: 'tries a strategy on generated markets and on scenarios',
  args: [['<strategy>', 'a strategy file (.yaml), a module (.ts, .js), or the name of a shipped one']],
  options: OPTIONS,
  answer: async ({ options, args: [name = ''], io }) => {
    if (options.record === true && options.scenarios === undefined)
      throw new TwinbookError('usage', '--record wants --scenarios <file>', 'The quotes are written into that file.');
    return tryStrategy(name, options, io);
  },
});

interface Trial {
  readonly strategy: string;
  readonly on: string;
  readonly checks: readonly CheckResult[];
}

async function tryStrategy(name: string, options: TestFlags, io: CliIo): Promise<Answer> {
  const { checkStrategy } = await import('../../lab/strategy-checks/checks.js');
  const { checkTypes } = await import('../../lab/strategy-checks/checks.js');
  const { askedBy } = await import('../../lab/strategy-checks/generated-market.js');
  const { showEvents } = await import('../../lab/strategy-checks/shown-markets.js');
  const { showMarkets } = await import('../../lab/strategy-checks/shown-markets.js');
  // Invalid input is rejected before any trial.
  if (options.scenarios !== undefined) await readScenarioFile(options.scenarios, io);
  const stopwatch = () => performance.now();
  const trials: Trial[] = [];
  for (const { file, ...tried } of await triedStrategies(name, io)) {
    const { strategy } = tried;
    const ofEvents = strategy.scope === 'event';
    const generated = ofEvents
      ? showEvents(options.seed, EVENTS, EVENT_LOOKS)
      : showMarkets(options.seed, MARKETS, LOOKS, askedBy(tried));
    const on = `${generated.markets.length} generated ${ofEvents ? 'events' : 'markets'}, seed ${options.seed}`;
    const types = file === null || !options.types ? [] : [await checkTypes(file)];
    trials.push({ strategy: strategy.name, on, checks: [...types, ...checkStrategy(tried, generated, stopwatch)] });
    if (options.scenarios !== undefined) {
      trials.push({ strategy: strategy.name, on: options.scenarios, checks: await playScenarios(tried, options, io) });
    }
  }
  const hasFailed = trials.some(({ checks }) => checks.some(({ verdict }) => verdict === 'failed'));
  return {
    data: trials,
    text: (width) => trials.map((trial) => showTrial(trial, width)).join('\n'),
    code: hasFailed ? EXIT.failed : EXIT.ok,
  };
}

const isFile = (name: string): boolean => /\.ya?ml$/.test(name);

/** With the file of a user's module; null for a shipped one. */
type WithFile = TriedStrategy & { readonly file: string | null };

/** All strategies of a file, or a module with its defaults. */
async function triedStrategies(name: string, io: CliIo): Promise<readonly WithFile[]> {
  if (isFile(name)) {
    const { strategies } = await loadConfig(name, { ...io, strategyFileToo: true, feeds: 'any' });
    return strategies.map(({ module: strategy, params, file, moduleName, moduleFiles }) => ({
      strategy,
      params,
      file: moduleFiles.length === 0 ? null : resolve(dirname(file), moduleName),
    }));
  }
  const { strategy, files } = await loadStrategyModule(name, io.cwd);
  const { values, problems } = readParams(strategy, {});
  const file = files.length === 0 ? null : resolve(io.cwd, name);
  if (values !== null) return [{ strategy, params: values, file }];
  const hint = 'A module is tried with its defaults; give the ones it needs in a strategy file, and name that.';
  throw new TwinbookError('strategy_invalid', `${name}: ${JSON.stringify(problems[0])}`, hint);
}

async function readScenarioFile(file: string, io: CliIo) {
  const { readScenarios } = await import('../../shell/config/scenario-file.js');
  return readScenarios(resolve(io.cwd, file), io.cwd);
}

async function playScenarios(tried: TriedStrategy, options: TestFlags, io: CliIo): Promise<readonly CheckResult[]> {
  const { judgeScenarios, quoteScenarios } = await import('../../lab/strategy-checks/scenarios.js');
  const { withQuotes } = await import('../../shell/config/scenario-file.js');
  const name = options.scenarios ?? '';
  const path = resolve(io.cwd, name);
  const file = await readScenarioFile(name, io);
  const said = quoteScenarios(tried, file);
  if (options.record !== true) return judgeScenarios(file, said);
  writeWhole(path, withQuotes(path, said));
  io.err(`wrote the quotes of ${said.length} scenarios into ${name}\n`);
  return judgeScenarios(await readScenarioFile(name, io), said);
}

const COLUMNS: readonly Column<CheckResult>[] = [
  { title: 'VERDICT', cell: ({ verdict }) => verdict },
  { title: 'CHECK', cell: ({ name }) => name, gives: 'fold' },
  { title: 'SEEN', cell: ({ text }) => text, gives: 'fold' },
];

function showTrial({ strategy, on, checks }: Trial, width: number | undefined): string {
  const failed = checks.filter(({ verdict }) => verdict === 'failed').length;
  const summary = failed === 0 ? 'no check failed' : `${failed} of ${checks.length} checks failed`;
  return `${strategy} on ${on}\n\n${table(checks, COLUMNS, width)}\n${summary}\n`;
}
