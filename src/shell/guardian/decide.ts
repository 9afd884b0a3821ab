/**
 * The guardian's decision: a pure function from state and observation to state and actions. In doubt, the guardian
 * cancels, because an order that it could not read may be open. An alarm ends only after a new heartbeat, or when the
 * silent trader has ended and either two rounds of reads found no order or the wallet is left to its next owner. The
 * trader's silence counts only while the guardian runs. Guardian and trader never use each other's clock: a changed
 * file shows only that its writer was active since the last read. The wall clock is used only for the lease of a silent
 * trader.
 */

import { z } from 'zod';

export const locateHeartbeatFile = (ledgerPath: string): string => `${ledgerPath}.heartbeat`;
export const locateReportFile = (ledgerPath: string): string => `${ledgerPath}.guardian`;

const processMark = z.object({ pid: z.number().int().positive(), born: z.string().nullable() });

export const heartbeatSchema = z.object({
  run: z.string().min(1),
  process: processMark,
  count: z.number().int().nonnegative(),
  /**
   * - `starting`: the trader does not manage orders yet
   * - `trading`: the core runs, and its steps write heartbeats
   * - `ended`: two reads have proven that no order rests
   */
  phase: z.enum(['starting', 'trading', 'ended']),
  /** Whether an own order may rest at the exchange. Once true, it stays true until a proof that no order rests. */
  mayRest: z.boolean(),
  /** Whether the trader is killed, halted or stopping, so that resting orders must be canceled. */
  nothingMayRest: z.boolean(),
  /** Time after this heartbeat until another trader of the fleet may own the wallet, ms; null if there is no fleet. */
  oursForMs: z.number().nullable(),
});
export type Heartbeat = Readonly<z.infer<typeof heartbeatSchema>>;

export const reportSchema = z.object({
  run: z.string().min(1),
  process: processMark,
  count: z.number().int().nonnegative(),
  /** Whether the guardian continues after the trader's end, because it runs as its own service. */
  stays: z.boolean(),
  /**
   * - `opening`: the guardian cannot cancel now; `text` has the reason
   * - `watching`: there is no alarm, or a killed trader's orders are proven gone
   * - `canceling`: the heartbeat stopped; orders may rest
   * - `secured`: the heartbeat stopped; two rounds found no resting order
   * - `ended`, `failed`: the guardian has ended; `failed` if it could not load its wallet or API key
   */
  state: z.enum(['opening', 'watching', 'canceling', 'secured', 'ended', 'failed']),
  text: z.string(),
});
export type GuardianReport = Readonly<z.infer<typeof reportSchema>>;
export type GuardianState = GuardianReport['state'];

/** States of a guardian that can cancel orders. */
export const ABLE: readonly string[] = ['watching', 'canceling', 'secured'] satisfies readonly GuardianState[];
/** Time without a new report after which a guardian counts as hanging, ms; guardians write four reports a second. */
export const HANGS_AFTER_MS = 5_000;

export const describeReport = ({ process, state, text }: GuardianReport): string =>
  `${state}, process ${process.pid}${text === '' ? '' : `: ${text}`}`;

export interface GuardianRules {
  readonly timeoutMs: number;
  /** Time after the last seen order in which another order may still appear, ms: a draft's lifetime plus a submit. */
  readonly lateOrdersMs: number;
  readonly stays: boolean;
  /** With paper money: time without an exchange, ms, after which the guardian ends. Null if real money is traded. */
  readonly paperPatienceMs: number | null;
}

/** Input of one decision. `nowMs` is the guardian's monotonic clock, which has an arbitrary start. */
export type GuardianObservation =
  | {
      readonly kind: 'look';
      readonly nowMs: number;
      /** The trader's heartbeat; null if there is no file, `unreadable` for invalid or partly written content. */
      readonly heartbeat: Heartbeat | 'unreadable' | null;
      /** Time since the heartbeat file was written, by the wall clock, ms. */
      readonly ageMs: number;
      /** Whether the process that wrote the heartbeat has certainly ended. */
      readonly traderGone: boolean;
      /** Whether the ledger's file certainly no longer exists. */
      readonly ledgerGone: boolean;
    }
  | {
      readonly kind: 'round';
      readonly nowMs: number;
      /** `empty`: two reads showed no resting order. `canceled`: an order was open. `failed`: reads failed. */
      readonly outcome: 'empty' | 'canceled' | 'failed';
      readonly text: string;
    }
  | { readonly kind: 'ask-to-end'; readonly nowMs: number };

