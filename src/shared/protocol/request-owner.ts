/** Owner of a request: the part of the trader's core that gets the outcome. The shell never sees the owner. */

/** List of a market that the trader polls. `candles` are past price bars and are read once. */
export type MarketPoll = 'book' | 'trades' | 'detail' | 'candles';
/**
 * List of the account that the trader polls. `orders`: own resting orders. `fills`: own trades. `assets`: holdings,
 * read in a reconciliation round. `catalog`: the list of markets. `details`: all open markets. `marks`: the venue's
 * valuation of our holdings.
 */
export type AccountPoll = 'orders' | 'fills' | 'assets' | 'catalog' | 'details' | 'marks';

/** List or market that a poll reads. */
export type PollTarget =
  | { readonly kind: MarketPoll; readonly marketConditionId: string }
  | { readonly kind: AccountPoll };

/** A list that a reconciliation round reads. `sums` is the second, independent read of the own trades. */
export type RoundList = 'assets' | 'orders' | 'trades' | 'merges' | 'splits' | 'redeems' | 'sums';

/** Kind of a request that an intent needs. */
export type IntentStep = 'draft' | 'submit' | 'read';

/** Owner of a request's outcome, with the subject of the request. */
export type RequestOwner =
  | { readonly kind: 'poll'; readonly target: PollTarget }
  | { readonly kind: 'round'; readonly list: RoundList }
  | { readonly kind: 'intent'; readonly step: IntentStep; readonly intentId: string }
  /** Owner for a program that uses parts of the trader without the engine. */
  | { readonly kind: 'other'; readonly name: string };

/** Returns a text about the owner for messages. No program parses this text. */
export function describeOwner(owner: RequestOwner): string {
  if (owner.kind === 'round') return `round/${owner.list}`;
  if (owner.kind === 'intent') return `executor/${owner.step}/${owner.intentId}`;
  if (owner.kind === 'other') return owner.name;
  const { target } = owner;
  return `poll/${target.kind}${'marketConditionId' in target ? `/${target.marketConditionId}` : ''}`;
}
