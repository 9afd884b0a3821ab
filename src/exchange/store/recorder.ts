/** Makes every mutator of a core write itself into the journal, whoever calls it: handlers, crowd or replay. */

import { type Command, MUTATORS } from '../core/contract.js';
import type { ExchangeCore } from '../core/core.js';

/** Where calls go. */
export interface CommandSink {
  append(command: Command): void;
  assertSound(): void;
}

type AnyMutator = (nowMs: number, ...args: readonly unknown[]) => unknown;

/**
 * From here on each outermost mutator call of `core` is appended to `sink` after it was done and before its result is
 * seen by the caller. Calls that the core makes to itself are part of the outer one and replay with it.
 */
export function recordMutations(core: ExchangeCore, sink: CommandSink): void {
  let depth = 0;
  for (const method of MUTATORS) {
    // Every mutator takes nowMs first and plain JSON after it; that is what the contract says of them all.
    const original = (core[method] as AnyMutator).bind(core);
    const recordCall: AnyMutator = (nowMs, ...args) => {
      if (depth > 0) return original(nowMs, ...args);
      sink.assertSound();
      depth += 1;
      try {
        return original(nowMs, ...args);
      } finally {
        depth -= 1;
        // Also when it threw: whatever it had changed by then, it changes again in a replay.
        sink.append([nowMs, method, args]);
      }
    };
    Object.defineProperty(core, method, { value: recordCall });
  }
}
