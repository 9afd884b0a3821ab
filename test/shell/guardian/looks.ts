/** Rules, heartbeats and checks for tests of the guardian's decision, and a guardian driven by them. */

import {
  decide,
  FRESH_MIND,
  type GuardianAction,
  type GuardianObservation,
  type GuardianRules,
  type Heartbeat,
} from '../../../src/shell/guardian/decide.js';

export const LOOK_MS = 250;

export const RULES: GuardianRules = {
  timeoutMs: 8_000,
  lateOrdersMs: 90_000,
  stays: false,
  paperPatienceMs: null,
};

export const beat = (count: number, more: Partial<Heartbeat> = {}): Heartbeat => ({
  run: 'one',
  process: { pid: 7, born: '1@a' },
  count,
  phase: 'trading',
  mayRest: true,
  nothingMayRest: false,
  oursForMs: null,
  ...more,
});

type Look = Extract<GuardianObservation, { kind: 'look' }>;
export type Seen = Partial<Omit<Look, 'kind' | 'nowMs'>>;
type Outcome = Extract<GuardianObservation, { kind: 'round' }>['outcome'];

/** A guardian on the test's clock, whose rounds take no time unless the test holds them back. */
export class Driven {
  readonly #rules: GuardianRules;
  mind = FRESH_MIND;
  nowMs = 0;
  /** Every action so far, with its time. */
  readonly done: { readonly atMs: number; readonly action: GuardianAction }[] = [];
  /** Results of the next rounds. */
  rounds: () => Outcome = () => 'empty';

  constructor(rules: Partial<GuardianRules> = {}) {
    this.#rules = { ...RULES, ...rules };
  }

  look(more: Seen, afterMs = LOOK_MS): readonly GuardianAction['kind'][] {
    this.nowMs += afterMs;
    const nothing = { heartbeat: null, ageMs: 0, traderGone: false, ledgerGone: false };
    return this.see({ kind: 'look', nowMs: this.nowMs, ...nothing, ...more });
  }

  /** Checks the same state for this time. */
  lookFor(ms: number, more: Seen): readonly GuardianAction['kind'][] {
    const endMs = this.nowMs + ms;
    const kinds: GuardianAction['kind'][] = [];
    while (this.nowMs < endMs) kinds.push(...this.look(more));
    return kinds;
  }

  see(observation: GuardianObservation): readonly GuardianAction['kind'][] {
    const { mind, actions } = decide(this.mind, this.#rules, observation);
    this.mind = mind;
    const kinds = actions.map(({ kind }) => kind);
    for (const action of actions) this.done.push({ atMs: this.nowMs, action });
    if (!kinds.includes('cancel')) return kinds;
    return [...kinds, ...this.see({ kind: 'round', nowMs: this.nowMs, outcome: this.rounds(), text: '' })];
  }

  /** Times of the actions of this kind. */
  timesOf(kind: GuardianAction['kind']): readonly number[] {
    return this.done.filter(({ action }) => action.kind === kind).map(({ atMs }) => atMs);
  }
}