export type GuardianAction =
  /** Writes the stop file. While the file exists, a recovering or newly started trader does not quote. */
  | { readonly kind: 'leave-mark'; readonly reason: string }
  /** Cancels all orders once, reads resting orders twice, and reports the outcome as `round`. Rounds never overlap. */
  | { readonly kind: 'cancel' }
  | { readonly kind: 'record'; readonly severity: 'quiet' | 'loud'; readonly text: string }
  | { readonly kind: 'end'; readonly text: string };

/** Maximum time counted per check as the trader's silence, ms: the guardian itself may have been asleep longer. */
const LONGEST_STEP_MS = 1_000;
/** Time without trading after a start that raises an alarm if an earlier run's orders may rest, ms; longer in a fleet. */
const STARTING_LIMIT_MS = 60_000;
/** Time until the guardian helps a killed but running trader to cancel, ms: the trader's requests may be blocked. */
const PULLING_LIMIT_MS = 5_000;
/** Interval of rounds for a killed trader after two rounds found no order, ms. */
const KILLED_MS = 60_000;
/** Number of consecutive rounds without a resting order that count as proof that no order rests. */
const EMPTY_ROUNDS = 2;
/** Number of consecutive answered rounds after which orders that still rest are left to the wallet's next owner. */
const LEAVING_ROUNDS = 5;
/** Pause after a round of cancels that found an order, ms. */
const AGAIN_MS = 500;
/** Pause after a round that found no order, ms: an interrupted request needs time to arrive. */
const AGREE_MS = 2_000;
/** Interval of rounds for a silent trader after two rounds found no order, ms: a late order may still appear. */
const SECURED_MS = 10_000;
const RETRY_MS = { first: 1_000, longest: 15_000 } as const;

interface Alarm {
  /** `silence`: the heartbeat stopped. `pulling`: the heartbeat continues, but for 5 s no order was allowed to rest. */
  readonly cause: 'silence' | 'pulling';
  readonly nextRoundMs: number;
  readonly emptyRounds: number;
  /** Number of consecutive rounds that did not fail. */
  readonly answeredRounds: number;
  readonly failures: number;
  /** Time when the first of the consecutive failed rounds ended, ms; null if the last round did not fail. */
  readonly failingSinceMs: number | null;
  /** Time when a resting order was last seen, ms; the alarm's start if no order was seen. */
  readonly orderSeenMs: number;
  readonly text: string;
}

interface GuardianMind {
  /** Last readable heartbeat. Before the first heartbeat: null without a file, `unreadable` for an invalid file. */
  readonly heartbeat: Heartbeat | 'unreadable' | null;
  readonly lookedMs: number | null;
  readonly silentMs: number;
  /** `silentMs`, or the present age of the heartbeat file if larger, ms. The age includes the guardian's sleep. */
  readonly sinceBeatMs: number;
  readonly startingMs: number;
  /** Time for which no order of the trader has been allowed to rest, ms; 0 if orders may rest. */
  readonly pullingMs: number;
  readonly alarm: Alarm | null;
  /** Whether a round of cancels is in progress, possibly for an alarm that has ended. */
  readonly isRound: boolean;
  /** Whether the alarm about the last heartbeat is over, because the trader has ended and no cancels are due. */
  readonly isSettled: boolean;
  readonly isAskedToEnd: boolean;
}

type Decision = Readonly<{ mind: GuardianMind; actions: readonly GuardianAction[] }>;

export const FRESH_MIND: GuardianMind = {
  heartbeat: null,
  lookedMs: null,
  silentMs: 0,
  sinceBeatMs: 0,
  startingMs: 0,
  pullingMs: 0,
  alarm: null,
  isRound: false,
  isSettled: false,
  isAskedToEnd: false,
};

export function decide(mind: GuardianMind, rules: GuardianRules, observation: GuardianObservation): Decision {
  switch (observation.kind) {
    case 'look':
      return onLook(mind, rules, observation);
    case 'round':
      return onRound(mind, observation);
    case 'ask-to-end':
      return onAsk(mind, rules);
  }
}

