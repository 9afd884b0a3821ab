/** The loop between the core and the code that performs its requests: their order, and the handling of an error. */

import { expect, it } from 'vitest';
import type { Observation } from '../../../src/shared/protocol/seam.js';
import { Loop } from '../../../src/shell/runtime/loop.js';

const broken = new Error('the ledger is broken');
const fail = () => {
  throw broken;
};

/** A core that keeps its observations. */
const coreOf = (seen: Observation[]) => ({
  handle: (observation: Observation) => {
    seen.push(observation);
    return [];
  },
});

/** A loop around this core, and the errors that ended it. */
function loopOf(core: ConstructorParameters<typeof Loop>[0], hooks: Partial<ConstructorParameters<typeof Loop>[1]>) {
  const failures: unknown[] = [];
  const onFailure = (error: unknown) => void failures.push(error);
  const perform = () => Promise.reject(broken);
  const whole = { perform, before: () => null, afterStep: () => undefined, onFailure, ...hooks };
  return { loop: new Loop(core, whole), failures };
}

it('a core that throws ends the loop, even when nobody can be told of the step', () => {
  const told = () => {
    throw new Error('nor can this be written');
  };
  const { loop, failures } = loopOf({ handle: fail }, { afterStep: told });
  expect(() => loop.start()).not.toThrow();
  expect(loop.command({ kind: 'stop' })).toBe(false);
  expect(failures).toEqual([broken]);
});

it('what must be obeyed comes before what was seen, at the time of what was seen', () => {
  const seen: Observation[] = [];
  const kill = { kind: 'kill', reason: 'a file' } as const;
  const { loop } = loopOf(coreOf(seen), { before: () => (seen.length === 0 ? kill : null) });
  expect(loop.command({ kind: 'reconcile' })).toBe(true);
  const [first, second] = seen;
  expect(first).toMatchObject({ kind: 'command', command: kill, nowMs: second?.nowMs });
  expect(second).toMatchObject({ kind: 'command', command: { kind: 'reconcile' } });
});

it('what must be obeyed and cannot even be read ends the loop before the step', () => {
  const seen: Observation[] = [];
  const { loop, failures } = loopOf(coreOf(seen), { before: fail });
  expect(loop.command({ kind: 'stop' })).toBe(false);
  expect(failures).toEqual([broken]);
  expect(seen).toEqual([]);
});
