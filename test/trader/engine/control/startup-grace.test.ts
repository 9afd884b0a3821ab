import { describe, expect, it } from 'vitest';
import type { OperatorCommand } from '../../../../src/shared/protocol/seam.js';
import { isInStartupGrace, isUnassigned } from '../../../../src/trader/engine/quoting/event-turns.js';
import { QuoteSlot } from '../../../../src/trader/engine/quoting/quote-slot.js';
import { withLedger } from '../../ledger/books.js';
import { limitsOf } from '../../risk/states.js';
import { START_MS, settingsOf, stateOf, strategyOf } from '../played-trader.js';

const MAX_AGE_MS = 30_000;
const RISK = limitsOf({ maxBookAgeMs: MAX_AGE_MS });

const FIRST = {
  ids: ['a'],
  /** Time since the first observation. */
  ageMs: 100,
  started: false,
  command: null as OperatorCommand | null,
  catalog: false,
  pausedMarket: false,
};
type Moment = typeof FIRST;

/** Judges an order at the start in market `a`, whose book is unknown. */
const atMoment = (changes: Partial<Moment>) =>
  withLedger((ledger) => {
    const { ids, ageMs, started, command, catalog, pausedMarket } = { ...FIRST, ...changes };
    const strategy = strategyOf(ids, undefined, RISK);
    const state = stateOf(ledger, settingsOf({ risk: RISK, strategies: [strategy] }));
    state.clock.bornMs = START_MS;
    state.clock.seenMs = START_MS + ageMs;
    if (started) state.safety.modes.isStarted = true;
    if (command !== null) state.safety.modes.apply(command);
    if (catalog) state.markets.onCatalog([], () => false, START_MS);
    if (pausedMarket) ledger.transaction(() => state.safety.pauses.pause('a', 'the signer refused a draft'));
    return { unread: isInStartupGrace(state, new QuoteSlot('a', strategy), null), unassigned: isUnassigned(state) };
  });

const reason = 'because';

describe('what rests when a process begins', () => {
  it.each<[string, Partial<Moment>, boolean]>([
    ['is left while own state is read', {}, true],
    ['is left while its book is read', { started: true }, true],
    ['is left for as long as a book may be old', { ageMs: MAX_AGE_MS }, true],
    ['is pulled after that', { ageMs: MAX_AGE_MS + 1 }, false],
    ['is pulled when the clock was set back, for nobody knows how old it is', { ageMs: -1 }, false],
    ['is pulled under a kill', { command: { kind: 'kill', reason } }, false],
    ['is pulled under a pause', { command: { kind: 'pause', reason } }, false],
    ['is pulled when everything is to be canceled', { command: { kind: 'cancel-all' } }, false],
    ['is pulled when the trader is to stop', { command: { kind: 'stop' } }, false],
    ['is left while it only reduces', { started: true, command: { kind: 'reduce-only', reason } }, true],
    ['is pulled in a market that is paused', { pausedMarket: true }, false],
  ])('%s', (_, moment, unread) => expect(atMoment(moment).unread).toBe(unread));

  it.each<[string, Partial<Moment>, boolean]>([
    ['waits for the catalog where strategies take their markets from it', { ids: [] }, true],
    ['waits for nothing where they name them', {}, false],
    ['waits no longer once the catalog was seen', { ids: [], catalog: true }, false],
    ['waits no longer than a book may be old', { ids: [], ageMs: MAX_AGE_MS + 1 }, false],
    ['waits for nothing under a kill', { ids: [], command: { kind: 'kill', reason } }, false],
  ])('and is of no strategy %s', (_, moment, unassigned) => expect(atMoment(moment).unassigned).toBe(unassigned));
});
