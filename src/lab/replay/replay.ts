/**
 * Repeats a recorded run: a fresh trader on a copy of the starting ledger gets the journal's observations. The replay
 * compares requests and signatures step by step. It has no key and no network: signatures come from the journal. Only
 * the given ledger is written. After the first difference the recorded answers may not fit the requests.
 */

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { TwinbookError } from '../../shared/base/errors.js';
import type { AnyCall } from '../../shared/protocol/seam.js';
import type { JournaledStrategy, RunJournal, Step } from '../../shell/journal/runs.js';
import type { BoundedCall } from '../../trader/engine/settings.js';
import { Trader } from '../../trader/engine/trader.js';
import type { DraftSigner, SignAnswer } from '../../trader/executor/contract.js';
import { Executor } from '../../trader/executor/executor.js';
import type { Ledger } from '../../trader/ledger/contract.js';
import { openMemoryLedger } from '../../trader/ledger/ledger.js';
import type { Strategy } from '../../trader/strategy/contract.js';
import { type Difference, findDifference, type Redone } from './compare.js';
import type { ReplayedTrader, RunCode } from './run-settings.js';

interface ReplayOptions extends Pick<ReplayPlan, 'trader' | 'look'> {
  /** Finds the code of the run's configuration changes. */
  readonly code: RunCode;
  /** Called with the replay's final ledger, right before it is dropped. */
  readonly ledgerAtEnd?: (ledger: Ledger) => void;
}

/** Throws TwinbookError `recording_invalid` for a run without its starting ledger, and for a damaged journal. */
export async function replayRun(run: RunJournal, options: ReplayOptions): Promise<ReplayResult> {
  const { code, ledgerAtEnd, ...given } = options;
  const { startedMs, strategyLimitMs } = run.description;
  const ledger = startingLedger(run);
  try {
    const trader = { ...given.trader, findModule: await configuredModules(run, code) };
    const result = await replay({ ...given, trader, startedMs, strategyLimitMs, ledger, steps: run.steps() });
    ledgerAtEnd?.(ledger);
    return result;
  } finally {
    ledger.close();
  }
}

/** Code of the run's configuration changes. */
async function configuredModules(run: RunJournal, findCode: RunCode): Promise<(key: string) => Strategy | null> {
  const modules = new Map<string, Strategy>();
  for await (const { observation } of run.steps()) {
    if (observation.kind !== 'command' || observation.command.kind !== 'configure') continue;
    const { settings } = JSON.parse(observation.command.config) as {
      settings: { strategies: readonly JournaledStrategy[] };
    };
    for (const strategy of settings.strategies) modules.set(strategy.moduleKey, (await findCode(strategy)).module);
  }
  return (key) => modules.get(key) ?? null;
}

/** Opens the starting ledger in memory; the caller closes it. */
export function startingLedger({ folder, ledgerFile, description }: RunJournal): Ledger {
  if (ledgerFile === null) {
    const why = description.ledgerMissing ?? 'the copy of its starting ledger is not in its folder any more';
    const hint = 'Its steps can be read, but the state at its start is unknown.';
    throw new TwinbookError('recording_invalid', `run ${basename(folder)} cannot be replayed: ${why}`, hint);
  }
  return openMemoryLedger(readFileSync(ledgerFile));
}

/** The recorded core's settings and inputs. */
interface ReplayPlan {
  readonly trader: ReplayedTrader;
  /** Start of the recorded `Trader` (its `nowMs`), our clock, ms. */
  readonly startedMs: number;
  /** Longest call into a strategy then, ms. */
  readonly strategyLimitMs: number;
  /** The starting ledger. The replay writes it; the caller closes it. */
  readonly ledger: Ledger;
  readonly steps: AsyncIterable<Step> | Iterable<Step>;
  /** Callback; absent: replay to the end. */
  readonly look?: ReplayLook;
}

