/** Owner of a request: the part of the trader's core that receives the outcome. The shell does not know the owner. */

/** Market data that the trader polls. Past price bars (`candles`) are read only once. */
export type MarketPoll = 'book' | 'trades' | 'detail' | 'candles';
/**
 * Account data that the trader polls. `orders`: the trader's open orders. `fills`: own trades. `assets`: held shares
 * and currency, read in a reconciliation round. `catalog`: the list of markets. `details`: all open markets. `marks`:
 * the venue's value of the trader's shares.
 */
export type AccountPoll = 'orders' | 'fills' | 'assets' | 'catalog' | 'details' | 'marks';

/** Market or account data that a poll reads. */
export type PollTarget =
  | { readonly kind: MarketPoll; readonly marketConditionId: string }
  | { readonly kind: AccountPoll };

/** A list that a reconciliation round reads. The list `sums` is a second, independent read of the trader's trades. */
export type RoundList = 'assets' | 'orders' | 'trades' | 'merges' | 'splits' | 'redeems' | 'sums';

/** Kind of a request that an intent needs. An intent is an order, cancel, merge, split or redeem. */
export type IntentStep = 'draft' | 'submit' | 'read';

/** Part of the core that receives a request's outcome, and the data or the intent that the request is for. */
export type RequestOwner =
  | { readonly kind: 'poll'; readonly target: PollTarget }
  | { readonly kind: 'round'; readonly list: RoundList }
  | { readonly kind: 'intent'; readonly step: IntentStep; readonly intentId: string }
  /** Owner of a request of another program, for example the recorder, which runs without the trader's engine. */
  | { readonly kind: 'other'; readonly name: string };

/** Returns the owner of a request as text for messages. Programs do not parse this text. */
export function describeOwner(owner: RequestOwner): string {
  if (owner.kind === 'round') return `round/${owner.list}`;
  if (owner.kind === 'intent') return `executor/${owner.step}/${owner.intentId}`;
  if (owner.kind === 'other') return owner.name;
  const { target } = owner;
  return `poll/${target.kind}${'marketConditionId' in target ? `/${target.marketConditionId}` : ''}`;
}