type GuardianPoll = Extract<GuardianObservation, { kind: 'look' }>;
type GuardianRound = Extract<GuardianObservation, { kind: 'round' }>;

function onLook(before: GuardianMind, rules: GuardianRules, look: GuardianPoll): Decision {
  const mind = noteHeartbeat(before, look);
  const end = reasonToEnd(mind, rules, look);
  if (end !== null) return { mind, actions: [{ kind: 'end', text: end }] };
  const why = mind.alarm?.cause === 'silence' ? null : reasonForAlarm(mind, rules);
  if (why !== null) return raise(mind, look, why);
  if (mind.alarm === null) return mind.pullingMs < PULLING_LIMIT_MS ? { mind, actions: [] } : helpToPull(mind, look);
  if (mind.alarm.cause === 'pulling') {
    if (!isPulling(mind.heartbeat)) return standDown(mind, 'the trader may quote again, or has ended', 'quiet');
  } else if (['trading', 'ended'].includes(phaseOf(mind.heartbeat) ?? '') && mind.silentMs === 0) {
    return standDown(mind, 'the trader manages its orders again');
  }
  if (mind.isRound) return { mind, actions: [] };
  const over = reasonToSettle(mind, mind.alarm, rules, look);
  if (over !== null) return standDown({ ...mind, isSettled: true }, over);
  if (isLeftToOthers(mind, mind.alarm, rules) || look.nowMs < mind.alarm.nextRoundMs) return { mind, actions: [] };
  return { mind: { ...mind, isRound: true }, actions: [{ kind: 'cancel' }] };
}

function noteHeartbeat(mind: GuardianMind, { nowMs, heartbeat, ageMs }: GuardianPoll): GuardianMind {
  const awakeMs = mind.lookedMs === null ? 0 : Math.min(Math.max(0, nowMs - mind.lookedMs), LONGEST_STEP_MS);
  const known =
    heartbeat === null || (heartbeat === 'unreadable' && mind.heartbeat !== null) ? mind.heartbeat : heartbeat;
  const moved = isAnother(known, mind.heartbeat);
  const isStarting = phaseOf(known) === 'starting' && mayRest({ heartbeat: known, isSettled: mind.isSettled });
  const silentMs = moved ? 0 : mind.silentMs + awakeMs;
  // Each field is copied by name, because this code runs at every check, and an object spread is far slower.
  return {
    heartbeat: known,
    lookedMs: nowMs,
    silentMs,
    // Without a heartbeat file its age is unknown.
    sinceBeatMs: heartbeat === null ? mind.sinceBeatMs + awakeMs : Math.max(silentMs, ageMs),
    startingMs: isStarting ? mind.startingMs + awakeMs : 0,
    pullingMs: isPulling(known) ? mind.pullingMs + awakeMs : 0,
    alarm: mind.alarm,
    isRound: mind.isRound,
    isSettled: mind.isSettled && !moved,
    isAskedToEnd: mind.isAskedToEnd,
  };
}

type Found = GuardianMind['heartbeat'];

const readable = (found: Found): Heartbeat | null => (found === 'unreadable' ? null : found);

function isAnother(found: Found, before: Found): boolean {
  const [now, last] = [readable(found), readable(before)];
  return now !== null && (now.count !== last?.count || now.run !== last.run);
}

const phaseOf = (found: Found): Heartbeat['phase'] | null => readable(found)?.phase ?? null;

/** Returns the rest of the lease at the last heartbeat, ms; null without a fleet. */
const leaseOf = ({ heartbeat }: GuardianMind): number | null => readable(heartbeat)?.oursForMs ?? null;

const isPulling = (found: Found): boolean => phaseOf(found) === 'trading' && readable(found)?.nothingMayRest === true;

/** Returns whether an order may rest: false without a heartbeat file, true for an unreadable file. */
function mayRest({ heartbeat, isSettled }: Pick<GuardianMind, 'heartbeat' | 'isSettled'>): boolean {
  if (heartbeat === null || isSettled) return false;
  return heartbeat === 'unreadable' || (heartbeat.mayRest && heartbeat.phase !== 'ended');
}

