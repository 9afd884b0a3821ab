/** `twinbook explain ORDER` and `twinbook explain MARKET`. */

import { TwinbookError } from '../../shared/base/errors.js';
import { utcText } from '../../shared/base/utc-text.js';
import type { TraderConfig } from '../../shell/config/config.js';
import { askTrader } from '../../shell/control/control-client.js';
import { explainTrading, prunedText } from '../../shell/daemon/status-text.js';
import type { LedgerReader } from '../../trader/ledger/contract.js';
import { changedCode, command, linesText, momentIn, numberBetween, QUICK_S, read, timeoutOption } from '../command.js';
import { findNamed, marketsNamed } from '../market-meant.js';
import { readLedger } from './ledger-reading.js';

export const explainCommand = command({
  name: 'explain',
  help: 'why this order, at this price; the facts of this fill; or why this market is not quoted, guard by guard',
  args: [
    [
      '<order|fill|market>',
      "the beginning of an order's or a fill's pubkey, an intent's or a market's id, or words of a market's title",
    ],
  ],
  config: 'trader',
  options: {
    timeout: timeoutOption(QUICK_S),
    acceptsChanged: changedCode,
    at: read(
      '--at <time>',
      "of a market: as it was then (UTC, '2026-11-25 21:03:10'), from the run's journal",
      momentIn,
    ),
    gaps: read(
      '--gaps <minutes>',
      'with --at: when it had no order in the minutes before, and why',
      numberBetween(0.1, 10_000),
    ),
  },
  tool: { kind: 'read', options: [] },
  answer: async ({ options: { timeout, acceptsChanged, at, gaps }, config, file, args: [typed = ''], io }) => {
    const subject = await subjectMeant(typed, config);
    const answer = (lines: readonly string[]) => ({ data: { lines }, text: linesText(lines) });
    if (at !== undefined) {
      const { explainPast } = await import('./explain-past.js');
      const { RunCode } = await import('../../lab/replay/run-code.js');
      const { loadConfig } = await import('../../shell/config/load.js');
      const code = new RunCode({ loadFiles: () => loadConfig(file, io), acceptsChanged: acceptsChanged === true });
      return answer(await explainPast({ subject, atMs: at, gapsMs: (gaps ?? 0) * 60_000 }, config.journal.dir, code));
    }
    if (gaps !== undefined)
      throw new TwinbookError('usage', '--gaps looks back from a moment', 'Give --at TIME too, in UTC.');
    return answer(await explainSubject(subject, config, timeout * 1000));
  },
});

/** Orders, fills and intents searched for a shortened name, newest first. */
const LOOKED_AT = 20_000;

/** Full names need no ledger, and a running trader may know a market that is not in it yet. */
async function subjectMeant(typed: string, config: TraderConfig): Promise<string> {
  try {
    return await readLedger(config, (ledger) => subjectIn(ledger, typed) ?? typed);
  } catch (error) {
    if (error instanceof TwinbookError && error.code !== 'usage') return typed;
    throw error;
  }
}

function subjectIn(ledger: LedgerReader, typed: string): string | null {
  if ([ledger.order(typed), ledger.fill(typed), ledger.intent(typed)].some((row) => row !== null)) return typed;
  const orders = ledger.orders({ limit: LOOKED_AT }).map(({ pubkey }) => ({ id: pubkey, title: '' }));
  const intents = ledger.intents({ limit: LOOKED_AT }).map(({ id }) => ({ id, title: '' }));
  const fills = ledger.fills({ limit: LOOKED_AT }).map(({ pubkey }) => ({ id: pubkey, title: '' }));
  const named = [...marketsNamed(ledger), ...orders, ...fills, ...intents];
  return findNamed(typed, named, 'markets, orders, fills and intents');
}

/** The running trader knows most; without it the ledger still has the reason of an order. */
async function explainSubject(subject: string, config: TraderConfig, timeoutMs: number): Promise<readonly string[]> {
  try {
    const { lines } = await askTrader({ command: 'explain', subject }, { socket: config.control.socket, timeoutMs });
    return [...lines, ...(await readLedger(config, (ledger) => savedLines(ledger, subject)).catch(() => []))];
  } catch (error) {
    if (!(error instanceof TwinbookError) || error.code !== 'not_running') throw error;
    return readLedger(config, (ledger) => linesFromLedger(ledger, subject)).catch(orElse(error));
  }
}

/** Figures and texts that strategies saved of a market under `shown`. */
function savedLines(ledger: LedgerReader, market: string): readonly string[] {
  return ledger
    .strategyStates()
    .filter(({ marketConditionId }) => marketConditionId === market)
    .flatMap(({ strategy, text, savedMs }) => {
      const shown = Object.entries(Object(Object(JSON.parse(text)).shown)).filter(
        ([, value]) => value === null || typeof value === 'number' || typeof value === 'string',
      );
      const lines = shown.map(([name, value]) => `  ${name}: ${typeof value === 'number' ? round(value) : value}`);
      return lines.length === 0 ? [] : [`${strategy} saved at ${utcText(savedMs)} UTC:`, ...lines];
    });
}

const round = (value: number): number => Number(value.toPrecision(6));

/** For an unreadable ledger the error only reports that no trader runs. */
const orElse =
  (error: TwinbookError) =>
  (failure: unknown): never => {
    const isTold = failure instanceof TwinbookError && (failure.code === 'usage' || failure.code === 'not_running');
    throw isTold ? failure : error;
  };

/** Throws `usage` or `not_running` for subjects that the ledger alone cannot explain. */
function linesFromLedger(ledger: LedgerReader, subject: string): readonly string[] {
  const lines = explainTrading(ledger, subject) ?? savedLines(ledger, subject);
  if (lines.length > 0) return [...lines, 'The trader is not running: this is what the ledger kept.'];
  if (ledger.market(subject) !== null) {
    const hint =
      'With --at TIME it is explained as it was then, from the journal of its run; `twinbook start` begins one.';
    throw new TwinbookError('not_running', 'a market is explained by the running trader, and none is running', hint);
  }
  const hint =
    '`twinbook orders`, `fills` and `markets` list them; a market that is not in it a running trader may know.';
  throw new TwinbookError(
    'usage',
    `${subject} is no order, fill, intent or market in the ledger${prunedText(ledger)}`,
    hint,
  );
}
