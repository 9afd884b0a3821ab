/**
 * A recorded run decided once more: a fresh trader on a copy of the starting ledger is given the very observations of
 * the journal, and everything that it asks and signs is compared with what was asked and signed then, step by step.
 *
 * There is no key here and no network: a signature is given back from the journal, and one that was never made is a
 * difference. Nothing outside the given ledger is written. Past the first difference nothing is believed any more: the
 * answers that follow belong to requests that this trader may never have made.
 */

import type { AnyCall } from '../../shared/protocol/seam.js';
import type { Step } from '../../shell/journal/runs.js';
import type { BoundedCall, TraderSettings } from '../../trader/engine/settings.js';
import { Trader } from '../../trader/engine/trader.js';
import type { DraftSigner, SignAnswer } from '../../trader/executor/contract.js';
import { Executor } from '../../trader/executor/executor.js';
import type { Ledger } from '../../trader/ledger/contract.js';
import { type Difference, findDifference, type Redone } from './compare.js';

/** Settings of a trader; the replay supplies the bounded call. */
export type ReplayedTrader = Omit<TraderSettings, 'boundedCall'>;

/** The recorded core's settings and inputs. */
export interface ReplayPlan {
  readonly trader: ReplayedTrader;
  /** Our clock, ms: the `nowMs` of the recorded `Trader`. */
  readonly startedMs: number;
  /** Longest call into a strategy then, ms. */
  readonly strategyLimitMs: number;
  /** The starting ledger. The replay writes it; the caller closes it. */
  readonly ledger: Ledger;
  readonly steps: AsyncIterable<Step> | Iterable<Step>;
  /** Absent: to the end. */
  readonly look?: ReplayLook;
}

/** Reads the trader between steps; values are as they were then. */
export interface ReplayLook {
  /** Later steps are not decided; our clock, Unix ms. */
  readonly untilMs: number;
  readonly afterStep: (trader: Trader, nowMs: number) => void;
}

export type ReplayResult = Replay['result'];

/** Throws errors of the steps: TwinbookError `recording_invalid` for a journal that is damaged in the middle. */
export async function replay(plan: ReplayPlan): Promise<ReplayResult> {
  const replaying = new Replay(plan);
  const { untilMs = Number.POSITIVE_INFINITY, afterStep } = plan.look ?? {};
  for await (const step of plan.steps) {
    const { nowMs } = step.observation;
    if (nowMs > untilMs) break;
    replaying.take(step);
    afterStep?.(replaying.trader, nowMs);
  }
  return replaying.result;
}

class Replay {
  readonly trader: Trader;
  readonly result = {
    /** Steps of the journal, and those before the first difference, with equal requests and signatures. */
    steps: 0,
    repeatedSteps: 0,
    /** Requests of the run, and those before the first difference. */
    requests: 0,
    repeatedRequests: 0,
    /** Of the run. */
    signatures: 0,
    /** Our clock, ms, of the first and last observation; null without any. */
    fromMs: null as number | null,
    toMs: null as number | null,
    /** Null when every decision was equal. */
    difference: null as Difference | null,
  };
  /** After the first difference the run's answers may not fit the requests: the trader then fails. */
  #hasFailed = false;
  readonly #ledger: Ledger;
  readonly #inputs: RecordedInputs;
  /** Requests of the run without an outcome yet. */
  readonly #underWay = new Map<number, AnyCall>();

  constructor(plan: ReplayPlan) {
    this.#ledger = plan.ledger;
    this.#inputs = new RecordedInputs(plan.strategyLimitMs);
    this.trader = remadeTrader({ ...plan, signer: this.#inputs, boundedCall: this.#inputs.boundedCall });
  }

  take(step: Step): void {
    const { result } = this;
    result.steps++;
    result.requests += step.requests.length;
    result.signatures += step.signed.length;
    result.fromMs ??= step.observation.nowMs;
    result.toMs = step.observation.nowMs;
    if (this.#hasFailed) return;
    const asked = this.#askedBy(step);
    const redone = this.#redo(step);
    const titles = (id: string): string | null => this.#ledger.market(id)?.title ?? null;
    result.difference ??= findDifference(step, redone, { asked, titles });
    if (result.difference === null) {
      result.repeatedSteps++;
      result.repeatedRequests += step.requests.length;
    } else this.#hasFailed = redone.failure !== null;
  }

  /** Call of this step's outcome. */
  #askedBy({ observation, requests }: Step): AnyCall | null {
    const call = observation.kind === 'outcome' ? this.#underWay.get(observation.requestId) : undefined;
    if (observation.kind === 'outcome') this.#underWay.delete(observation.requestId);
    for (const { id, call: begun } of requests) this.#underWay.set(id, begun);
    return call ?? null;
  }

  #redo(step: Step): Redone {
    this.#inputs.begin(step);
    try {
      const requests = this.trader.handle(step.observation);
      this.trader.takeNotices();
      return { requests, signed: this.#inputs.asked, failure: null };
    } catch (error) {
      const failure = error instanceof Error ? error.message : String(error);
      return { requests: [], signed: this.#inputs.asked, failure };
    }
  }
}

interface Remade extends Pick<ReplayPlan, 'trader' | 'ledger' | 'startedMs'> {
  readonly signer: DraftSigner;
  readonly boundedCall: BoundedCall;
}

/** A run's trader, built like the daemon's, except for its key and clock. It writes the ledger. */
export function remadeTrader({ trader: settings, ledger, startedMs, signer, boundedCall }: Remade): Trader {
  const { runId, configHash, profile, polling } = settings;
  const executor = new Executor(ledger, signer, profile, { runId, configHash, ownPollMs: polling.ownIntervalMs });
  return new Trader({ ...settings, boundedCall }, ledger, executor, startedMs);
}

/** For an intent that was not signed then: the request with it differs anyway. */
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
   * A call that was interrupted then is not made at all: its partial work was lost, and its strategy is never called
   * again.
   */
  readonly boundedCall: BoundedCall = (call) => {
    if (this.#step.timedOut.includes(this.#calls++)) throw new Error(`took longer than ${this.#limitMs} ms`);
    return call();
  };
}