function reasonForAlarm(mind: GuardianMind, { timeoutMs, lateOrdersMs }: GuardianRules): string | null {
  if (!mayRest(mind)) return null;
  if (mind.silentMs >= timeoutMs) return `no heartbeat for ${seconds(mind.silentMs)}`;
  // A trader that takes over a wallet cancels, waits for late orders, and cancels again before it trades.
  const takeOverMs = leaseOf(mind) === null ? 0 : 2 * lateOrdersMs;
  if (mind.startingMs < STARTING_LIMIT_MS + takeOverMs) return null;
  return `no trader began to trade within ${seconds(mind.startingMs)}`;
}

function raise(mind: GuardianMind, { nowMs, traderGone }: GuardianPoll, why: string): Decision {
  const heartbeat = readable(mind.heartbeat);
  const who = heartbeat === null ? 'the trader' : `process ${heartbeat.process.pid}`;
  const reason = `guardian: ${why}; ${who} ${traderGone ? 'has ended' : 'is still there but does not answer'}`;
  return begin(mind, makeAlarm('silence', reason, nowMs), [
    { kind: 'record', severity: 'loud', text: `ALARM: ${reason}; canceling everything` },
    { kind: 'leave-mark', reason },
  ]);
}

/** Begins to cancel. Writes no stop file, because a trader with a heartbeat knows its orders and accepts commands. */
function helpToPull(mind: GuardianMind, { nowMs }: GuardianPoll): Decision {
  const text = `quoting was off for ${seconds(mind.pullingMs)}, so no order may be open: the guardian reads and cancels open orders`;
  return begin(mind, makeAlarm('pulling', text, nowMs), [{ kind: 'record', severity: 'quiet', text }]);
}

const makeAlarm = (cause: Alarm['cause'], text: string, nowMs: number): Alarm => ({
  cause,
  nextRoundMs: nowMs,
  emptyRounds: 0,
  answeredRounds: 0,
  failures: 0,
  failingSinceMs: null,
  orderSeenMs: nowMs,
  text,
});

/** Begins the first round of cancels of an alarm, unless a round of the previous alarm is in progress. */
function begin(mind: GuardianMind, alarm: Alarm, actions: readonly GuardianAction[]): Decision {
  if (mind.isRound) return { mind: { ...mind, alarm }, actions };
  return { mind: { ...mind, alarm, isRound: true }, actions: [...actions, { kind: 'cancel' }] };
}

const standDown = (mind: GuardianMind, text: string, severity: 'quiet' | 'loud' = 'loud'): Decision => ({
  mind: { ...mind, alarm: null },
  actions: [{ kind: 'record', severity, text }],
});

const isSecured = ({ emptyRounds }: Alarm): boolean => emptyRounds >= EMPTY_ROUNDS;

/** Returns whether canceling is left to the wallet's next owner in the fleet; false until several rounds are answered. */
function isLeftToOthers(mind: GuardianMind, alarm: Alarm, { lateOrdersMs }: GuardianRules): boolean {
  const leaseMs = leaseOf(mind);
  if (leaseMs === null) return false;
  const sinceMs = mind.sinceBeatMs - leaseMs;
  return sinceMs >= 0 && (isSecured(alarm) || (sinceMs >= lateOrdersMs && alarm.answeredRounds >= LEAVING_ROUNDS));
}

/** Returns why the alarm about an ended trader is over; null while an order or a restarted trader may appear. */
function reasonToSettle(mind: GuardianMind, alarm: Alarm, rules: GuardianRules, look: GuardianPoll): string | null {
  if (alarm.cause !== 'silence' || !look.traderGone) return null;
  // After its lease a restarted trader takes over. A wrong wall clock must not end the alarm.
  const leaseMs = leaseOf(mind);
  if (leaseMs !== null && mind.silentMs - leaseMs < rules.lateOrdersMs) return null;
  if (isLeftToOthers(mind, alarm, rules))
    return 'the silent trader has ended, and the wallet is left to its next owner';
  const isProven = isSecured(alarm) && look.nowMs - alarm.orderSeenMs >= rules.lateOrdersMs;
  return isProven ? 'no order rests, and the silent trader has ended' : null;
}

/** Returns whether a guardian that was asked to end may end. */
const mayLeave = (mind: GuardianMind, rules: GuardianRules): boolean =>
  mind.alarm === null || isSecured(mind.alarm) || isLeftToOthers(mind, mind.alarm, rules);

