/** Executes the operator's commands from the control socket, and kills requested by stop file or signal. */

import { TwinbookError } from '../../shared/base/errors.js';
import type { OperatorCommand } from '../../shared/protocol/seam.js';
import type { TraderStatus } from '../../shared/protocol/trader-status.js';
import type { TraderSnapshot } from '../../trader/engine/snapshot.js';
import type { Ledger } from '../../trader/ledger/contract.js';
import { agreementText } from '../../trader/reconcile/differences.js';
import type { PruneBatch, PrunedBatch } from '../../trader/reconcile/prune.js';
import { fileBehind } from '../config/config.js';
import { explainLines, marketLines } from '../console/views/explain-view.js';
import type { ControlQuestion, ControlResponse, ModeData } from '../control/control-protocol.js';
import { leaveStopFile, locateStopFile, readStopFile, removeStopFile } from '../control/stop-file.js';
import { nowMs, steadyMs } from '../runtime/clock.js';
import type { LiveConfig } from './live-config.js';
import { prunedText } from './status-text.js';

/** Maximum time that an operator's command waits for the exchange's confirmation, ms. */
const WAIT_MS = 60_000;
const LOOK_MS = 50;

export interface RunningTrader {
  readonly ledger: Ledger;
  status(): TraderStatus;
  snapshot(): TraderSnapshot;
  /** Returns the reason why the trader cancels all orders and then ends; null in normal operation. */
  ending(): string | null;
  /** Executes a command. Returns null if the command is accepted, else the reason of the refusal. */
  command(command: OperatorCommand): string | null;
  prune(batch: PruneBatch): PrunedBatch;
  readonly live: Pick<LiveConfig, 'config' | 'diff' | 'apply' | 'rollback'>;
  /** Makes the trader stop. The answer to the operator's command is still sent. */
  stop(): void;
}

export async function answerControl(request: ControlQuestion, running: RunningTrader): Promise<ControlResponse> {
  switch (request.command) {
    case 'ping':
      return { ok: true, data: { pid: process.pid } };
    case 'status':
      return { ok: true, data: running.status() };
    case 'widen':
    case 'reduce-only':
    case 'unkill':
      return obey({ kind: request.command, reason: request.reason }, running);
    case 'pause':
    case 'resume':
      return obey(
        request.market === undefined
          ? { kind: request.command, reason: request.reason }
          : { kind: `${request.command}-market`, marketConditionId: request.market, reason: request.reason },
        running,
      );
    case 'flatten':
      return obey(
        request.market === undefined
          ? { kind: 'flatten' }
          : { kind: 'flatten-market', marketConditionId: request.market },
        running,
      );
    case 'kill':
      return kill(request.reason, running);
    case 'stop':
      running.stop();
      return { ok: true, data: readMode(running) };
    case 'cancel-all':
      return cancelAll(request.verify, running);
    case 'reconcile':
      return reconcile(running);
    case 'adopt':
      return adopt(request.reason, running);
    case 'prune':
      return prune(request, running);
    case 'explain':
      return explain(request.subject, running);
    case 'config':
      return configure(request, running);
  }
}

async function configure(
  request: Extract<ControlQuestion, { command: 'config' }>,
  { live }: RunningTrader,
): Promise<ControlResponse> {
  const { file } = live.config;
  if (request.file !== '' && fileBehind(request.file) !== fileBehind(file))
    return {
      ok: false,
      error: `the running trader uses ${file}, not ${request.file}; nothing was compared or applied`,
    };
  try {
    if (request.action === 'diff') return { ok: true, data: await live.diff() };
    const data = request.action === 'apply' ? await live.apply(request) : await live.rollback(request);
    return { ok: true, data };
  } catch (error) {
    if (!(error instanceof TwinbookError)) throw error;
    const { code, message, hint } = error;
    const ofFiles = code === 'config_invalid' || code === 'strategy_invalid';
    return { ok: false, error: hint === '' ? message : `${message}\n  ${hint}`, ofFiles };
  }
}

