/** Every limit and every operator command, before and after a process that was killed. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OperatorCommand } from '../../../src/shared/protocol/seam.js';
import { obey } from '../../../src/trader/engine/control/commands.js';
import { LADDER } from '../../../src/trader/engine/control/modes.js';
import { makeStepContext } from '../../../src/trader/engine/gate.js';
import { makeSnapshot } from '../../../src/trader/engine/snapshot.js';
import type { TraderState } from '../../../src/trader/engine/state.js';
import type { Ledger } from '../../../src/trader/ledger/contract.js';
import { openLedger } from '../../../src/trader/ledger/ledger.js';
import { judge } from '../../../src/trader/risk/risk.js';
import { times } from '../../support/effort.js';
import { forAll } from '../for-all.js';
import { fillOf, HOLDER, inFolder, intentOf, orderOf } from '../ledger/books.js';
import { limitsOf, m, ONE, placeOf, sight } from '../risk/states.js';
import { settingsOf, stateOf } from './played-trader.js';

const START_MS = Date.UTC(2026, 10, 21, 22);
const CAPITAL = m(1000 * ONE);
const RISK = limitsOf({ maxFills: 6, fillsWindowS: 10, maxActionsPerSecond: 3, maxActionsPerMinute: 4 });

/** One process of the trader on this ledger: its state, without an exchange. */
class Life {
  readonly ledger: Ledger;
  readonly state: TraderState;

  constructor(path: string, risk = RISK) {
    this.ledger = openLedger(path, HOLDER);
    this.state = stateOf(this.ledger, settingsOf({ risk }));
    // As if all own records were read; the start's proof about resting orders is not a limit.
    this.state.safety.modes.isStarted = true;
  }

  /** The first process on a ledger, with the usual capital. */
  static first(path: string, risk = RISK): Life {
    const life = new Life(path, risk);
    life.write(() => {
      life.ledger.startRun({ id: 'run', version: '0', configHash: 'hash', startedMs: START_MS });
      life.ledger.setCapital(CAPITAL, START_MS);
    });
    return life;
  }

  write(work: () => void): void {
    this.ledger.transaction(work);
  }

  /** Updates the equity, and returns the current verdict on an order. */
  verdict(nowMs: number) {
    const { state } = this;
    this.write(() => state.safety.valueHoldings(nowMs));
    // The exchange shows at once that no order rests: a proof in progress is no limit.
    while (state.safety.modes.wantsProof) state.safety.modes.proof(0, nowMs);
    const { mode, reason } = state.safety.mode();
    const context = makeStepContext(state, LADDER[mode].orders === 'quotes' ? null : `${mode}: ${reason}`, nowMs);
    const { stance, stanceReason, guards } = context;
    const [loss, fills] = [guards.loss.facts, guards.fills.state];
    const { lastSecond, lastMinute } = guards.pace.facts(nowMs);
    // Beyond the limit a start only counts as many as a rejection needs.
    const pace = {
      lastSecond: Math.min(lastSecond, RISK.maxActionsPerSecond),
      lastMinute: Math.min(lastMinute, RISK.maxActionsPerMinute),
    };
    const facts = { stance, stanceReason, loss, fills, pace };
    const { exposure, cashMicros } = context.own;
    const own = { exposure, cashMicros, findCaps: context.findCaps };
    const told = judge(placeOf(), { ...facts, ...own, sight: sight(), limits: RISK, requestHeadroom: 100 });
    const name = told.verdict === 'refused' ? told.name : null;
    return { mode, reason, ...facts, paused: state.safety.pauses.get('a')?.reason, name };
  }
}

type Step =
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'set'; readonly lost: number }
  | { readonly kind: 'actions'; readonly count: number }
  | { readonly kind: 'pauseMarket' }
  | { readonly kind: 'command'; readonly command: OperatorCommand };

