/** What is known of each list: how to tell its rows apart, and whether its pages must be full. */

import type { ListName, RowOf } from './contract.js';

/** What the walk of one list may rely on. */
export interface ListRule<R> {
  /** Identifies a row; null for a row, or a list, whose rows have no name. */
  readonly getKey: ((row: R) => string | null) | null;
  /**
   * Whether a page that has a next one must hold as many rows as its size: so it is where the cursor says "before this
   * id". Assets say of themselves that rows are skipped, and of offsets and opaque cursors nothing is promised.
   */
  readonly isKeyset: (query: Readonly<Record<string, unknown>>) => boolean;
}

const always = () => true;
const never = () => false;
const unlessSorted = ({ sort }: Readonly<Record<string, unknown>>) => sort === undefined;
const byPubkey = ({ pubkey }: { readonly pubkey: string | null }) => pubkey;
const byConditionId = (row: { readonly condition_id: string }) => row.condition_id;

export const LIST_RULES: { readonly [N in ListName]: ListRule<RowOf<N>> } = {
  'events.list': { getKey: byConditionId, isKeyset: unlessSorted },
  'markets.list': { getKey: byConditionId, isKeyset: unlessSorted },
  // Two trades of one second may be equal in everything that is shown of them.
  'markets.trades': { getKey: null, isKeyset: always },
  'markets.marginActivity': { getKey: null, isKeyset: always },
  'search.list': {
    getKey: ({ result_type, summary }) => `${result_type} ${summary.condition_id}`,
    isKeyset: never,
  },
  'orders.list': { getKey: byPubkey, isKeyset: always },
  'trades.list': { getKey: byPubkey, isKeyset: always },
  'merges.list': { getKey: byPubkey, isKeyset: always },
  'splits.list': { getKey: byPubkey, isKeyset: always },
  'redeems.list': { getKey: byPubkey, isKeyset: always },
  'account.assets': { getKey: ({ token }) => token.symbol, isKeyset: never },
  'positions.list': { getKey: byPubkey, isKeyset: never },
  'settlements.list': { getKey: ({ position_pubkey }) => position_pubkey, isKeyset: never },
  'requests.list': { getKey: byPubkey, isKeyset: never },
};
