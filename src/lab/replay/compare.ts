import type { AnyCall, Observation, OperatorCommand, Outcome, Request } from '../../shared/protocol/seam.js';
import { canonicalJson } from '../../shell/config/shown.js';
import type { RunStep } from '../../shell/journal/runs.js';

/** `signed`: ids of the intents for which the trader requested a signature, in order. */
type Redone = Readonly<{ requests: readonly Request[]; signed: readonly string[]; failure: string | null }>;

/** First step that differs from the journal: index from 0, time (trader's clock, Unix ms), both texts, and `fields`. */
export type ReplayDifference = NonNullable<ReturnType<typeof findDifference>>;

/** One field that differs: its path, and both values as JSON. A null value means that the field is absent. */
type FieldDifference = Readonly<{ path: string; recorded: string | null; replayed: string | null }>;

const MAX_LINES = 8;

/** Returns the first difference; null if requests, signatures and failures are equal, in the same order. */
export function findDifference(step: RunStep, redone: Redone, asked: AnyCall | null, titles: Titles) {
  const what = failureDifference(step, redone) ?? signingDifference(step, redone) ?? requestDifference(step, redone);
  if (what === null) return null;
  const at = firstDifferent(step.requests, redone.requests);
  const { index, observation } = step;
  return {
    step: index,
    timeMs: observation.nowMs,
    observation: observationText(observation, asked, titles),
    what,
    recorded: lines(step.requests, titles),
    replayed: lines(redone.requests, titles),
    fields: at === null ? [] : fieldDifferences(step.requests[at], redone.requests[at]).slice(0, MAX_LINES),
  };
}

function failureDifference({ failure: then }: RunStep, { failure: now }: Redone): string | null {
  if (then === now) return null;
  if (then === null) return `the trader fails in the replay, but did not fail in the run: ${now}`;
  return now === null
    ? `the trader failed in the run, but does not fail in the replay: ${then}`
    : `the trader failed in the run: ${then}; in the replay: ${now}`;
}

function signingDifference({ signed }: RunStep, { signed: now }: Redone): string | null {
  const then = signed.map(({ intentId }) => intentId);
  const at = firstDifferent(then, now);
  if (at === null) return null;
  const [before, after] = [then[at], now[at]];
  if (before === undefined) return `intent ${after} is signed in the replay, but was not signed in the run`;
  return `intent ${before} was signed in the run, ${after === undefined ? 'but is not signed in the replay' : `but the replay signs intent ${after} in its place`}`;
}

function requestDifference({ requests: then }: RunStep, { requests: now }: Redone): string | null {
  const at = firstDifferent(then, now);
  if (at === null) return null;
  const [before, after] = [then[at], now[at]];
  if (before === undefined) return `request ${after?.id} is sent in the replay, but was not sent in the run`;
  return `request ${before.id} ${after === undefined ? 'was sent in the run, but is not sent in the replay' : 'differs'}`;
}

function firstDifferent(then: readonly unknown[], now: readonly unknown[]): number | null {
  const length = Math.max(then.length, now.length);
  for (let i = 0; i < length; i++) if (!isSame(then[i], now[i])) return i;
  return null;
}

/** Compares values as JSON. Unsorted JSON texts are compared first: most values are equal, and sorting is slow. */
export const isSame = (a: unknown, b: unknown): boolean =>
  JSON.stringify(a) === JSON.stringify(b) || canonicalJson(a) === canonicalJson(b);

function lines(requests: readonly Request[], titles: Titles): string[] {
  const shown = requests.slice(0, MAX_LINES).map(({ id, call }) => `request ${id}: ${callText(call, titles)}`);
  const more = requests.length - shown.length;
  return more > 0 ? [...shown, `and ${more} more`] : shown;
}

export function fieldDifferences(then: unknown, now: unknown, path = ''): FieldDifference[] {
  if (isSame(then, now)) return [];
  if (!isRecord(then) || !isRecord(now))
    return [{ path, recorded: toCanonicalText(then), replayed: toCanonicalText(now) }];
  const names = [...new Set([...Object.keys(then), ...Object.keys(now)])];
  return names.flatMap((name) => fieldDifferences(then[name], now[name], path === '' ? name : `${path}.${name}`));
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const toCanonicalText = (value: unknown): string | null => (value === undefined ? null : canonicalJson(value));

type Titles = (conditionId: string) => string | null;

/** Describes a call: `draft a limit order: buy 25 YES at 0.42 in "Will it rain?" (7n9G…)`. */
function callText(call: AnyCall, titles: Titles): string {
  if (call.endpoint !== 'orders.create') {
    const names: readonly unknown[] = Object.values(call.params ?? {});
    return `call ${call.endpoint}${names.length === 0 ? '' : ` of ${names.join(', ')}`}`;
  }
  const { side, is_yes, price, amount, order_type, market_condition_id: id } = call.body;
  const title = titles(id);
  const market = title === null ? `market ${id}` : `"${title}" (${id})`;
  const terms = `${side} ${amount ?? '?'} ${is_yes ? 'YES' : 'NO'} at ${price ?? 'any price'}`;
  return `draft a ${order_type} order: ${terms} in ${market}`;
}

function observationText(observation: Observation, asked: AnyCall | null, titles: Titles): string {
  switch (observation.kind) {
    case 'time':
      return 'only the time';
    case 'command':
      return `the command ${commandText(observation.command)}`;
    case 'feed':
      return `${observation.values.length} values of feed ${observation.feed}`;
    case 'outcome': {
      const about = asked === null ? '' : ` (${callText(asked, titles)})`;
      return `request ${observation.requestId}${about} ${outcomeText(observation.outcome)}`;
    }
  }
}

function commandText(command: OperatorCommand): string {
  if (command.kind === 'quote-hours') return `quote-hours: ${command.strategy} ${command.open ? 'begin' : 'end'}`;
  if (command.kind === 'fleet') return `fleet: ${command.hold ?? `${command.markets.length} markets for this trader`}`;
  return 'reason' in command ? `${command.kind}: ${command.reason}` : command.kind;
}

function outcomeText(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'answered':
      return 'was answered';
    case 'refused':
      return `was refused: ${outcome.slug}, ${outcome.message}`;
    case 'unknown':
      return outcome.sent ? `has an unknown outcome: ${outcome.reason}` : `was never sent: ${outcome.reason}`;
  }
}
