/** Commands that act on the running trader through its control socket, or at the exchange if the trader hangs. */

import { type ErrorCode, messageOf, TwinbookError } from '../shared/base/errors.js';
import { utcText } from '../shared/base/text.js';
import {
  OPERATOR_COMMANDS,
  type OperatorName,
  type OperatorRow,
  operatorRequest,
} from '../shared/protocol/operator-commands.js';
import type { TraderConfig } from '../shell/config/config.js';
import { explainLines } from '../shell/console/views/explain-view.js';
import { askOwner, askTrader, findSilent, type Unreached } from '../shell/control/control-client.js';
import type { CancelAllData, ControlData, ControlQuestion } from '../shell/control/control-protocol.js';
import { prunedText } from '../shell/daemon/status-text.js';
import type { LedgerReader } from '../trader/ledger/contract.js';
import { ENDED_PROVEN } from '../trader/ledger/tables.js';
import { type AddCommand, all, type CommandOutput, command, modeText, type Tool } from './command.js';
import { type CliIo, EXIT, type ExitCode, reportFailure } from './io.js';
import * as option from './options.js';
import {
  askThere,
  countOrders,
  findNamed,
  marketsNamed,
  nameMeant,
  reachTrader,
  readLedger,
  silenceText,
  valueOn,
  withVenue,
} from './reach.js';
import { linesText } from './table.js';

/** Commands whose answer is the trader's new mode, such as `resume`, in the order of the help. */
const MODE_NAMES = ['widen', 'reduce-only', 'pause', 'resume', 'flatten', 'unkill'] as const;

function modeCommand(name: (typeof MODE_NAMES)[number]): AddCommand {
  const { help, reason: wanted, marketButton }: OperatorRow = OPERATOR_COMMANDS[name];
  const why = 'reason why the trader may trade again, recorded in the ledger';
  const reason =
    wanted === 'required'
      ? option.required('--reason <text>', why, option.nonEmpty)
      : option.read('--reason <text>', 'reason for this command, recorded in the ledger', option.nonEmpty);
  const market = option.text('--market <name>', 'only this market: id, beginning of the id, or words of the title');
  return command({
    name,
    help,
    config: 'trader',
    options: {
      timeout: option.timeout(option.QUICK_S),
      ...(wanted === 'none' ? {} : { reason }),
      ...(marketButton === undefined ? {} : { market }),
    },
    ...toolOf(name),
    answer: async ({ options, config }) => {
      const one = options.market === undefined ? null : await nameMeant(options.market, config);
      const asked = operatorRequest(name, { reason: options.reason ?? '', sender: 'operator', market: one });
      // The cast is right: the table of operator commands determines the fields of each request.
      const request = asked as Extract<ControlQuestion, { command: typeof name }>;
      const data: ControlData['resume'] = await askThere(request, config, { timeoutMs: options.timeout * 1000 });
      // The command may concern one market, but the printed mode is that of the whole trader.
      const more = one === null ? '' : `; to see this market, run \`twinbook explain ${one}\``;
      return { data, text: linesText([`${modeText(data)}${more}`, ...(data.notes ?? [])]) };
    },
  });
}

const stopCommand = command({
  name: 'stop',
  help: 'cancels all orders, verifies that none rests, and ends the trader; exit code 1 if orders may rest',
  config: 'trader',
  options: { timeout: option.timeout(option.SLOW_S) },
  answer: async ({ options: { timeout }, config }) => {
    await askThere({ command: 'stop' }, config, { timeoutMs: timeout * 1000, untilGone: true });
    const data = await readLedger(config, (ledger) => {
      const { open, unknown } = countOrders(ledger);
      return { mode: 'stopped', reason: ledger.runs(1)[0]?.note ?? '', may_rest: open + unknown };
    });
    if (data.may_rest === 0 && data.reason === ENDED_PROVEN) return { data, text: 'stopped; no order is left open\n' };
    const left = data.may_rest === 0 ? 'orders' : `${data.may_rest} orders`;
    const text = `stopped, but ${left} may still rest: run \`twinbook cancel-all --verify\`\n`;
    return { data, text, code: EXIT.failed };
  },
});

