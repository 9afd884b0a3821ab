/** The lists of what has happened, each with what its rows are compared with. */

import { ORDER_STANDING } from '../../shared/protocol/states.js';
import type { ConversionKind, Ledger } from '../ledger/contract.js';
import {
  inventedConversion,
  inventedFill,
  LONGEST_LAG_MS,
  mergeDifference,
  type OwnBooks,
  orderDifference,
  redeemDifference,
  splitDifference,
  tradeDifference,
} from './differences.js';
import { ListCursor, type ListTime } from './list-cursor.js';

const getPubkey = ({ pubkey }: { readonly pubkey: string | null }) => pubkey;
const bornS = ({ created }: { readonly created: number }) => created;
const isOverConversion = ({ state }: { readonly state: string }) =>
  ['done', 'completed', 'failed', 'expired'].includes(state);

type HistoryLedger = Pick<
  Ledger,
  'note' | 'setNote' | 'fill' | 'conversion' | 'fillsAfter' | 'conversionsAfter' | 'newestSeq' | 'hadFailed'
>;

/** @param ownTrades whether the venue lists them */
export function openListCursors(ledger: HistoryLedger, books: OwnBooks, ownTrades: boolean) {
  const conversions = (kind: ConversionKind) => ({
    newestSeq: () => ledger.newestSeq('conversions'),
    after: (seq: number) => ledger.conversionsAfter(seq).filter(({ row }) => row.kind === kind),
    findInvented: (pubkey: string, { listMs }: ListTime) => {
      const booked = ledger.conversion(pubkey);
      return booked === null || booked.seenMs >= listMs - LONGEST_LAG_MS ? null : inventedConversion(booked);
    },
  });
  const orders = new ListCursor('orders', ledger, {
    endpoint: 'orders.list',
    getPubkey,
    bornS: () => null,
    // An order of ours is followed by the executor wherever it goes; one that nobody knows may still be signed.
    isSettled: ({ pubkey, status }) =>
      (status !== null && ORDER_STANDING[status].phase !== 'unsigned') ||
      (pubkey !== null && books.order(pubkey) !== null),
    compare: (row, listMs) => orderDifference(row, books, listMs),
    booked: null,
  });
  const trades = new ListCursor('trades', ledger, {
    endpoint: 'trades.list',
    getPubkey,
    bornS: ({ timestamp }) => timestamp,
    isSettled: ({ state }) => state === 'done' || state === 'failed',
    compare: (row) => tradeDifference(row, books),
    booked: {
      newestSeq: () => ledger.newestSeq('fills'),
      // A trade that had failed is booked when it settles, and its row may lie below the mark by then.
      after: (seq) => ledger.fillsAfter(seq).filter(({ row }) => !ledger.hadFailed(row.pubkey)),
      findInvented: (pubkey, { venueS }) => {
        const fill = ledger.fill(pubkey);
        const isYoung = fill !== null && venueS !== null && fill.timestampS >= venueS - LONGEST_LAG_MS / 1000;
        return fill === null || isYoung ? null : inventedFill(fill);
      },
    },
  });
  const merges = new ListCursor('merges', ledger, {
    endpoint: 'merges.list',
    getPubkey,
    bornS,
    isSettled: isOverConversion,
    booked: conversions('merge'),
    compare: (row, listMs) => mergeDifference(row, books, listMs),
  });
  const splits = new ListCursor('splits', ledger, {
    endpoint: 'splits.list',
    getPubkey,
    bornS,
    isSettled: isOverConversion,
    booked: conversions('split'),
    compare: (row, listMs) => splitDifference(row, books, listMs),
  });
  const redeems = new ListCursor('redeems', ledger, {
    endpoint: 'redeems.list',
    getPubkey,
    bornS,
    isSettled: isOverConversion,
    booked: conversions('redeem'),
    compare: (row, listMs) => redeemDifference(row, books, listMs),
  });
  return { orders, merges, splits, redeems, ...(ownTrades ? { trades } : {}) };
}