/** Reads the trader between steps; values are as they were then. */
interface ReplayLook {
  /** Later steps are not decided; our clock, Unix ms. */
  readonly untilMs: number;
  readonly afterStep: (trader: Trader, nowMs: number) => void;
}

export type ReplayResult = Awaited<ReturnType<typeof replay>>;

/** Throws errors of the steps: TwinbookError `recording_invalid` for a journal that is damaged in the middle. */
export async function replay({ steps, look, strategyLimitMs, ...made }: ReplayPlan) {
  const inputs = new RecordedInputs(strategyLimitMs);
  const trader = remadeTrader({ ...made, signer: inputs, boundedCall: inputs.boundedCall });
  const titles = (id: string): string | null => made.ledger.market(id)?.title ?? null;
  /** Requests of the run without an outcome yet. */
  const underWay = new Map<number, AnyCall>();
  const result = {
    /** Steps of the journal, and those before the first difference, with equal requests and signatures. */
    steps: 0,
    repeatedSteps: 0,
    /** Requests of the run, and those before the first difference. */
    requests: 0,
    repeatedRequests: 0,
    /** Signatures in the run. */
    signatures: 0,
    /** Times of the first and last observation, our clock, ms; null without observations. */
    fromMs: null as number | null,
    toMs: null as number | null,
    /** First difference; null when every decision was equal. */
    difference: null as Difference | null,
  };
  // After the first difference the run's answers may not fit the requests: the trader then fails.
  let hasFailed = false;
  for await (const step of steps) {
    const { observation, requests } = step;
    const { nowMs } = observation;
    if (look !== undefined && nowMs > look.untilMs) break;
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
    look?.afterStep(trader, nowMs);
  }
  return result;
}

function redo(trader: Trader, inputs: RecordedInputs, step: Step): Redone {
  inputs.begin(step);
  try {
    const requests = trader.handle(step.observation);
    trader.takeNotices();
    return { requests, signed: inputs.asked, failure: null };
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    return { requests: [], signed: inputs.asked, failure };
  }
}

interface Remade extends Pick<ReplayPlan, 'trader' | 'ledger' | 'startedMs'> {
  readonly signer: DraftSigner;
  readonly boundedCall: BoundedCall;
}

/** Builds a run's trader like the daemon's, except for key and clock. The trader writes the ledger. */
export function remadeTrader({ trader: settings, ledger, startedMs, signer, boundedCall }: Remade): Trader {
  const { runId, configHash, profile, polling } = settings;
  const executor = new Executor(ledger, signer, profile, { runId, configHash, ownPollMs: polling.ownIntervalMs });
  return new Trader({ ...settings, boundedCall }, ledger, executor, startedMs);
}

/** Signature of an intent that was not signed in the run: its request differs anyway. */
const NEVER_MADE = '0'.repeat(128);

/** Recorded inputs of the core within a step that no observation contains: interrupted strategies, and signatures. */
class RecordedInputs implements DraftSigner {
  readonly #limitMs: number;
  #step: Pick<Step, 'timedOut' | 'signed'> = { timedOut: [], signed: [] };
  #calls = 0;
  /** Intents to be signed since the step began, in order. */
  asked: string[] = [];

  /** @param limitMs longest call into a strategy then */
  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  begin(step: Step): void {
    this.#step = step;
    this.#calls = 0;
    this.asked = [];
  }

  sign(intentId: string): SignAnswer {
    const then = this.#step.signed[this.asked.length];
    this.asked.push(intentId);
    return then?.intentId === intentId ? then.answer : { ok: true, signature: NEVER_MADE };
  }

  /**
   * Skips a call that was interrupted in the run: its partial work was lost, and its strategy is never called again.
   */
  readonly boundedCall: BoundedCall = (call) => {
    if (this.#step.timedOut.includes(this.#calls++)) throw new Error(`took longer than ${this.#limitMs} ms`);
    return call();
  };
}