/** `verify`: whether two reads of the exchange must show that no order rests. */
type Cancelling = Readonly<{ config: TraderConfig; io: CliIo; timeoutMs: number; verify: boolean }>;

const cancelAllCommand = command({
  name: 'cancel-all',
  help: OPERATOR_COMMANDS['cancel-all'].help,
  config: 'trader',
  options: {
    verify: option.flag('--verify', 'read our orders twice to verify that no order rests; exit code 1 if one rests'),
    timeout: option.timeout(option.SLOW_S),
  },
  ...toolOf('cancel-all'),
  answer: async ({ options, config, io }) => {
    const asked = { config, io, timeoutMs: options.timeout * 1000, verify: options.verify === true };
    const { data, isChecked } = await cancelAll(asked);
    const code = !isChecked || isClean(data) ? EXIT.ok : EXIT.failed;
    return { data, text: `${cancelAllText(data, isChecked)}\n`, code };
  },
});

/** Cancels all orders. `isChecked`: whether the data shows if an order may rest. */
async function cancelAll(asked: Cancelling) {
  const { config, io, timeoutMs, verify } = asked;
  const found = await askOrPass({ command: 'cancel-all', verify }, config, { timeoutMs, lost: ['not_running'] });
  if ('answer' in found) return { data: found.answer, isChecked: verify };
  if (found.reach === 'not running') {
    io.err('The trader is not running; canceling at the exchange directly.\n');
    return cancelAlone(asked);
  }
  return cancelPast(asked, 'cancel-all: the trader did not answer', found.reach);
}

const orders = (count: number): string => `${count} order${count === 1 ? '' : 's'}`;

function cancelAllText(data: CancelAllData, isChecked: boolean): string {
  if (!isChecked) return `asked to cancel ${orders(data.asked)}`;
  if (isClean(data)) return `canceled ${orders(data.asked)}; two reads show that none rests`;
  if (data.resting === 0) return `asked to cancel ${orders(data.asked)}; it is not proven that none rests`;
  return `${orders(data.resting)} still open after ${data.asked} cancel requests`;
}

const isClean = ({ resting, verified }: CancelAllData): boolean => resting === 0 && verified;

/** Cancels without a trader. Unless `retries`, throws `venue_…` if no order can be read or canceled. */
async function cancelAlone(options: Cancelling, retries = false) {
  const { cancelDirectly, cancelUntilNothingRests } = await import('../shell/daemon/direct-cancel.js');
  const { config, io, verify, timeoutMs } = options;
  // The reads continue until no new order appears: lists may lag, and late requests may arrive.
  const patience = { withinMs: timeoutMs, pauseMs: 2_000 };
  return withVenue(config, io, async (venue) => {
    const asked = new Set<string>();
    const first = retries ? null : await cancelDirectly({ ...venue, verify: false }, asked);
    const last = first === null || verify ? await cancelUntilNothingRests(venue, patience, asked) : first;
    const { trouble, ...data }: CancelAllData & { readonly trouble?: unknown } = last;
    if (trouble !== undefined) reportFailure(trouble, io);
    // The orders of a ledger that belongs to another wallet may rest.
    const { checkOwner } = await import('../shell/daemon/session.js');
    const check = (ledger: LedgerReader) => checkOwner(config, ledger, venue.wallet.address);
    const other: unknown = await readLedger(config, check).catch((error) => error);
    const isForeign = other instanceof TwinbookError && other.code === 'key_invalid';
    if (isForeign) reportFailure(other, io);
    return { data: { ...data, verified: data.verified && !isForeign }, isForeign, isChecked: verify || isForeign };
  });
}