function obey(command: OperatorCommand, running: RunningTrader): ControlResponse {
  const refusal = running.command(command);
  if (refusal !== null) return { ok: false, error: refusal };
  const data = readMode(running);
  if (command.kind !== 'resume') return { ok: true, data };
  const notes = listLeftAfterResume(running.snapshot());
  if (data.mode !== 'killed') return { ok: true, data: notes.length === 0 ? data : { ...data, notes } };
  // The answer is an error: after a resume the operator expects quotes, but a killed trader stays killed.
  const error = `other stops are lifted, but the trader stays killed (${data.reason}): only unkill --reason TEXT lifts the kill`;
  return { ok: false, error };
}

const listLeftAfterResume = ({ pausedMarkets, reconciled, accepted }: TraderSnapshot): readonly string[] => [
  ...pausedMarkets.map(
    ({ title, conditionId, reason }) =>
      `market "${title}" stays paused: ${reason}; \`twinbook resume --market ${conditionId} --reason TEXT\` ends the pause`,
  ),
  ...(accepted.length === 0
    ? []
    : [
        `${agreementText(reconciled?.differences.length ?? 0, accepted)}; nothing was booked: \`twinbook ledger adopt --reason TEXT\` books these differences`,
      ]),
];

/** Kills the trader. Returns before orders are canceled, so that the caller does not wait for the exchange. */
function kill(asked: string, running: RunningTrader): ControlResponse {
  const refusal = running.command({ kind: 'kill', reason: asked });
  if (refusal !== null) return { ok: false, error: refusal };
  const { mode, reason } = readMode(running);
  if (running.ending() === null) return { ok: true, data: { mode, reason, resting: running.snapshot().openOrders } };
  // `resting` is null, because the ledger of a trader that is ending may be unreadable.
  return { ok: true, data: { mode, reason: `${reason}; the next trader starts killed`, resting: null } };
}

function readMode(running: RunningTrader): ModeData {
  const ending = running.ending();
  if (ending !== null) return { mode: 'ending', reason: ending };
  const { mode, reason } = running.snapshot();
  return { mode, reason };
}

async function cancelAll(verify: boolean, running: RunningTrader): Promise<ControlResponse> {
  const asked = running.snapshot().openOrders;
  const refusal = running.command({ kind: 'cancel-all' });
  if (refusal !== null) return { ok: false, error: refusal };
  const verified = verify && (await until(() => running.snapshot().provenMs !== null));
  // After the proof that no order rests, `resting` is 0, even if the trader has placed new quotes since the proof.
  return { ok: true, data: { asked, resting: verified ? 0 : running.snapshot().openOrders, verified } };
}

async function reconcile(running: RunningTrader): Promise<ControlResponse> {
  const compared = await compare(running);
  if (typeof compared === 'string') return { ok: false, error: compared };
  const { reconciled: newest, accepted } = running.snapshot();
  return { ok: true, data: { differences: newest?.differences ?? [], accepted, ...compared } };
}

async function adopt(reason: string, running: RunningTrader): Promise<ControlResponse> {
  const compared = await compare(running);
  if (typeof compared === 'string') return { ok: false, error: compared };
  if (!compared.complete) {
    const why = compared.voided.length === 0 ? '' : ` (${compared.voided.join('; ')})`;
    return { ok: false, error: `ledger and exchange could not be compared in time${why}: nothing was booked` };
  }
  const before = running.ledger.eventCount(ADOPTED);
  const refusal = running.command({ kind: 'adopt', reason });
  if (refusal !== null) return { ok: false, error: refusal };
  const count = running.ledger.eventCount(ADOPTED) - before;
  const events = running.ledger.events(count + NEWER_EVENTS).filter(({ kind }) => kind === ADOPTED);
  const booked = events.slice(0, count).map(({ text }) => text);
  return { ok: true, data: { ...readMode(running), booked: booked.reverse() } };
}

/** Kind of the ledger events that `adopt` writes, one for each outcome whose holding it changes. */
const ADOPTED = 'adopted';
const NEWER_EVENTS = 20;

