/** The lists of what has happened, each with what its rows are compared with. */

import type { Ledger } from '../ledger/contract.js';
import {
  inventedConversion,
  inventedFill,
  mergeDifference,
  type OwnBooks,
  orderDifference,
  redeemDifference,
  splitDifference,
  tradeDifference,
} from './differences.js';
import { History } from './history.js';

const pubkeyOf = ({ pubkey }: { readonly pubkey: string | null }) => pubkey;
const isOverConversion = ({ state }: { readonly state: string }) =>
  ['done', 'completed', 'failed', 'expired'].includes(state);

type HistoryLedger = Pick<
  Ledger,
  'note' | 'setNote' | 'fill' | 'conversion' | 'fillsAfter' | 'conversionsAfter' | 'newestSeq'
>;

/** @param ownTrades whether the venue lists them */
export function historiesOf(ledger: HistoryLedger, books: OwnBooks, ownTrades: boolean) {
  const conversions = (kind: 'merge' | 'redeem') => ({
    newestSeq: () => ledger.newestSeq('conversions'),
    after: (seq: number) => ledger.conversionsAfter(seq).filter(({ row }) => row.kind === kind),
    invented: (pubkey: string) => {
      const booked = ledger.conversion(pubkey);
      return booked === null ? null : inventedConversion(booked);
    },
  });
  const orders = new History('orders', ledger, {
    endpoint: 'orders.list',
    pubkeyOf,
    // An order of ours is followed by the executor wherever it goes; one that nobody knows may still be signed.
    isSettled: ({ pubkey, status }) =>
      (status !== null && status !== 'waiting_to_sign') || (pubkey !== null && books.order(pubkey) !== null),
    compare: (row, listMs) => orderDifference(row, books, listMs),
    booked: null,
  });
  const trades = new History('trades', ledger, {
    endpoint: 'trades.list',
    pubkeyOf,
    isSettled: ({ state }) => state === 'done' || state === 'failed',
    compare: (row) => tradeDifference(row, books),
    booked: {
      newestSeq: () => ledger.newestSeq('fills'),
      after: (seq) => ledger.fillsAfter(seq),
      invented: (pubkey) => {
        const fill = ledger.fill(pubkey);
        return fill === null ? null : inventedFill(fill);
      },
    },
  });
  const merges = new History('merges', ledger, {
    ...{ endpoint: 'merges.list', pubkeyOf, isSettled: isOverConversion, booked: conversions('merge') },
    compare: (row) => mergeDifference(row, books),
  });
  const splits = new History('splits', ledger, {
    ...{ endpoint: 'splits.list', pubkeyOf, isSettled: isOverConversion, booked: null },
    compare: splitDifference,
  });
  const redeems = new History('redeems', ledger, {
    ...{ endpoint: 'redeems.list', pubkeyOf, isSettled: isOverConversion, booked: conversions('redeem') },
    compare: (row) => redeemDifference(row, books),
  });
  return { orders, merges, splits, redeems, ...(ownTrades ? { trades } : {}) };
}
