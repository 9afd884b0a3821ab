import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OperatorCommand } from '../../../../src/shared/protocol/seam.js';
import { LADDER, type Mode, Modes } from '../../../../src/trader/engine/control/modes.js';
import { forAll } from '../../for-all.js';

type Stops = Parameters<Modes['mode']>[0];

const NO_STOPS: Stops = { halted: null, reducing: null, widened: null };
const reason = 'because';

/** All own records were read. */
function started(stored: Partial<Modes['stored']> = {}): Modes {
  const modes = new Modes(stored);
  modes.isStarted = true;
  return modes;
}

const modeOf = (modes: Modes, stops: Partial<Stops> = {}): Mode => modes.mode({ ...NO_STOPS, ...stops }).mode;

/** As the trader does it: a rejected command has no effect. */
function say(modes: Modes, command: OperatorCommand, stopped: string | null = null): string | null {
  const refusal = modes.refusal(command, stopped);
  if (refusal === null) modes.apply(command);
  return refusal;
}

const COMMANDS: readonly OperatorCommand[] = [
  ...(['widen', 'reduce-only', 'pause', 'resume', 'kill', 'unkill'] as const).map((kind) => ({ kind, reason })),
  { kind: 'resume', reason: '' },
  { kind: 'unkill', reason: '' },
  ...(['cancel-all', 'flatten', 'stop'] as const).map((kind) => ({ kind })),
];

describe('modes', () => {
  it('let nothing quote before everything of ours has been seen', () => {
    const modes = new Modes({});
    expect(modeOf(modes)).toBe('starting');
    modes.isStarted = true;
    expect(modeOf(modes)).toBe('quoting');
  });

  it('give way to the strictest that applies, rung by rung', () => {
    const modes = started();
    modes.apply({ kind: 'widen', reason });
    expect(modes.mode(NO_STOPS)).toEqual({ mode: 'widened', reason });
    modes.apply({ kind: 'reduce-only', reason });
    expect(modes.mode(NO_STOPS)).toEqual({ mode: 'reducing', reason });
    modes.apply({ kind: 'pause', reason });
    expect(modeOf(modes)).toBe('paused');
    modes.apply({ kind: 'cancel-all' });
    expect(modeOf(modes)).toBe('canceling');
    expect(modeOf(modes, { halted: 'lost 50 today' })).toBe('halted');
    modes.apply({ kind: 'flatten' });
    expect(modeOf(modes, { halted: 'lost 50 today' })).toBe('flattening');
    modes.apply({ kind: 'kill', reason });
    expect(modes.mode({ ...NO_STOPS, halted: 'lost 50 today' })).toEqual({ mode: 'killed', reason });
    modes.apply({ kind: 'stop' });
    expect(modeOf(modes)).toBe('stopping');
  });

  it('keep a kill over a restart, prove it anew, and let resume not lift it', () => {
    const modes = new Modes({});
    modes.apply({ kind: 'kill', reason });
    modes.apply({ kind: 'pause', reason });
    const again = started(modes.stored);
    expect(again.wantsProof).toBe(true);
    again.apply({ kind: 'resume', reason });
    expect(modeOf(again)).toBe('killed');
    again.proof(0, 1);
    again.proof(0, 2);
    again.apply({ kind: 'unkill', reason });
    expect(modeOf(again)).toBe('quoting');
  });

  it('call it proven only after two reads in a row that show nothing, with nothing under way between them', () => {
    const modes = started();
    modes.apply({ kind: 'stop' });
    modes.proof(0, 1);
    modes.proof(1, 2);
    modes.proof(0, 3);
    expect(modeOf(modes)).toBe('stopping');
    modes.onUnsettled();
    modes.proof(0, 4);
    expect([modeOf(modes), modes.wantsProof]).toEqual(['stopping', true]);
    modes.proof(0, 5);
    expect([modeOf(modes), modes.wantsProof, modes.provenMs]).toEqual(['stopped', false, 5]);
  });

  it('take up a cancel-all over restarts until it is proven, also one that was resumed meanwhile', () => {
    let modes = started();
    modes.apply({ kind: 'cancel-all' });
    modes.apply({ kind: 'resume', reason });
    modes.proof(0, 1);
    modes = started(modes.stored);
    expect(modeOf(modes)).toBe('canceling');
    modes.proof(0, 2);
    expect(modeOf(started(modes.stored))).toBe('canceling');
    modes.proof(0, 3);
    expect(modeOf(started(modes.stored))).toBe('quoting');
  });

  it('flatten only once it is known what is ours, and end paused', () => {
    const modes = new Modes({});
    modes.apply({ kind: 'flatten' });
    expect(modeOf(modes)).toBe('paused');
    modes.isStarted = true;
    expect(modeOf(modes)).toBe('flattening');
    expect(modeOf(started(modes.stored))).toBe('paused');
    modes.onFlat();
    expect(modeOf(modes)).toBe('paused');
  });
});