/** Writes a stop file, so that a hanging trader cannot quote again, and cancels its orders at the exchange. */
async function cancelPast(asked: Cancelling, reason: string, reach: Unreached) {
  const { config, io } = asked;
  const killed = await leaveMark(config, reason, reach, io);
  const hangs = reach !== 'not running';
  if (hangs && config.exchange?.embedded === true) {
    io.err("  The embedded exchange hangs with its trader: end the trader's process, then cancel again.\n");
    return { data: { asked: 0, resting: 0, verified: false }, isForeign: false, isChecked: true, killed };
  }
  return { ...(await cancelAlone({ ...asked, verify: true }, hangs)), killed };
}

/** Writes the stop file, which kills the trader. Returns false if the file could not be written. */
async function leaveMark({ ledger }: TraderConfig, reason: string, reach: Unreached, io: CliIo): Promise<boolean> {
  const { leaveStopFile, locateStopFile } = await import('../shell/control/stop-file.js');
  const path = locateStopFile(ledger.path);
  const who = silenceText(reach);
  try {
    leaveStopFile(path, reason);
    const then = reach === 'not running' ? 'the next trader starts killed' : 'the trader is killed once it runs again';
    io.err(`${who}; ${then} (${path}). Canceling at the exchange directly.\n`);
    return true;
  } catch (error) {
    const pid = reach === 'not running' ? null : reach.silentPid;
    const next = pid === null ? 'Do not start the trader' : `End process ${pid}: the trader could quote again`;
    io.err(`${who}, and ${messageOf(error)}.\n  ${next}. Canceling at the exchange directly.\n`);
    return false;
  }
}

type Killing = Cancelling & { readonly reason: string };

const killCommand = command({
  name: 'kill',
  help: OPERATOR_COMMANDS.kill.help,
  config: 'trader',
  options: {
    verify: option.flag('--verify', 'wait until two reads show that no order rests; exit code 5 if they do not'),
    reason: option.read('--reason <text>', 'reason of the kill, recorded in the ledger', option.nonEmpty),
    timeout: option.timeout(option.SLOW_S),
  },
  ...toolOf('kill'),
  answer: async ({ options: { verify, reason = 'operator', timeout }, config, io }) => {
    const killing = { config, io, reason, timeoutMs: timeout * 1000, verify: verify === true };
    // If the trader does not execute the kill within seconds, it hangs, and this command cancels at the exchange.
    const timeoutMs = Math.min(timeout, option.QUICK_S) * 1000;
    const lost = ['not_running', 'timed_out'] as const;
    const asked = await askOrPass({ command: 'kill', reason }, config, { timeoutMs, lost });
    if ('reach' in asked) return killPast(killing, asked.reach);
    if (verify === true) return verifyKill(killing, asked.answer);
    return makeAnswer(asked.answer, restingText(asked.answer), EXIT.ok);
  },
});

/** Returns the tool of an operator command. If the command records a reason, the tool requires a reason. */
function toolOf(name: OperatorName): { readonly tool?: Tool } {
  const { isTool, isVerifiable, reason, marketButton }: OperatorRow = OPERATOR_COMMANDS[name];
  if (isTool === undefined) return {};
  const required = reason === 'none' ? [] : ['reason'];
  const more = [...(isVerifiable === true ? ['verify'] : []), ...(marketButton === undefined ? [] : ['market'])];
  return { tool: { kind: 'stop', options: [...required, ...more], required } };
}

type KillData = ControlData['kill'];

const restingText = ({ resting }: KillData): string => {
  if (resting === null) return 'resting orders are being canceled; their number is unknown without the ledger';
  if (resting === 0) return 'as far as the trader knows, no order rests';
  return `${orders(resting)} may rest and ${resting === 1 ? 'is' : 'are'} being canceled; \`kill --verify\` waits until none rests`;
};

