/**
 * Messages between guardian and trader, and the input of the guardian's decision. Both write one small file
 * beside the ledger, over and over: the trader its heartbeat, the guardian its actions. Neither uses the other's
 * clock: a file says only *that* something was done since the last look, and each measures the time between two looks by
 * its own clock that never steps.
 */

import { z } from 'zod';

export const locateHeartbeatFile = (ledgerPath: string): string => `${ledgerPath}.heartbeat`;
export const locateReportFile = (ledgerPath: string): string => `${ledgerPath}.guardian`;

const processMark = z.object({ pid: z.number().int().positive(), born: z.string().nullable() });

/** Last beat of the trader. */
export const heartbeatSchema = z.object({
  /** Drawn at each start of the trader. */
  run: z.string().min(1),
  process: processMark,
  /** One more with each beat of a run. */
  count: z.number().int().nonnegative(),
  /**
   * - `starting`: it opens its ledger, reaches for the exchange; nothing of ours is looked after yet
   * - `trading`: its core takes steps; a beat is written after a step, by the loop that took it
   * - `ended`: it ended after two reads had proven that nothing rests
   */
  phase: z.enum(['starting', 'trading', 'ended']),
  /** Whether an order of ours may rest at the exchange. Once `trading`, only `ended` takes it back. */
  mayRest: z.boolean(),
  /** It was killed, halted or is being stopped: whatever rests has to go. */
  nothingMayRest: z.boolean(),
  /** Fleet only: time from this beat during which no other trader can have its wallet, ms; null for a single trader. */
  oursForMs: z.number().nullable(),
});
export type Heartbeat = Readonly<z.infer<typeof heartbeatSchema>>;

/** Last report of the guardian. */
export const reportSchema = z.object({
  run: z.string().min(1),
  process: processMark,
  count: z.number().int().nonnegative(),
  /** Whether it outlives the trader, because its own unit started it. */
  stays: z.boolean(),
  /**
   * - `opening`: it cannot cancel yet, or not any more: the text says why
   * - `watching`: the trader's heart beats, or nothing rests that needs it
   * - `canceling`: the heart stopped and nothing is proven yet
   * - `secured`: the heart stopped; rounds some seconds apart found nothing resting
   * - `ended`: it is gone, as it should be
   * - `failed`: it is gone because it cannot guard: the text says why
   */
  state: z.enum(['opening', 'watching', 'canceling', 'secured', 'ended', 'failed']),
  /** For a person. */
  text: z.string(),
});
export type GuardianReport = Readonly<z.infer<typeof reportSchema>>;
export type GuardianState = GuardianReport['state'];

/** In a few words, for status lines. */
export const describeReport = ({ process, state, text }: GuardianReport): string =>
  `${state}, process ${process.pid}${text === '' ? '' : `: ${text}`}`;

/** Rules of every decision. */
export interface GuardianRules {
  /** Silence that raises the alarm, ms. */
  readonly timeoutMs: number;
  /** Time after the last seen order in which one may still start to rest: a draft's lifetime and the time of a submit, ms. */
  readonly lateOrdersMs: number;
  /** It was started by its own unit: it outlives every run of the trader. */
  readonly stays: boolean;
  /**
   * Its money is not real: it gives up when the ledger is gone, or when the exchange was not reached for
   * `paperPatienceMs`, and leaves no process behind on a developer's machine. Null for real money: it never gives up.
   */
  readonly paperPatienceMs: number | null;
}

/** One observation. `nowMs` is the guardian's own clock: it never steps, and its start is arbitrary. */
export type GuardianObservation =
  | {
      readonly kind: 'look';
      readonly nowMs: number;
      /** Null when there is no file; `unreadable` while it is being written, or when it holds something else. */
      readonly heartbeat: Heartbeat | 'unreadable' | null;
      /** Whether the process that wrote it is known to be gone. */
      readonly traderGone: boolean;
      /** Whether the ledger's file is known to be gone. */
      readonly ledgerGone: boolean;
    }
  | {
      readonly kind: 'round';
      readonly nowMs: number;
      /** `empty`: two reads showed that nothing rests. `canceled`: something did. `failed`: it is not known. */
      readonly outcome: 'empty' | 'canceled' | 'failed';
      /** For a person. */
      readonly text: string;
    }
  /** Request to the guardian to end: a signal. */
  | { readonly kind: 'ask-to-end'; readonly nowMs: number };

export type GuardianAction =
  /** Leave the mark that keeps a trader which wakes, or is started, from quoting on. */
  | { readonly kind: 'leave-mark'; readonly reason: string }
  /** Cancel everything once and read the resting orders twice; the outcome is a `round`. Never two at a time. */
  | { readonly kind: 'cancel' }
  /** Something for the guardian's own record. */
  | { readonly kind: 'record'; readonly severity: 'quiet' | 'loud'; readonly text: string }
  | { readonly kind: 'end'; readonly text: string };