describe('resuming', () => {
  const RESUME: OperatorCommand = { kind: 'resume', reason: '' };
  const WITH_REASON: OperatorCommand = { kind: 'resume', reason };

  it.each(['widen', 'reduce-only', 'pause'] as const)('needs no reason after %s alone', (kind) => {
    const modes = started();
    modes.apply({ kind, reason });
    expect(say(modes, RESUME)).toBeNull();
    expect(modeOf(modes)).toBe('quoting');
  });

  it('needs a reason after a flatten, also when it was ended by a pause', () => {
    const modes = started();
    modes.apply({ kind: 'flatten' });
    modes.apply({ kind: 'pause', reason });
    expect(say(started(modes.stored), RESUME)).toMatch(/needs a reason .*resume --reason TEXT/);
    expect(say(modes, WITH_REASON)).toBeNull();
    expect(modeOf(modes)).toBe('quoting');
  });

  it('needs a reason where a limit has stopped it, and says which', () => {
    const modes = started();
    modes.apply({ kind: 'pause', reason });
    expect(modes.refusal(RESUME, 'lost 50 today, the limit is 50')).toContain('lost 50 today');
    expect(modes.refusal(WITH_REASON, 'lost 50 today, the limit is 50')).toBeNull();
  });

  it('from a kill is unkill, with a reason', () => {
    const modes = started({ killed: 'odd prices' });
    expect(say(modes, RESUME)).toContain('odd prices');
    expect(say(modes, { kind: 'unkill', reason: '' })).toContain('unkill --reason TEXT');
    expect(say(modes, { kind: 'flatten' })).toContain('is killed (odd prices), so nothing is sold');
    expect(modeOf(modes)).toBe('killed');
    modes.apply({ kind: 'stop' });
    expect(say(modes, { kind: 'flatten' })).toContain('is stopping, so nothing is sold');
  });
});

it.each([
  [{}, NO_STOPS, ''],
  [{ paused: 'lunch' }, NO_STOPS, 'resume'],
  [{ reducing: 'news' }, NO_STOPS, 'resume'],
  [{ widened: 'news' }, NO_STOPS, 'resume'],
  [{ flattened: 'sold' }, NO_STOPS, 'resume --reason TEXT'],
  [{ killed: 'odd prices', paused: 'lunch' }, NO_STOPS, 'unkill --reason TEXT'],
  [{}, { ...NO_STOPS, halted: 'lost 50 today' }, 'resume --reason TEXT'],
  [{ paused: 'lunch' }, { ...NO_STOPS, halted: 'lost 50 today' }, 'resume --reason TEXT'],
  [{}, { ...NO_STOPS, reducing: 'a difference' }, ''],
  [{}, { ...NO_STOPS, widened: 'a part of a limit' }, ''],
])('the way back from %j under %j is "%s"', (stored, stops, command) => {
  const modes = started(stored);
  modes.proof(0, 1);
  modes.proof(0, 2);
  const way = modes.wayBack(modes.mode(stops).mode, stops.halted);
  expect(way).toBe(command);
  const [kind, ...rest] = way.split(' ');
  const reason = rest.length > 0 ? 'looked at it' : '';
  if (kind === 'resume' || kind === 'unkill') expect(modes.refusal({ kind, reason }, stops.halted)).toBeNull();
});

/** The commands that a user would expect to be in force; `out`: out of the market by an operator's command. */
const FREE = { killed: false, out: false, selling: false, reducing: false, widened: false, stopping: false };
type Model = typeof FREE;

function obey(model: Model, command: OperatorCommand): void {
  const { kind } = command;
  if (kind === 'kill') model.killed = true;
  if (kind === 'unkill') model.killed = false;
  if (kind === 'stop') model.stopping = true;
  if (kind === 'widen') model.widened = true;
  if (kind === 'reduce-only') model.reducing = true;
  if (kind === 'pause' || kind === 'flatten') model.out = true;
  if (kind === 'pause' || kind === 'cancel-all' || kind === 'kill' || kind === 'resume') model.selling = false;
  if (kind === 'flatten') model.selling = true;
  if (kind === 'resume') Object.assign(model, { out: false, reducing: false, widened: false });
}

const step = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...COMMANDS) },
  fc.constantFrom('restart' as const, 'proof' as const, 'unproven' as const),
  fc.record({
    halted: fc.option(fc.constant('a limit'), { freq: 2 }),
    reducing: fc.option(fc.constant('a difference'), { freq: 2 }),
    widened: fc.option(fc.constant('a part of a limit'), { freq: 2 }),
  }),
);

it('the ladder lets leave what the rungs in force let leave, over any commands, limits, proofs and restarts', () =>
  forAll([fc.array(step, { maxLength: 40 })], { numRuns: 2_000 }, (steps) => {
    let modes = started();
    let stops = NO_STOPS;
    const model = { ...FREE };
    for (const one of steps) {
      if (one === 'restart') {
        const { canceling } = modes.stored;
        modes = started(JSON.parse(JSON.stringify(modes.stored)) as Modes['stored']);
        if (canceling) expect(modes.wantsProof).toBe(true);
        Object.assign(model, { selling: false, stopping: false });
      } else if (one === 'proof') modes.proof(0, 1);
      else if (one === 'unproven') modes.onUnsettled();
      else if (!('kind' in one)) stops = one;
      else if (say(modes, one, stops.halted) === null) obey(model, one);

      const { orders, stance } = LADDER[modeOf(modes, stops)];
      // After any commands, these modes allow no forbidden order.
      if (model.killed || model.stopping) expect(orders).toBe('none');
      if (orders === 'quotes') {
        expect([model.killed, model.stopping, model.out, stops.halted]).toEqual([false, false, false, null]);
        expect(stance === 'reduce-only').toBe(model.reducing || stops.reducing !== null);
        if (stance === 'normal') expect(model.widened || stops.widened !== null).toBe(false);
      }
      if (orders === 'sales') expect(model.selling).toBe(true);
      // No order is held back for a past reason.
      const free = !model.killed && !model.stopping && !model.out && stops.halted === null && !modes.wantsProof;
      if (free) expect(orders).toBe('quotes');
    }
  }));
