/** Command `twinbook rehearse`: runs one order on an embedded paper exchange, and with two flags also at the venue. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { TwinbookError } from '../../shared/base/errors.js';
import { plainLine } from '../../shared/base/text.js';
import type { Config } from '../../shell/config/config.js';
import { loadConfig } from '../../shell/config/load.js';
import { command } from '../command.js';
import type { CliIo } from '../io.js';
import * as option from '../options.js';
import { nameMeant } from '../reach.js';
import { json, linesText } from '../table.js';
import { EXIT_OF, type StepLine, step } from './steps.js';

const OPTIONS = {
  live: option.flag('--live', 'rehearse also at the venue: the smallest order, far from the market, canceled at once'),
  iAcceptThatThisTrades: option.flag('--i-accept-that-this-trades', 'required with --live: confirms the real order'),
  market: option.read(
    '--market <name>',
    'market of the order at the venue: its id, or for a market in the ledger the beginning of its id or words of its title (default: the first that a strategy selects)',
    option.nonEmpty,
  ),
  ledger: option.read('--ledger <file>', 'file of the rehearsal’s ledger, never the trader’s own', option.nonEmpty),
  timeout: option.integer('--timeout <s>', 'time limit for the life of each order, s', [5, 3600], 90),
};

type RehearseFlags = option.OptionValues<typeof OPTIONS>;

export const addRehearseCommand = command({
  name: 'rehearse',
  help: 'rehearses the whole life of one small order on an embedded paper exchange, and with --live at the venue',
  config: 'file',
  options: OPTIONS,
  hasJson: true,
  run: async ({ options, file, isJson, io }) => {
    checkFlags(options);
    const steps: StepLine[] = [];
    const note = (line: StepLine): void => {
      steps.push(line);
      if (!isJson) io.out(lineText(line));
    };
    await runSteps(options, file, io, note).catch((error: unknown) => {
      // A failed step has already printed its error.
      if (!(error instanceof TwinbookError) || steps.every((line) => line.result === 'ok')) throw error;
    });
    const { result } = steps.findLast((line) => line.result !== 'ok') ?? { result: 'ok' };
    if (isJson) io.out(json({ result, steps }));
    return EXIT_OF[result];
  },
});

/** Formats a successful step as one line. For a failure, further lines show finding, expectation and advice. */
function lineText({ where, step, result, text, profile, came, draft, todo }: StepLine): string {
  const more = { 'the profile says': profile, received: came, 'the draft': draft, do: todo || undefined };
  const known = Object.entries(more).flatMap(([name, value]) =>
    value === undefined ? [] : [`      ${name}: ${value}`],
  );
  // Control characters are removed, because titles and reasons come from the exchange.
  return linesText([`${result.padEnd(4)}  ${where}  ${step}: ${text}`, ...known].map(plainLine));
}

/** Checks the flags before anything is read or requested, so that a typing error cannot cause a trade. */
function checkFlags({ live, iAcceptThatThisTrades }: RehearseFlags): void {
  const both = '--live places a real order at the venue and cancels it: give --i-accept-that-this-trades too';
  const text = live === true ? both : '--i-accept-that-this-trades applies only with --live';
  const hint = 'Without these two options, the rehearsal runs only on paper and calls no venue.';
  if (live !== iAcceptThatThisTrades) throw new TwinbookError('usage', text, hint);
}

async function runSteps(flags: RehearseFlags, file: string, io: CliIo, note: (line: StepLine) => void): Promise<void> {
  const { atTheVenue, onPaper } = await import('./order-life.js');
  const stop = new AbortController();
  const isStopped = () => stop.signal.aborted;
  const load = () => loadConfig(file, io);
  const { live, ledger, market, timeout } = flags;
  const config = await step({ where: 'paper', note, isStopped }, 'configuration', load, (read) =>
    configurationText(read, flags, io),
  );
  void io.stopAsked().then(() => stop.abort());
  const folder = mkdtempSync(join(tmpdir(), 'twinbook-rehearsal-'));
  try {
    const wanted = market === undefined ? null : await nameMeant(market, config);
    const rehearsal = { config, io, note, isStopped, withinMs: timeout * 1000, market: wanted };
    const own = ledger === undefined ? null : resolve(io.cwd, ledger);
    await onPaper(rehearsal, live === true || own === null ? join(folder, 'paper.sqlite') : own);
    if (live === true) await atTheVenue(rehearsal, own ?? join(folder, 'live.sqlite'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function configurationText(config: Config, { live, ledger }: RehearseFlags, io: CliIo): string {
  if (ledger !== undefined && resolve(io.cwd, ledger) === config.ledger.path) {
    const hint = 'Name another file, or leave --ledger out.';
    throw new TwinbookError('config_invalid', `${ledger} is the trader's own ledger`, hint);
  }
  if (live === true && config.exchange?.embedded === true) {
    const hint = 'Rehearse with the file that the live trader will use, without an `exchange:` section.';
    throw new TwinbookError('config_invalid', 'this configuration has an embedded exchange: there is no venue', hint);
  }
  if (live === true && config.fleet !== null) {
    const hint = 'Rehearse with a file without `fleet:`, and with a wallet that no trader of the fleet has.';
    throw new TwinbookError('config_invalid', 'a rehearsal cannot ask the fleet who owns the wallet', hint);
  }
  const { name, profile } = config.venue;
  return `${config.file}, profile ${name}, drafts are ${profile.draft_message}, ${config.strategies.length} strategy file(s)`;
}