/** Verifies a kill that the trader has executed: no order may rest at the exchange. */
async function verifyKill(killing: Killing, killed: KillData): Promise<CommandOutput> {
  const endMs = performance.now() + killing.timeoutMs;
  let newest: CancelAllData | null = null;
  for (;;) {
    const patience = { timeoutMs: Math.max(1, endMs - performance.now()), lost: ['not_running'] } as const;
    // The trader has just executed the kill, so a slow verification does not mean that the trader hangs.
    const asking = askOrPass({ command: 'cancel-all', verify: true }, killing.config, patience);
    const asked = await asking.catch(valueOn(null, 'timed_out'));
    if (asked !== null && 'reach' in asked) return killPast(killing, asked.reach);
    newest = asked?.answer ?? newest;
    if (newest !== null && isClean(newest))
      return makeAnswer({ ...killed, ...newest }, cancelAllText(newest, true), EXIT.ok);
    // The trader answers within a minute even if nothing is verified, so the command may have to repeat its request.
    if (asked !== null && performance.now() < endMs) continue;
    const found = newest === null ? '' : `${cancelAllText(newest, true)}; `;
    const text = `${found}no proof within ${killing.timeoutMs / 1000} s that no order rests. The trader keeps canceling; \`kill --verify\` waits again`;
    return makeAnswer({ ...killed, ...newest }, text, EXIT.timedOut);
  }
}

/**
 * Sends a request to a trader that may end, hang or restart. Returns the answer, or why the trader is unreachable.
 * @param lost codes of errors after which the request is sent again; other errors are thrown
 */
async function askOrPass<R extends ControlQuestion>(
  request: R,
  config: TraderConfig,
  { timeoutMs, lost }: Readonly<{ timeoutMs: number; lost: readonly ErrorCode[] }>,
): Promise<{ readonly answer: ControlData[R['command']] } | { readonly reach: Unreached }> {
  for (let tries = 0; tries < 3; tries++) {
    const reach = await reachTrader(config);
    if (reach !== 'answers') return { reach };
    try {
      return { answer: await askTrader(request, { socket: config.control.socket, timeoutMs }) };
    } catch (error) {
      if (!(error instanceof TwinbookError) || !lost.includes(error.code)) throw error;
    }
  }
  return { reach: await findSilent(config.ledger.path) };
}

async function killPast(killing: Killing, reach: Unreached): Promise<CommandOutput> {
  const { reason, verify } = killing;
  const { killed, data, isForeign } = await cancelPast(killing, reason, reach);
  const mode = { mode: killed ? 'killed' : 'unknown', reason };
  const notDone = verify && killed && !isForeign ? EXIT.timedOut : EXIT.failed;
  return makeAnswer({ ...mode, ...data }, cancelAllText(data, true), killed && isClean(data) ? EXIT.ok : notDone);
}

const makeAnswer = (data: KillData | (KillData & CancelAllData), text: string, code: ExitCode): CommandOutput => ({
  data,
  text: `${modeText(data)}\n${text}\n`,
  code,
});

const SUBJECT =
  "pubkey of an order or a fill, id of an intent or a market, the beginning of one of these, or words of a market's title";

const explainCommand = command({
  name: 'explain',
  help: 'explains the price of an order, the facts of a fill, or why a market is not quoted',
  args: [['<order|fill|market>', SUBJECT]],
  config: 'trader',
  options: {
    timeout: option.timeout(option.QUICK_S),
    acceptsChanged: option.changedCode,
    at: option.read('--at <time>', "explain a market at this UTC time, such as '2026-11-25 21:03:10'", option.momentIn),
  },
  tool: { kind: 'read', options: [] },
  answer: async ({ options: { timeout, acceptsChanged, at }, config, file, args: [typed = ''], io }) => {
    // The ledger may lack the named market, because a running trader may know a market that is not stored yet.
    const subject = await nameMeant(typed, config, findSubject);
    let lines: readonly string[];
    if (at === undefined) lines = await explainSubject(subject, config, timeout * 1000);
    else {
      const { explainPast } = await import('./ledger/explain-past.js');
      const { openRunCode } = await import('../lab/replay/run-settings.js');
      const { loadConfig } = await import('../shell/config/load.js');
      const code = openRunCode(() => loadConfig(file, io), acceptsChanged === true);
      lines = await explainPast(subject, at, config.journal.dir, code);
    }
    return { data: { lines }, text: linesText(lines) };
  },
});