/** Returns the reason why the guardian may end; null while it must stay. */
function reasonToEnd(mind: GuardianMind, rules: GuardianRules, look: GuardianPoll): string | null {
  const { nowMs, traderGone, ledgerGone } = look;
  const { alarm, heartbeat } = mind;
  if (mind.isRound) return null;
  if (mind.isAskedToEnd && mayLeave(mind, rules)) return 'the guardian was asked to end';
  if (rules.stays) return null;
  if (alarm === null && !mayRest(mind) && heartbeat !== null && (phaseOf(heartbeat) === 'ended' || traderGone))
    return 'the trader ended, and the guardian has nothing to cancel';
  if (rules.paperPatienceMs === null) return null;
  if (ledgerGone) return 'the paper trader and its ledger are gone';
  const failingMs = alarm === null || alarm.failingSinceMs === null ? 0 : nowMs - alarm.failingSinceMs;
  return failingMs >= rules.paperPatienceMs ? `the paper exchange is gone: no answer for ${seconds(failingMs)}` : null;
}

/** Returns whether a round without orders needs no message: it repeats the proof, or the trader itself cancels. */
const isExpectedEmpty = (alarm: Alarm): boolean => isSecured(alarm) || alarm.cause === 'pulling';

function onRound(before: GuardianMind, round: GuardianRound): Decision {
  const mind = { ...before, isRound: false };
  const { alarm } = mind;
  const said: GuardianAction = {
    kind: 'record',
    severity: round.outcome === 'empty' && alarm !== null && isExpectedEmpty(alarm) ? 'quiet' : 'loud',
    text: round.text,
  };
  // The alarm ended during the round, for example because the trader recovered. The round's cancels remain valid.
  if (alarm === null) return { mind, actions: [said] };
  const after = afterRound(alarm, round);
  const secured: readonly GuardianAction[] =
    isSecured(after) && !isExpectedEmpty(alarm)
      ? [{ kind: 'record', severity: 'loud', text: 'secured: nothing rests' }]
      : [];
  return { mind: { ...mind, alarm: after }, actions: [said, ...secured] };
}

function afterRound(alarm: Alarm, { nowMs, outcome, text }: GuardianRound): Alarm {
  const calm = { ...alarm, answeredRounds: alarm.answeredRounds + 1, failures: 0, failingSinceMs: null, text };
  switch (outcome) {
    case 'empty': {
      const emptyRounds = alarm.emptyRounds + 1;
      const securedMs = alarm.cause === 'silence' ? SECURED_MS : KILLED_MS;
      const pauseMs = emptyRounds >= EMPTY_ROUNDS ? securedMs : AGREE_MS;
      return { ...calm, emptyRounds, nextRoundMs: nowMs + pauseMs };
    }
    case 'canceled':
      return { ...calm, emptyRounds: 0, orderSeenMs: nowMs, nextRoundMs: nowMs + AGAIN_MS };
    case 'failed': {
      const pauseMs = Math.min(RETRY_MS.first * 2 ** alarm.failures, RETRY_MS.longest);
      const failingSinceMs = alarm.failingSinceMs ?? nowMs;
      const failed = { failures: alarm.failures + 1, failingSinceMs, answeredRounds: 0, emptyRounds: 0 };
      return { ...calm, ...failed, nextRoundMs: nowMs + pauseMs };
    }
  }
}

const ASKED = 'the guardian was asked to end, and ends when no order rests or the wallet is left to its next owner';

const onAsk = (mind: GuardianMind, rules: GuardianRules): Decision => ({
  mind: { ...mind, isAskedToEnd: true },
  actions: mayLeave(mind, rules) ? [] : [{ kind: 'record', severity: 'loud', text: ASKED }],
});

export function describeState({ alarm, heartbeat }: GuardianMind): Pick<GuardianReport, 'state' | 'text'> {
  if (alarm !== null && alarm.cause === 'pulling' && isSecured(alarm)) return { state: 'watching', text: alarm.text };
  if (alarm !== null) return { state: isSecured(alarm) ? 'secured' : 'canceling', text: alarm.text };
  if (heartbeat === null) return { state: 'watching', text: 'no trader has run yet' };
  return { state: 'watching', text: '' };
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
