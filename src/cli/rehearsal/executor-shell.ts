/**
 * The shell around the trader's own executor and ledger, for one order: performs each request once and hands back what came,
 * each step in a transaction of its own, and stops before the signature so that the draft can be looked at.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { must } from '../../shared/base/errors.js';
import type { OrderRow, OwnTradeRow } from '../../shared/protocol/records.js';
import type { Outcome, PlannedRequest, RequestResult } from '../../shared/protocol/seam.js';
import type { ServiceClient } from '../../shell/client/client.js';
import { OutboundCheck } from '../../trader/engine/outbound-check.js';
import type { ExecutorEvent, Reaction } from '../../trader/executor/contract.js';
import type { Executor } from '../../trader/executor/executor.js';
import type { IntentRow, Ledger } from '../../trader/ledger/contract.js';
import type { Approved } from '../../trader/risk/risk.js';

/** Between two beats of the executor, ms. */
const BEAT_MS = 200;

export interface ExecutorShellParts {
  readonly ledger: Ledger;
  readonly executor: Executor;
  readonly client: ServiceClient;
}

export class ExecutorShell {
  readonly events: ExecutorEvent[] = [];
  readonly #ledger: Ledger;
  readonly #executor: Executor;
  readonly #client: ServiceClient;
  readonly #outgoing: OutboundCheck;
  #waiting: PlannedRequest[] = [];
  #lastId = 0;

  constructor({ ledger, executor, client }: ExecutorShellParts) {
    this.#ledger = ledger;
    this.#executor = executor;
    this.#client = client;
    this.#outgoing = new OutboundCheck(ledger);
  }

  /** Takes up what an earlier rehearsal left in this ledger. */
  recover(): void {
    this.#react(() => this.#executor.recover(Date.now()));
  }

  /** The intent is a row when this returns; the request for its draft waits. */
  begin(approved: Approved, reason: string): void {
    this.#waiting.push(...this.#ledger.transaction(() => this.#executor.begin(approved, Date.now(), reason)));
  }

  /** Performs the newest request alone, and what came of it is in the ledger; what follows from it waits. */
  async performNext(): Promise<Outcome> {
    const report = await this.#perform(must(this.#waiting.shift(), 'a request that waits'));
    this.#react(() => this.#executor.onReport(report));
    return report.outcome;
  }

  /** Signs what is stored. The submits wait; a refusal is among the events. */
  sign(): void {
    this.#react(() => this.#executor.signDrafts(Date.now()));
  }

  /** Lets the executor go on until something is so; false when it was not in time. */
  async goOnUntil(isSo: () => boolean, endMs: number): Promise<boolean> {
    for (;;) {
      this.#react(() => this.#executor.tick(Date.now(), null));
      this.sign();
      while (this.#waiting.length > 0) {
        await this.performNext();
        this.sign();
      }
      if (isSo()) return true;
      if (performance.now() >= endMs) return false;
      await pause(BEAT_MS);
    }
  }

  tellOrders(rows: readonly OrderRow[], sentMs: number): void {
    this.#react(() => this.#executor.onOwnOrders(rows, sentMs, Date.now()));
  }

  tellTrades(rows: readonly OwnTradeRow[]): void {
    this.#react(() => this.#executor.onOwnTrades(rows, Date.now()));
  }

  intent(id: string): IntentRow {
    return must(this.#ledger.intent(id), `intent ${id}`);
  }

  /** Drops requests that have not left. */
  drop(): void {
    for (const request of this.#waiting.splice(0)) {
      const nowMs = Date.now();
      const outcome = { kind: 'unknown', reason: 'the rehearsal ended', sent: false } as const;
      const report = { request: request, outcome, nowMs, sentMs: nowMs, venueTimeMs: null };
      this.#react(() => this.#executor.onReport(report));
    }
  }

  #react(work: () => Reaction): void {
    const { requests, events } = this.#ledger.transaction(work);
    this.#waiting.push(...requests);
    this.events.push(...events);
  }

  async #perform(request: PlannedRequest): Promise<RequestResult> {
    const { lane, call, latestMs } = request;
    this.#outgoing.check(call, request.owner);
    this.#lastId += 1;
    const seen = await this.#client.perform({ id: this.#lastId, lane, call, latestMs });
    return {
      request: request,
      outcome: seen.outcome,
      nowMs: seen.nowMs,
      sentMs: seen.sentMs,
      venueTimeMs: seen.venueTimeMs,
    };
  }
}
