import { expect, it } from 'vitest';
import { boundedCall, CallTimedOut } from '../../../src/shell/runtime/bounded-call.js';

const LIMIT_MS = 100;

it('a call that had no processor is made again, not stopped', () => {
  let calls = 0;
  // Threads of the collector and the compiler count too, so the limit is far above their work.
  const call = boundedCall(30 * LIMIT_MS);
  const told = call(() => {
    calls += 1;
    // As on a busy machine: time passes without work.
    if (calls < 2) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60 * LIMIT_MS);
    return 'quotes';
  });
  expect([told, calls]).toEqual(['quotes', 2]);
});

it('one that works for as long as it may is cut short, and the next is made as ever', () => {
  const call = boundedCall(LIMIT_MS);
  expect(() =>
    call(() => {
      for (;;);
    }),
  ).toThrow(CallTimedOut);
  expect(call(() => 1)).toBe(1);
});

it('what a call throws itself is thrown, at once', () => {
  let calls = 0;
  const fail = () => {
    calls += 1;
    throw new Error('a bug of its own');
  };
  // Long enough that no busy machine interrupts it, which would repeat the call.
  expect(() => boundedCall(600 * LIMIT_MS)(fail)).toThrow('a bug of its own');
  expect(calls).toBe(1);
});
