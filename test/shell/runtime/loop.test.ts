/** The loop between the core and the code that performs its requests: their order, and the handling of an error. */

import { expect, it } from 'vitest';
import type { Observation } from '../../../src/shared/protocol/seam.js';
import { Loop } from '../../../src/shell/runtime/loop.js';

const broken = new Error('the ledger is broken');

it('a core that throws ends the loop, even when nobody can be told of the step', () => {
  const failures: unknown[] = [];
  const core = {
    handle: () => {
      throw broken;
    },
  };
  const told = () => {
    throw new Error('nor can this be written');
  };
  const hooks = { before: () => null, afterStep: told, onFailure: (error: unknown) => void failures.push(error) };
  const loop = new Loop(core, { perform: () => Promise.reject(broken) }, hooks);
  expect(() => loop.start()).not.toThrow();
  expect(loop.command({ kind: 'stop' })).toBe(false);
  expect(failures).toEqual([broken]);
});

/** A core that keeps its observations. */
const coreOf = (seen: Observation[]) => ({
  handle: (observation: Observation) => {
    seen.push(observation);
    return [];
  },
});

it('what must be obeyed comes before what was seen, at the time of what was seen', () => {
  const seen: Observation[] = [];
  const core = coreOf(seen);
  const kill = { kind: 'kill', reason: 'a file' } as const;
  const hooks = {
    before: () => (seen.length === 0 ? kill : null),
    afterStep: () => undefined,
    onFailure: () => undefined,
  };
  const loop = new Loop(core, { perform: () => Promise.reject(broken) }, hooks);
  expect(loop.command({ kind: 'reconcile' })).toBe(true);
  const [first, second] = seen;
  expect(first).toMatchObject({ kind: 'command', command: kill, nowMs: second?.nowMs });
  expect(second).toMatchObject({ kind: 'command', command: { kind: 'reconcile' } });
});

it('what must be obeyed and cannot even be read ends the loop before the step', () => {
  const failures: unknown[] = [];
  const seen: Observation[] = [];
  const core = coreOf(seen);
  const before = () => {
    throw broken;
  };
  const hooks = { before, afterStep: () => undefined, onFailure: (error: unknown) => void failures.push(error) };
  expect(new Loop(core, { perform: () => Promise.reject(broken) }, hooks).command({ kind: 'stop' })).toBe(false);
  expect(failures).toEqual([broken]);
  expect(seen).toEqual([]);
});
