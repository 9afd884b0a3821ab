/** A session's use of its request budget, and its refusals. */

import { SlidingMinute } from '../../shared/base/sliding-minute.js';
import type { Scope } from '../../shared/protocol/endpoints.js';
import type { VenueProfile } from '../../shared/protocol/profile.js';
import type { Outcome } from '../../shared/protocol/seam.js';
import type { Snapshot } from '../../trader/engine/snapshot.js';
import type { OperatorEvent } from '../../trader/ledger/contract.js';
import type { Refusal, RequestUse, ScopeUse, SessionNotice } from '../session/contract.js';

/** Maximum notices of a session. Loud ones count apart: fills must not drown a halt. */
const MAX_NOTICES = 500;

class Window {
  readonly limitPerMinute: number;
  count = 0;
  throttled = 0;
  peakPerMinute = 0;
  readonly #minute = new SlidingMinute();

  constructor(limitPerMinute: number) {
    this.limitPerMinute = limitPerMinute;
  }

  countSent(nowMs: number): void {
    this.count++;
    this.#minute.forget(nowMs);
    this.#minute.add(nowMs);
    this.peakPerMinute = Math.max(this.peakPerMinute, this.#minute.size);
  }

  get use(): ScopeUse {
    const { limitPerMinute, count, throttled, peakPerMinute } = this;
    return { limitPerMinute, count, peakPerMinute, throttled };
  }
}

export class RequestCount {
  readonly #scopes: Readonly<Record<Scope, Window>>;
  readonly #endpoints = new Map<string, number>();
  readonly #refusals = new Map<string, number>();
  readonly #notices: SessionNotice[] = [];
  readonly #kept = { info: 0, loud: 0 };
  /** By market and control: a quote slot counts from its beginning. */
  readonly #byRisk = new Map<string, { readonly name: string; readonly count: number }>();
  /** By the text without its figures. */
  readonly #byGuard = new Map<string, { readonly name: string; readonly count: number }>();
  #unsent = 0;
  #unsaid = 0;

  constructor(limits: VenueProfile['rate_limits']) {
    this.#scopes = {
      public: new Window(limits.public_per_minute),
      signed: new Window(limits.signed_per_minute),
      bootstrap: new Window(limits.bootstrap_per_minute),
    };
  }

  countRequest(endpoint: string, scope: Scope, nowMs: number): void {
    this.#scopes[scope].countSent(nowMs);
    this.#endpoints.set(endpoint, (this.#endpoints.get(endpoint) ?? 0) + 1);
  }

  countAnswer(scope: Scope, outcome: Outcome): void {
    if (outcome.kind !== 'refused') return;
    if (outcome.slug === 'throttled') this.#scopes[scope].throttled++;
    this.#refusals.set(outcome.slug, (this.#refusals.get(outcome.slug) ?? 0) + 1);
  }

  notices(notices: readonly OperatorEvent[]): void {
    for (const { timeMs, severity, kind, text } of notices) {
      // Commands come from the shell itself: the final stop is no news.
      if (kind === 'command') continue;
      if (this.#kept[severity]++ < MAX_NOTICES) this.#notices.push({ timeMs, severity, text });
      else this.#unsaid++;
    }
  }

  get said(): readonly SessionNotice[] {
    const last = this.#notices.at(-1);
    if (this.#unsaid === 0 || last === undefined) return this.#notices;
    const text = `${this.#unsaid} further notices are left out`;
    return [...this.#notices, { timeMs: last.timeMs, severity: 'info', text }];
  }

  /** Risk's refusals in these markets since the start, and the reasons for silent strategies now. */
  onSnapshot({ markets, unsent }: Snapshot): void {
    this.#unsent = unsent;
    for (const { conditionId, refusals, bidMicros, askMicros, note } of markets) {
      for (const { name, count } of refusals) this.#byRisk.set(`${conditionId} ${name}`, { name, count });
      if (bidMicros !== null || askMicros !== null) continue;
      const words = note.replaceAll(/\d+(\.\d+)?/g, '#');
      const met = this.#byGuard.get(words);
      this.#byGuard.set(words, { name: met?.name ?? note, count: (met?.count ?? 0) + 1 });
    }
  }

  get use(): RequestUse {
    const byEndpoint = [...this.#endpoints].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
    return { public: this.#scopes.public.use, signed: this.#scopes.signed.use, byEndpoint, unsent: this.#unsent };
  }

  /** Most frequent first. Of guards: one sample per minute of a market that was not quoted for that reason. */
  get refused(): readonly Refusal[] {
    const byRisk = new Map<string, number>();
    for (const { name, count } of this.#byRisk.values()) byRisk.set(name, (byRisk.get(name) ?? 0) + count);
    const byGuard = new Map([...this.#byGuard.values()].map(({ name, count }) => [name, count]));
    const rows = (by: Refusal['by'], counts: ReadonlyMap<string, number>): Refusal[] =>
      [...counts].map(([name, count]) => ({ by, name, count }));
    return [...rows('risk', byRisk), ...rows('guard', byGuard), ...rows('exchange', this.#refusals)].sort(
      (a, b) => b.count - a.count || (a.name < b.name ? -1 : 1),
    );
  }
}
