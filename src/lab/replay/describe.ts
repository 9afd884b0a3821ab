/** Requests and observations in words, for a person who looks for the differing decision. */

import type { AnyCall, Observation, OperatorCommand, Outcome } from '../../shared/protocol/seam.js';

/** Title of a market by its condition id; null when unknown. */
export type Titles = (conditionId: string) => string | null;

/** For example `draft a limit order: buy 25 YES at 0.42 in "Will it rain?" (7n9G…)`. */
export function callText(call: AnyCall, titles: Titles): string {
  if (call.endpoint !== 'orders.create') return `call ${call.endpoint}${describeNames(call.params)}`;
  const { side, is_yes, price, amount, order_type, market_condition_id: id } = call.body;
  const title = titles(id);
  const market = title === null ? `market ${id}` : `"${title}" (${id})`;
  const terms = `${side} ${amount ?? '?'} ${is_yes ? 'YES' : 'NO'} at ${price ?? 'any price'}`;
  return `draft a ${order_type} order: ${terms} in ${market}`;
}

function describeNames(params: unknown): string {
  const names = typeof params === 'object' && params !== null ? Object.values(params) : [];
  return names.length === 0 ? '' : ` of ${names.join(', ')}`;
}

/** Text of an observation. `asked`: the call of an outcome, if known. */
export function observationText(observation: Observation, asked: AnyCall | null, titles: Titles): string {
  switch (observation.kind) {
    case 'time':
      return 'nothing but the time';
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
  if (command.kind === 'fleet') return `fleet: ${command.hold ?? `${command.markets.length} markets are ours`}`;
  return 'reason' in command ? `${command.kind}: ${command.reason}` : command.kind;
}

function outcomeText(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'answered':
      return 'was answered';
    case 'refused':
      return `was refused: ${outcome.slug}, ${outcome.message}`;
    case 'unknown':
      return outcome.sent ? `had no known outcome: ${outcome.reason}` : `never left: ${outcome.reason}`;
  }
}