const reason = 'because';
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.constantFrom(10, 900, 30_000, 3_600_000, 86_400_000).map((ms) => ({ kind: 'wait', ms }) as const),
  // A complete set bought at this difference from its value: lost (or won), without a mark.
  fc.integer({ min: -9, max: 14 }).map((lost) => ({ kind: 'set', lost }) as const),
  fc.integer({ min: 1, max: 4 }).map((count) => ({ kind: 'actions', count }) as const),
  fc.constant({ kind: 'pauseMarket' } as const),
  fc
    .constantFrom<OperatorCommand>(
      ...(['pause', 'resume', 'kill', 'unkill', 'widen', 'reduce-only'] as const).map((kind) => ({ kind, reason })),
    )
    .map((command) => ({ kind: 'command', command }) as const),
);

/** Each rejection that a restart must not lift, caused on purpose: random steps may miss one. */
const ONE_OF_EACH: readonly (readonly [Step, boolean])[][] = [
  [[{ kind: 'wait', ms: 10 }, true]],
  [[{ kind: 'actions', count: 3 }, true]],
  [
    [{ kind: 'actions', count: 2 }, false],
    [{ kind: 'wait', ms: 30_000 }, false],
    [{ kind: 'actions', count: 2 }, true],
  ],
  Array.from({ length: 4 }, () => [{ kind: 'set', lost: 0 }, true]),
];

let ids = 0;

/** A set of 20 shares for 20 + `lost`: two fills, their postings, and the guards' updates. */
function buySet({ ledger, state }: Life, lost: number, nowMs: number): void {
  for (const isYes of [true, false]) {
    const id = `${++ids}`;
    const [priceMicros, amountMicros] = [m(500_000 + lost * 25_000), m(20 * ONE)];
    const terms = { isYes, side: 'buy', priceMicros, amountMicros } as const;
    ledger.addIntent(intentOf({ id, ...terms, state: 'done', createdMs: nowMs }));
    state.safety.guards.pace.note(nowMs);
    ledger.addOrder(orderOf({ pubkey: `o${id}`, intentId: id, ...terms, filledMicros: amountMicros, closedMs: nowMs }));
    const timestampS = Math.floor(nowMs / 1000);
    const fill = fillOf({ pubkey: `t${id}`, orderPubkey: `o${id}`, ...terms, feeMicros: m(0), timestampS });
    ledger.bookFill(fill);
    state.safety.countFill(fill, nowMs);
  }
  state.account.invalidate();
}

function take(life: Life, one: Step, nowMs: number): void {
  const { ledger, state } = life;
  switch (one.kind) {
    case 'wait':
      return;
    case 'set':
      return life.write(() => buySet(life, one.lost, nowMs));
    case 'actions':
      return life.write(() => {
        for (let n = 0; n < one.count; n++) {
          ledger.addIntent(intentOf({ id: `${++ids}`, state: 'refused', createdMs: nowMs }));
          state.safety.guards.pace.note(nowMs);
        }
      });
    case 'pauseMarket':
      return life.write(() => state.safety.pauses.pause('a', 'the signer refused a draft'));
    case 'command':
      return life.write(() => obey(state, one.command, nowMs));
  }
}

it('a process refuses what the killed one before it would have refused, for the same reason', () => {
  const seen = new Map<string, number>();
  const stories = fc.array(fc.tuple(step, fc.boolean()), { minLength: 1, maxLength: 14 });
  const examples = ONE_OF_EACH.map((steps): [[Step, boolean][]] => [steps.map(([one, restarts]) => [one, restarts])]);
  forAll([stories], { numRuns: times(30, 300), examples }, (steps) =>
    inFolder((path) => {
      let life = Life.first(path);
      let nowMs = START_MS;
      for (const [one, restarts] of steps) {
        nowMs += one.kind === 'wait' ? one.ms : 1;
        take(life, one, nowMs);
        const before = life.verdict(nowMs);
        if (!restarts) continue;
        life.ledger.close();
        life = new Life(path);
        expect(life.verdict(nowMs)).toEqual(before);
        seen.set(before.name ?? before.mode, (seen.get(before.name ?? before.mode) ?? 0) + 1);
      }
      life.ledger.close();
    }),
  );
  const kinds = ['halted', 'quoting', 'max_actions_per_second', 'max_actions_per_minute'];
  expect(kinds.filter((kind) => !seen.has(kind))).toEqual([]);
});