/** Compares the ledger with the exchange and waits for the result. Returns the reason if the command is refused. */
async function compare(running: RunningTrader): Promise<{ voided: readonly string[]; complete: boolean } | string> {
  const askedMs = nowMs();
  const refusal = running.command({ kind: 'reconcile' });
  if (refusal !== null) return refusal;
  const voided = new Set<string>();
  const complete = await until(() => {
    const { reconciled, inDoubt, voidReason } = running.snapshot();
    if (voidReason !== null) voided.add(voidReason);
    return reconciled !== null && reconciled.begunMs >= askedMs && !inDoubt;
  });
  return { voided: [...voided], complete };
}

function prune(
  { before: beforeMs, after, rows }: Extract<ControlQuestion, { command: 'prune' }>,
  running: RunningTrader,
): ControlResponse {
  const ending = running.ending();
  if (ending !== null) return { ok: false, error: ending };
  if (beforeMs > nowMs()) return { ok: false, error: 'prune: the date must lie in the past' };
  const begunMs = steadyMs();
  const pruned = running.prune({ beforeMs, after, rows });
  return { ok: true, data: { ...pruned, tookMs: steadyMs() - begunMs } };
}

function explain(subject: string, running: RunningTrader): ControlResponse {
  const market = running.snapshot().markets.find(({ conditionId }) => conditionId === subject);
  const lines = market === undefined ? explainLines(subject, running.ledger) : marketLines(market, running.snapshot());
  if (lines !== null) return { ok: true, data: { lines } };
  return {
    ok: false,
    error: `${subject} is no order, fill, intent or market that this trader knows${prunedText(running.ledger)}; \`twinbook orders\`, \`fills\` and \`markets\` list them`,
  };
}

async function until(isSo: () => boolean): Promise<boolean> {
  const endMs = steadyMs() + WAIT_MS;
  while (!isSo()) {
    if (steadyMs() > endMs) return false;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  return true;
}

/** Interval of the cheap checks of the stop file and of the ledger's file, ms. */
const LOOK_EVERY_MS = 100;

export class StopWatch {
  readonly #path: string;
  /** Uses a monotonic clock, because a wall clock set back must not delay the check of the stop file. */
  readonly #steadyMs: () => number;
  #lookedMs = Number.NEGATIVE_INFINITY;
  /** Whether the present stop file has already caused a kill. */
  #obeyed = false;
  #asked: string | null = null;
  #ledger: Pick<Ledger, 'checkFile'> | null = null;

  constructor(ledgerPath: string, steadyMs: () => number = () => performance.now()) {
    this.#path = locateStopFile(ledgerPath);
    this.#steadyMs = steadyMs;
  }

  /** Starts checks that the ledger's path still names the open ledger file. */
  guard(ledger: Pick<Ledger, 'checkFile'>): void {
    this.#ledger = ledger;
  }

  /** Kills the trader at the next step, and writes the stop file for the next start; false if the write fails. */
  kill(reason: string): boolean {
    this.#asked = reason;
    try {
      leaveStopFile(this.#path, reason);
      return true;
    } catch {
      return false; // The disk is probably full. Then the ledger fails too, and the trader cancels all orders.
    }
  }

  /** Returns a due kill command, else null. Throws `ledger_broken` if the ledger's file was removed or replaced. */
  due(): OperatorCommand | null {
    const reason = this.#asked;
    this.#asked = null;
    if (reason !== null) {
      this.#obeyed = true;
      return { kind: 'kill', reason };
    }
    const steadyMs = this.#steadyMs();
    if (steadyMs - this.#lookedMs < LOOK_EVERY_MS) return null;
    this.#lookedMs = steadyMs;
    return this.#look();
  }

  /** Removes the stop file before a kill is lifted. Throws `file_unreadable` if the file cannot be removed. */
  clear(): void {
    this.#asked = null;
    removeStopFile(this.#path);
    this.#obeyed = false;
  }

  /** Call this after a kill was lifted, so that a stop file found later kills the trader again. */
  onLift(): void {
    this.#obeyed = false;
    this.#lookedMs = Number.NEGATIVE_INFINITY;
  }

  #look(): OperatorCommand | null {
    const reason = readStopFile(this.#path);
    const isNew = reason !== null && !this.#obeyed;
    this.#obeyed = reason !== null;
    if (isNew) return { kind: 'kill', reason };
    this.#ledger?.checkFile();
    return null;
  }
}
