/**
 * Repeats a recorded run with a new trader and a copy of the starting ledger; compares requests and signatures. A
 * replay has no key or network, and writes only the given ledger. After a difference, answers may not match requests.
 */

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { TwinbookError } from '../../shared/base/errors.js';
import type { AnyCall } from '../../shared/protocol/seam.js';
import type { RunDescription, RunJournal, RunStep } from '../../shell/journal/runs.js';
import type { BoundedCall } from '../../trader/engine/settings.js';
import type { TraderSnapshot } from '../../trader/engine/snapshot.js';
import { Trader } from '../../trader/engine/trader.js';
import type { IntentSigner } from '../../trader/executor/contract.js';
import { Executor } from '../../trader/executor/executor.js';
import type { Ledger } from '../../trader/ledger/contract.js';
import { openMemoryLedger } from '../../trader/ledger/ledger.js';
import type { Strategy } from '../../trader/strategy/contract.js';
import { findDifference, type ReplayDifference } from './compare.js';
import type { ReplayedTrader, RunCode } from './run-settings.js';

type ReplayOptions = Pick<ReplayPlan, 'trader' | 'untilMs'> & Readonly<{ code: RunCode }>;

/** Throws TwinbookError `recording_invalid` for a run without its starting ledger, or with a damaged journal. */
export async function replayRun(run: RunJournal, { code, ...given }: ReplayOptions): Promise<ReplayResult> {
  const { startedMs, strategyLimitMs } = run.description;
  const ledger = startingLedger(run);
  try {
    const trader = { ...given.trader, findModule: await configuredModules(run, code) };
    return await replay({ ...given, trader, startedMs, strategyLimitMs, ledger, steps: run.steps() });
  } finally {
    ledger.close();
  }
}

async function configuredModules(run: RunJournal, findCode: RunCode): Promise<(key: string) => Strategy | null> {
  const modules = new Map<string, Strategy>();
  for await (const { observation } of run.steps()) {
    if (observation.kind !== 'command' || observation.command.kind !== 'configure') continue;
    const { settings } = JSON.parse(observation.command.config) as { settings: Pick<RunDescription, 'strategies'> };
    for (const strategy of settings.strategies) modules.set(strategy.moduleKey, (await findCode(strategy)).module);
  }
  return (key) => modules.get(key) ?? null;
}

export function startingLedger({ folder, ledgerFile, description }: RunJournal): Ledger {
  if (ledgerFile === null) {
    const why = description.ledgerMissing ?? 'the copy of its starting ledger is missing in its folder';
    const hint = 'The steps of the run can be read, but the state at its start is unknown.';
    throw new TwinbookError('recording_invalid', `run ${basename(folder)} cannot be replayed: ${why}`, hint);
  }
  return openMemoryLedger(readFileSync(ledgerFile));
}

interface ReplayPlan {
  readonly trader: ReplayedTrader;
  /** Time when the recorded run created its trader, Unix ms of the trader's clock. */
  readonly startedMs: number;
  readonly strategyLimitMs: number;
  readonly ledger: Ledger;
  readonly steps: AsyncIterable<RunStep> | Iterable<RunStep>;
  /** Time at which the replay ends with a snapshot, Unix ms, trader's clock; absent: the whole run, no snapshot. */
  readonly untilMs?: number;
}

export type ReplayResult = Awaited<ReturnType<typeof replay>>;

/** Replays steps. Throws TwinbookError `recording_invalid` for a journal that is damaged in the middle. */
export async function replay({ steps, untilMs, strategyLimitMs, ...made }: ReplayPlan) {
  const inputs = new RecordedInputs(strategyLimitMs);
  const trader = remadeTrader(made, inputs);
  const titles = (id: string): string | null => made.ledger.market(id)?.title ?? null;
  const underWay = new Map<number, AnyCall>();
  const result = {
    /** Number of all steps in the journal, and number of steps before the first difference. */
    steps: 0,
    repeatedSteps: 0,
    /** Number of all recorded requests, and number of requests before the first difference. */
    requests: 0,
    repeatedRequests: 0,
    signatures: 0,
    /** Times of the first and last observation, Unix ms of the trader's clock; null without observations. */
    fromMs: null as number | null,
    toMs: null as number | null,
    difference: null as ReplayDifference | null,
    snapshot: null as TraderSnapshot | null,
  };
  // True if the replayed trader failed at or after the first difference. A trader that failed gets no more steps.
  let hasFailed = false;
  for await (const step of steps) {
    const { observation, requests } = step;
    const { nowMs } = observation;
    if (untilMs !== undefined && nowMs > untilMs) break;
    result.steps++;
    result.requests += requests.length;
    result.signatures += step.signed.length;
    result.fromMs ??= nowMs;
    result.toMs = nowMs;
    if (!hasFailed) {
      const asked = observation.kind === 'outcome' ? (underWay.get(observation.requestId) ?? null) : null;
      if (observation.kind === 'outcome') underWay.delete(observation.requestId);
      for (const { id, call } of requests) underWay.set(id, call);
      const redone = redo(trader, inputs, step);
      result.difference ??= findDifference(step, redone, asked, titles);
      if (result.difference !== null) hasFailed = redone.failure !== null;
      else {
        result.repeatedSteps++;
        result.repeatedRequests += requests.length;
      }
    }
  }
  if (untilMs !== undefined && result.toMs !== null) result.snapshot = trader.snapshot(result.toMs);
  return result;
}

function redo(trader: Trader, inputs: RecordedInputs, step: RunStep): Parameters<typeof findDifference>[1] {
  inputs.begin(step);
  try {
    const requests = trader.handle(step.observation);
    trader.takeNotices();
    return { requests, signed: inputs.asked, failure: null };
  } catch (error) {
    return { requests: [], signed: inputs.asked, failure: error instanceof Error ? error.message : String(error) };
  }
}

/** Builds the trader of a run like a live trader, but without key and clock. The trader writes to `ledger`. */
export function remadeTrader(
  { trader: settings, ledger, startedMs }: Pick<ReplayPlan, 'trader' | 'ledger' | 'startedMs'>,
  inputs: Pick<RecordedInputs, 'sign' | 'boundedCall'>,
): Trader {
  const { runId, configHash, profile, polling } = settings;
  const executor = new Executor(ledger, inputs, profile, { runId, configHash, ownPollMs: polling.ownIntervalMs });
  return new Trader({ ...settings, boundedCall: inputs.boundedCall }, ledger, executor, startedMs);
}

/** Placeholder signature of an intent that the run did not sign. The replay reports that intent as a difference. */
const NEVER_MADE = '0'.repeat(128);

/** Supplies the trader's recorded inputs that no observation contains: interrupted strategy calls, and signatures. */
class RecordedInputs implements IntentSigner {
  readonly #limitMs: number;
  #step: Pick<RunStep, 'timedOut' | 'signed'> = { timedOut: [], signed: [] };
  #calls = 0;
  asked: string[] = [];

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  begin(step: RunStep): void {
    this.#step = step;
    this.#calls = 0;
    this.asked = [];
  }

  sign(intentId: string): ReturnType<IntentSigner['sign']> {
    const then = this.#step.signed[this.asked.length];
    this.asked.push(intentId);
    return then?.intentId === intentId ? then.answer : { ok: true, signature: NEVER_MADE };
  }

  /** Throws for a strategy call that the run interrupted, because the run had no result of that call. */
  readonly boundedCall: BoundedCall = (call) => {
    if (this.#step.timedOut.includes(this.#calls++)) throw new Error(`took longer than ${this.#limitMs} ms`);
    return call();
  };
}
