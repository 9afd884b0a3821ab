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
  /** Random, new at each start of the trader. */
  run: z.string().min(1),
  process: processMark,
  /** Incremented with each beat of a run. */
  count: z.number().int().nonnegative(),
  /**
   * - `starting`: it opens its ledger, reaches for the exchange; nothing of ours is looked after yet
   * - `trading`: its core takes steps; a beat is written after a step, by the loop that took it
   * - `ended`: it ended after two reads had proven that nothing rests
   */
  phase: z.enum(['starting', 'trading', 'ended']),
  /** Whether an own order may rest at the exchange. After `trading`, only `ended` clears it. */
  mayRest: z.boolean(),
  /** Killed, halted or stopping: resting orders must go. */
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
  text: z.string(),
});
export type GuardianReport = Readonly<z.infer<typeof reportSchema>>;
export type GuardianState = GuardianReport['state'];

export const describeReport = ({ process, state, text }: GuardianReport): string =>
  `${state}, process ${process.pid}${text === '' ? '' : `: ${text}`}`;

export interface GuardianRules {
  /** Time without a beat that raises the alarm, ms. */
  readonly timeoutMs: number;
  /**
   * Time after the last seen order in which one may still begin to rest: a draft's lifetime and the time of a submit,
   * ms.
   */
  readonly lateOrdersMs: number;
  /** Started by its own unit: it outlives every run of the trader. */
  readonly stays: boolean;
  /**
   * For play money: it ends when the ledger is gone, or when the exchange was unreachable for this long, ms, so that no
   * process stays on a developer's machine. Null for real money: it never ends by itself.
   */
  readonly paperPatienceMs: number | null;
}

/** One observation. `nowMs` is the guardian's monotonic clock with an arbitrary start. */
export type GuardianObservation =
  | {
      readonly kind: 'look';
      readonly nowMs: number;
      /** Null without a file; `unreadable` during a write, or for other content. */
      readonly heartbeat: Heartbeat | 'unreadable' | null;
      /** Whether the process that wrote it is known to have ended. */
      readonly traderGone: boolean;
      /** Whether the ledger's file is known to be gone. */
      readonly ledgerGone: boolean;
    }
  | {
      readonly kind: 'round';
      readonly nowMs: number;
      /** `empty`: two reads showed that nothing rests. `canceled`: something rested. `failed`: unknown. */
      readonly outcome: 'empty' | 'canceled' | 'failed';
      readonly text: string;
    }
  /** A signal asks the guardian to end. */
  | { readonly kind: 'ask-to-end'; readonly nowMs: number };

export type GuardianAction =
  /** Writes the mark that keeps a trader from quoting when it wakes or starts. */
  | { readonly kind: 'leave-mark'; readonly reason: string }
  /** Cancels everything once and reads the resting orders twice; the outcome is a `round`. Never two at a time. */
  | { readonly kind: 'cancel' }
  | { readonly kind: 'record'; readonly severity: 'quiet' | 'loud'; readonly text: string }
  | { readonly kind: 'end'; readonly text: string };