/** Number of newest orders, fills and intents (each) among which a shortened name is searched. */
const LOOKED_AT = { limit: 20_000 };

function findSubject(typed: string, ledger: LedgerReader): string | null {
  if ([ledger.order(typed), ledger.fill(typed), ledger.intent(typed)].some((row) => row !== null)) return typed;
  const traded = [...ledger.orders(LOOKED_AT), ...ledger.fills(LOOKED_AT)].map(({ pubkey }) => ({ id: pubkey }));
  const named = [...marketsNamed(ledger), ...traded, ...ledger.intents(LOOKED_AT)];
  return findNamed(typed, named, 'markets, orders, fills and intents');
}

async function explainSubject(subject: string, config: TraderConfig, timeoutMs: number): Promise<readonly string[]> {
  try {
    const { lines } = await askOwner({ command: 'explain', subject }, config, { timeoutMs });
    return [...lines, ...(await readLedger(config, (ledger) => savedLines(ledger, subject)).catch(() => []))];
  } catch (error) {
    if (!(error instanceof TwinbookError) || error.code !== 'not_running') throw error;
    return readLedger(config, (ledger) => linesFromLedger(ledger, subject)).catch((failure) => {
      // If the ledger is unreadable too, the function throws the first error, which says that no trader runs.
      const isTold = failure instanceof TwinbookError && (failure.code === 'usage' || failure.code === 'not_running');
      throw isTold ? failure : error;
    });
  }
}

/** Returns the figures and texts that a market's strategy saved in its state under the key `shown`. */
function savedLines(ledger: LedgerReader, market: string): readonly string[] {
  return ledger
    .strategyStates()
    .filter(({ marketConditionId }) => marketConditionId === market)
    .flatMap(({ strategy, text, savedMs }) => {
      const shown = Object.entries(Object(Object(JSON.parse(text)).shown)).filter(
        ([, value]) => value === null || typeof value === 'number' || typeof value === 'string',
      );
      const round = (value: unknown) => (typeof value === 'number' ? Number(value.toPrecision(6)) : value);
      const lines = shown.map(([name, value]) => `  ${name}: ${round(value)}`);
      return lines.length === 0 ? [] : [`values saved by ${strategy} at ${utcText(savedMs)} UTC:`, ...lines];
    });
}

/** Explains a subject from the ledger alone. Throws `usage` for an unknown name, and `not_running` for a market. */
function linesFromLedger(ledger: LedgerReader, subject: string): readonly string[] {
  const lines = explainLines(subject, ledger) ?? savedLines(ledger, subject);
  if (lines.length > 0) return [...lines, 'The trader is not running: these facts are from the ledger.'];
  if (ledger.market(subject) !== null) {
    const text = 'only a running trader explains a market, and no trader is running';
    const hint =
      'Give --at TIME to explain the market from the journal of a run, or start a trader with `twinbook start`.';
    throw new TwinbookError('not_running', text, hint);
  }
  const text = `${subject} is no order, fill, intent or market in the ledger${prunedText(ledger)}`;
  const hint =
    '`twinbook orders`, `fills` and `markets` list the known subjects. A running trader may know a market that the ledger lacks.';
  throw new TwinbookError('usage', text, hint);
}

const modeCommands = MODE_NAMES.map(modeCommand);
export const addControlCommands = all(...modeCommands, stopCommand, cancelAllCommand, killCommand, explainCommand);
