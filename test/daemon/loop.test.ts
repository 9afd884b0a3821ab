/** The loop between the core and what performs its requests, when something throws. */

import { expect, it } from 'vitest';
import { Loop } from '../../src/daemon/loop.js';

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
  const loop = new Loop(core, { perform: () => Promise.reject(broken) }, told, (error) => failures.push(error));
  expect(() => loop.start()).not.toThrow();
  loop.command({ kind: 'stop' });
  expect(failures).toEqual([broken]);
});
