/** Whom in the trader's core the outcome of a call belongs to. Nothing of it crosses the seam. */

/** `candles`: price bars of its past, once. */
export type MarketPoll = 'book' | 'trades' | 'detail' | 'candles';
/**
 * `orders`: own resting orders; `fills`: own trades; `assets`: holdings of the account, with a round of reconciliation; `catalog`: the
 * list of markets; `details`: those of all open markets, by pages; `marks`: the venue's valuation of our holdings.
 */
export type AccountPoll = 'orders' | 'fills' | 'assets' | 'catalog' | 'details' | 'marks';

/** What one poll looks at. */
export type PollTarget =
  | { readonly kind: MarketPoll; readonly marketConditionId: string }
  | { readonly kind: AccountPoll };

/** A list of a round of reconciliation. `sums` is the second reader's own look at the trades. */
export type RoundList = 'assets' | 'orders' | 'trades' | 'merges' | 'splits' | 'redeems' | 'sums';

/** Kind of an intent. */
export type IntentStep = 'draft' | 'submit' | 'read';

/** Room of the core that gets the outcome of a request, and its subject there. */
export type RequestOwner =
  | { readonly kind: 'poll'; readonly target: PollTarget }
  | { readonly kind: 'round'; readonly list: RoundList }
  | { readonly kind: 'intent'; readonly step: IntentStep; readonly intentId: string }
  /** For a program that uses rooms of the trader without its engine. */
  | { readonly kind: 'other'; readonly name: string };

/** For messages only: nothing reads it back. */
export function describeOwner(owner: RequestOwner): string {
  switch (owner.kind) {
    case 'poll': {
      const { target } = owner;
      const market = 'marketConditionId' in target ? `/${target.marketConditionId}` : '';
      return `poll/${target.kind}${market}`;
    }
    case 'round':
      return `round/${owner.list}`;
    case 'intent':
      return `executor/${owner.step}/${owner.intentId}`;
    case 'other':
      return owner.name;
  }
}
