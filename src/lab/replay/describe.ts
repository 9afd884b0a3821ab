/** Requests and observations in words, for a person who looks for the differing decision. */

import { formatDecimal } from '../../shared/base/decimal.js';
import type { DataOf } from '../../shared/protocol/endpoints.js';
import type { AnyCall, Observation, OperatorCommand, Outcome } from '../../shared/protocol/seam.js';

/** Title of a market by its condition id; null when unknown. */
export type Titles = (conditionId: string) => string | null;

/** For example `draft a limit order: buy 25 YES at 0.42 in "Will it rain?" (7n9G…)`. */
export function callText(call: AnyCall, titles: Titles): string {
  const market = (id: string): string => {
    const title = titles(id);
    return title === null ? `market ${id}` : `"${title}" (${id})`;
  };
  switch (call.endpoint) {
    case 'orders.create': {
      const { side, is_yes, price, amount, order_type, market_condition_id } = call.body;
      const terms = `${side} ${amount ?? '?'} ${is_yes ? 'YES' : 'NO'} at ${price ?? 'any price'}`;
      return `draft a ${order_type} order: ${terms} in ${market(market_condition_id)}`;
    }
    case 'merges.create':
      return `draft a merge of ${call.body.amount} complete sets in ${market(call.body.market_condition_id)}`;
    case 'splits.create':
      return `draft a split into ${call.body.amount} complete sets in ${market(call.body.market_condition_id)}`;
    case 'redeems.create':
      return `draft the redeem of ${market(call.body.market_condition_id)}`;
    case 'markets.book':
      return `read the book of ${market(call.params.condition_id)}`;
    case 'markets.trades':
      return `read the trades of ${market(call.params.condition_id)}`;
    case 'markets.detail':
      return `read the details of ${market(call.params.condition_id)}`;
    default:
      return `call ${call.endpoint}${describeNames(call.params)}`;
  }
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
      return `request ${observation.requestId}${about} ${outcomeText(observation.outcome, asked)}`;
    }
  }
}

function commandText(command: OperatorCommand): string {
  if (command.kind === 'quote-hours') return `quote-hours: ${command.strategy} ${command.open ? 'begin' : 'end'}`;
  if (command.kind === 'fleet') return `fleet: ${command.hold ?? `${command.markets.length} markets are ours`}`;
  return 'reason' in command ? `${command.kind}: ${command.reason}` : command.kind;
}

function outcomeText(outcome: Outcome, asked: AnyCall | null): string {
  switch (outcome.kind) {
    case 'answered':
      return `was answered${asked?.endpoint === 'markets.book' ? `: ${bookText(outcome.data as DataOf<'markets.book'>)}` : ''}`;
    case 'refused':
      return `was refused: ${outcome.slug}, ${outcome.message}`;
    case 'unknown':
      return outcome.sent ? `had no known outcome: ${outcome.reason}` : `never left: ${outcome.reason}`;
  }
}

function bookText({ bid, ask }: DataOf<'markets.book'>): string {
  const best = (rows: typeof bid, name: string): string => {
    const [row] = rows;
    return row === undefined
      ? `no ${name}`
      : `${name} ${formatDecimal(row.price)} x ${formatDecimal(row.total_amount)}`;
  };
  return `${best(bid, 'bid')}, ${best(ask, 'ask')}`;
}
