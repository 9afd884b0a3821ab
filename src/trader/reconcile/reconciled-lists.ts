/** The lists of history, with the bookings that each is compared with. */

import { ORDER_STANDING } from '../../shared/protocol/states.js';
import type { ConversionKind, Ledger } from '../ledger/contract.js';
import {
  conversionDifference,
  inventedConversion,
  inventedFill,
  LONGEST_LAG_MS,
  type OwnBooks,
  orderDifference,
  readMoved,
  tradeDifference,
} from './differences.js';
import { ListCursor, type ListTime } from './list-cursor.js';

const getPubkey = ({ pubkey }: { readonly pubkey: string | null }) => pubkey;
/** Final states of a conversion. */
const OVER = ['done', 'completed', 'failed', 'expired'];

type HistoryLedger = Pick<
  Ledger,
  'note' | 'setNote' | 'fill' | 'conversion' | 'fillsAfter' | 'conversionsAfter' | 'newestSeq' | 'hadFailed'
>;

/** @param ownTrades whether the venue lists them */
export function openListCursors(ledger: HistoryLedger, books: OwnBooks, ownTrades: boolean) {
  const conversions = (kind: ConversionKind) => ({
    getPubkey,
    bornS: ({ created }: { readonly created: number }) => created,
    isSettled: ({ state }: { readonly state: string }) => OVER.includes(state),
    booked: {
      newestSeq: () => ledger.newestSeq('conversions'),
      after: (seq: number) => ledger.conversionsAfter(seq).filter(({ row }) => row.kind === kind),
      findInvented: (pubkey: string, { listMs }: ListTime) => {
        const booked = ledger.conversion(pubkey);
        return booked === null || booked.seenMs >= listMs - LONGEST_LAG_MS ? null : inventedConversion(booked);
      },
    },
  });
  const orders = new ListCursor('orders', ledger, {
    endpoint: 'orders.list',
    getPubkey,
    bornS: () => null,
    // The executor follows own orders; an unknown one may still be signed.
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
      // A failed trade is booked when it settles; its row may be below the mark by then.
      after: (seq) => ledger.fillsAfter(seq).filter(({ row }) => !ledger.hadFailed(row.pubkey)),
      findInvented: (pubkey, { venueS }) => {
        const fill = ledger.fill(pubkey);
        const isYoung = fill !== null && venueS !== null && fill.timestampS >= venueS - LONGEST_LAG_MS / 1000;
        return fill === null || isYoung ? null : inventedFill(fill);
      },
    },
  });
  const merges = new ListCursor('merges', ledger, {
    ...conversions('merge'),
    endpoint: 'merges.list',
    compare: (row, listMs) => conversionDifference('merge', row, readMoved.merge(row), books, listMs),
  });
  const splits = new ListCursor('splits', ledger, {
    ...conversions('split'),
    endpoint: 'splits.list',
    compare: (row, listMs) => conversionDifference('split', row, readMoved.split(row), books, listMs),
  });
  const redeems = new ListCursor('redeems', ledger, {
    ...conversions('redeem'),
    endpoint: 'redeems.list',
    compare: (row, listMs) => conversionDifference('redeem', row, readMoved.redeem(row), books, listMs),
  });
  return { orders, merges, splits, redeems, ...(ownTrades ? { trades } : {}) };
}
