/** Owner of a call's outcome within the trader's core. The owner never crosses the seam. */

/** `candles`: past price bars, read once. */
export type MarketPoll = 'book' | 'trades' | 'detail' | 'candles';
/**
 * `orders`: own resting orders; `fills`: own trades; `assets`: holdings of the account, with a round of reconciliation;
 * `catalog`: the list of markets; `details`: all open markets; `marks`: the venue's valuation of our holdings.
 */
export type AccountPoll = 'orders' | 'fills' | 'assets' | 'catalog' | 'details' | 'marks';

/** List or market that a poll reads. */
export type PollTarget =
  | { readonly kind: MarketPoll; readonly marketConditionId: string }
  | { readonly kind: AccountPoll };

/** A list of a reconciliation round. `sums`: the independent reader's own read of the trades. */
export type RoundList = 'assets' | 'orders' | 'trades' | 'merges' | 'splits' | 'redeems' | 'sums';

/** Kind of an intent's request. */
export type IntentStep = 'draft' | 'submit' | 'read';

/** Room of the core that gets a request's outcome, and its subject there. */
export type RequestOwner =
  | { readonly kind: 'poll'; readonly target: PollTarget }
  | { readonly kind: 'round'; readonly list: RoundList }
  | { readonly kind: 'intent'; readonly step: IntentStep; readonly intentId: string }
  /** Owner for a program that uses rooms of the trader without the engine. */
  | { readonly kind: 'other'; readonly name: string };

/** Describes an owner for messages only; the text is never parsed. */
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
