/** Owner of a request: the part of the trader's core that gets the outcome. The shell never gets the owner. */

/** Market data that the trader polls. Past price bars (`candles`) are read only once. */
export type MarketPoll = 'book' | 'trades' | 'detail' | 'candles';
/**
 * Account data that the trader polls. `orders`: the own resting orders. `fills`: own trades. `assets`: holdings, read
 * in a reconciliation round. `catalog`: the list of markets. `details`: all open markets. `marks`: the venue's value of
 * our holdings.
 */
export type AccountPoll = 'orders' | 'fills' | 'assets' | 'catalog' | 'details' | 'marks';

/** Market or account data that a poll reads. */
export type PollTarget =
  | { readonly kind: MarketPoll; readonly marketConditionId: string }
  | { readonly kind: AccountPoll };

/** A list that a reconciliation round reads. The list `sums` is a second, independent read of own trades. */
export type RoundList = 'assets' | 'orders' | 'trades' | 'merges' | 'splits' | 'redeems' | 'sums';

/** Kind of a request that an intent needs. */
export type IntentStep = 'draft' | 'submit' | 'read';

/** Owner of a request's outcome, with the subject of the request. */
export type RequestOwner =
  | { readonly kind: 'poll'; readonly target: PollTarget }
  | { readonly kind: 'round'; readonly list: RoundList }
  | { readonly kind: 'intent'; readonly step: IntentStep; readonly intentId: string }
  /** Any owner in a program that uses parts of the trader without the engine. */
  | { readonly kind: 'other'; readonly name: string };

/** Returns the owner of a request as text for messages. No program parses this text. */
export function describeOwner(owner: RequestOwner): string {
  if (owner.kind === 'round') return `round/${owner.list}`;
  if (owner.kind === 'intent') return `executor/${owner.step}/${owner.intentId}`;
  if (owner.kind === 'other') return owner.name;
  const { target } = owner;
  return `poll/${target.kind}${'marketConditionId' in target ? `/${target.marketConditionId}` : ''}`;
}