it('counts the days of the loss limit by the exchange, not by a clock of ours that is a day ahead', () => {
  const dayOf = (exchangeMs: number | null) =>
    inFolder((path) => {
      const life = new Life(path);
      if (exchangeMs !== null) life.state.clock.venue.observe(exchangeMs, START_MS, START_MS);
      life.verdict(START_MS);
      // The reference for losses after a restart.
      const { day } = JSON.parse(life.ledger.note('loss_guard') ?? '{}') as { day?: string };
      life.ledger.close();
      return day;
    });
  expect(dayOf(START_MS - 86_400_000)).toBe('2026-11-20');
  expect(dayOf(null)).toBe('2026-11-21');
});

describe('a part of a loss limit that holds the trader back', () => {
  const risk = limitsOf({
    maxLossDayMicros: m(20 * ONE),
    widenAtLossMicros: m(200_000),
    reduceAtLossMicros: m(400_000),
  });
  /** The trader's mode after each of the commands, after a loss of 9 out of the daily limit of 20. */
  const modesAfter = (...commands: readonly OperatorCommand[]) =>
    inFolder((path) => {
      const life = Life.first(path, risk);
      life.verdict(START_MS);
      take(life, { kind: 'set', lost: 9 }, START_MS + 1);
      const modes = [undefined, ...commands].map((command, at) => {
        if (command !== undefined) take(life, { kind: 'command', command }, START_MS + 10 + at);
        return life.verdict(START_MS + 10 + at).mode;
      });
      const { heldBack, wayBack } = makeSnapshot(life.state, START_MS + 20);
      life.ledger.close();
      return { modes, heldBack, wayBack };
    });

  it('stays until a person accepts that loss with a reason: then the limit is measured anew', () => {
    expect(modesAfter({ kind: 'resume', reason: '' })).toMatchObject({
      modes: ['reducing', 'reducing'],
      heldBack: { rung: 'reducing', reason: expect.stringContaining('9 lost today') },
      wayBack: 'resume --reason TEXT',
    });
    const free = { modes: ['reducing', 'quoting'], heldBack: null, wayBack: '' };
    expect(modesAfter({ kind: 'resume', reason })).toEqual(free);
  });

  it.each([
    ['a market that is paused', (life: Life) => life.state.safety.pauses.pause('a', 'the signer refused')],
    ['an odd fill', (life: Life) => life.state.safety.guards.fillAlarm.raise('a fill at a worse price')],
  ])('%s names the command that lifts it', (_, stop) =>
    inFolder((path) => {
      const life = Life.first(path, risk);
      life.verdict(START_MS);
      expect(makeSnapshot(life.state, START_MS).wayBack).toBe('');
      life.write(() => stop(life));
      expect(makeSnapshot(life.state, START_MS).wayBack).toBe('resume --reason TEXT');
      life.ledger.close();
    }),
  );

  it('is not accepted by who resumes from a pause', () => {
    const paused = [
      { kind: 'pause', reason },
      { kind: 'resume', reason },
    ] as const;
    expect(modesAfter(...paused).modes).toEqual(['reducing', 'paused', 'reducing']);
  });
});

it('a halt by the loss of a fill is stored with the fill, before the next valuation', () =>
  inFolder((path) => {
    const risk = limitsOf({ maxLossDayMicros: m(5 * ONE) });
    const life = Life.first(path, risk);
    life.verdict(START_MS);
    life.write(() => {
      buySet(life, 9, START_MS + 1);
      life.state.safety.countFill(fillOf(), START_MS + 1);
    });
    life.ledger.close();
    const next = new Life(path, risk);
    expect(next.state.safety.guards.halted).toContain('lost 9');
    next.ledger.close();
  }));
