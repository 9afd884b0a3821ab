/** Checks that ledger and exchange agree after all faults have ended (docs/safety.md, invariants 1 to 5, 7 and 10). */

import type { RecordPage, Wire } from '../../../src/exchange/core/contract.js';
import type { ExchangeCore } from '../../../src/exchange/core/core.js';
import { micros } from '../../../src/shared/base/micros.js';
import { money } from '../../../src/shared/protocol/wire.js';
import type { Executor } from '../../../src/trader/executor/executor.js';
import type { Ledger } from '../../../src/trader/ledger/contract.js';

/** Default initial currency of the account. */
export const FUNDS = micros(10_000_000_000);

/** The ledger and the exchange that must agree. */
export interface Parties {
  readonly core: ExchangeCore;
  readonly account: number;
  readonly ledger: Ledger;
  readonly executor: Executor;
  readonly markets: readonly string[];
  /** Initial currency of the account. Default: `FUNDS`. */
  readonly funds?: number;
}

const EFFECTLESS = ['waiting_to_sign', 'expired', 'failed'];

/** Returns a sentence for every difference. */
export function differences(world: Parties): string[] {
  return [
    ...world.ledger.verify(),
    ...differentMoney(world),
    ...differentFills(world),
    ...differentOrders(world),
    ...differentConversions(world),
    ...unprovenEnds(world),
  ];
}

function differentMoney({ core, account, ledger, markets, funds = FUNDS }: Parties): string[] {
  const found: string[] = [];
  const say = (what: string, ours: number, theirs: number) => {
    if (ours !== theirs) found.push(`${what}: ledger ${ours}, exchange ${theirs}`);
  };
  say('cash', ledger.cash(), core.funds.read(account).total);
  for (const market of markets) {
    const index = core.catalog.findIndex(market);
    if (index === null) throw new Error(`no market ${market}`);
    const held = core.catalog.market(index).shares.read(account);
    say(`YES of ${market}`, ledger.shares(market, true), held.yes);
    say(`NO of ${market}`, ledger.shares(market, false), held.no);
  }
  const { capitalMicros, totalMicros, cashMicros } = ledger.pnl(new Map());
  const cost = ledger.positions().reduce((sum, { costMicros }) => micros(sum + costMicros), micros(0));
  say('capital and result', capitalMicros + totalMicros, cashMicros + cost);
  say('capital', capitalMicros, funds);
  return found;
}

/** Checks invariants 2 and 3. */
function differentFills({ core, account, ledger }: Parties): string[] {
  const theirs = new Map(
    all<Wire<'ownTradeRow'>>((page) => core.orders.trades(account, page)).map((row) => [row.pubkey, row]),
  );
  const ours = new Map(ledger.fills({ limit: 1e6 }).map((fill) => [fill.pubkey, fill]));
  const found: string[] = [];
  for (const [pubkey, row] of theirs) {
    const fill = ours.get(pubkey);
    if (fill === undefined) found.push(`trade ${pubkey} is not booked`);
    else if (fill.amountMicros !== money.parse(row.amount) || fill.priceMicros !== money.parse(row.price)) {
      found.push(`trade ${pubkey} is booked otherwise`);
    }
  }
  for (const pubkey of ours.keys()) if (!theirs.has(pubkey)) found.push(`fill ${pubkey} never happened`);
  return found;
}

/** Checks invariants 1 and 5: a change has one row with one intent, and exactly the known orders rest. */
function differentOrders({ core, account, ledger, executor }: Parties): string[] {
  const found: string[] = [];
  const live = new Set(executor.restingOrders().map((order) => order.orderPubkey));
  const intents = new Set<string>();
  for (const row of all<Wire<'orderRow'>>((page) => core.orders.page(account, page))) {
    const pubkey = row.pubkey ?? '';
    const status = row.status ?? '';
    const order = ledger.order(pubkey);
    const rests = status === 'open' || status === 'partially_filled';
    if (rests !== live.delete(pubkey)) found.push(`order ${pubkey} is ${status}; known as live: ${!rests}`);
    if (EFFECTLESS.includes(status)) continue;
    // The row is allowed, because an intent without an effect may have been pruned.
    if (order === null && status === 'canceled' && ledger.prunedBefore() !== null) continue;
    if (order === null) {
      found.push(`order ${pubkey} is ${status} and unknown`);
      continue;
    }
    if (intents.has(order.intentId)) found.push(`intent ${order.intentId} has two orders`);
    intents.add(order.intentId);
    if (order.status !== status) found.push(`order ${pubkey} is ${status}, ledger says ${order.status}`);
    if (order.bookedMicros !== money.parse(row.filled_amount ?? '0')) found.push(`order ${pubkey} lacks fills`);
  }
  for (const pubkey of live) found.push(`order ${pubkey} is known as live and does not exist`);
  return found;
}

/** Checks invariant 1 for conversions. */
function differentConversions({ core, account, ledger }: Parties): string[] {
  const done = [
    ...all<Wire<'conversionRow'>>((page) => core.conversions.records.merge.page(account, page)),
    ...all<Wire<'conversionRow'>>((page) => core.conversions.records.split.page(account, page)),
    ...all<Wire<'redeemRow'>>((page) => core.redeems.page(account, page)),
  ].flatMap(({ state, pubkey }) => (state === 'done' || state === 'completed' ? [pubkey] : []));
  const booked = ledger.conversions({ limit: 1e6 }).map(({ pubkey }) => pubkey);
  const found: string[] = [];
  if (done.sort().join() !== booked.sort().join()) found.push(`conversions: ledger ${booked}, exchange ${done}`);
  return found;
}

/** Checks invariant 7: an intent that is finished in the ledger is finished at the exchange. */
function unprovenEnds({ core, account, ledger }: Parties): string[] {
  const found: string[] = [];
  for (const intent of ledger.intents({ limit: 1e6, kind: 'place' })) {
    if (intent.draftPubkey === null) continue;
    const status = core.orders.row(account, intent.draftPubkey)?.status ?? 'missing';
    const effectless = EFFECTLESS.includes(status);
    const rests = status === 'open' || status === 'partially_filled';
    const wrong =
      (intent.state === 'done' && (effectless || rests)) ||
      (['refused', 'failed', 'expired', 'abandoned'].includes(intent.state) && !effectless) ||
      (intent.state === 'live' && !rests);
    if (wrong) found.push(`intent ${intent.id} is ${intent.state}, its order ${status}`);
  }
  return found;
}

/** Returns the unfinished intents; empty when all intents have ended. */
export function unsettled({ ledger, executor }: Parties): string[] {
  const waiting = ledger
    .activeIntents()
    .filter(({ state }) => state !== 'live' && state !== 'abandoned')
    .map(({ id, kind, state, lastReason }) => `${kind} ${id} is ${state}: ${lastReason}`);
  const converting = ledger
    .activeIntents()
    .filter(({ kind, state }) => state === 'live' && kind !== 'place')
    .map(({ id }) => `${id} is landing`);
  const missing = executor.missingFills().map(({ orderPubkey }) => `fills of ${orderPubkey} are missing`);
  return [...waiting, ...converting, ...missing];
}

function all<Row>(read: (page: { limit: number; beforeId?: number | undefined }) => RecordPage<Row>): Row[] {
  const rows: Row[] = [];
  let beforeId: number | undefined;
  for (;;) {
    const page = read({ limit: 100, beforeId });
    rows.push(...page.rows);
    if (page.nextBeforeId === null) return rows;
    beforeId = page.nextBeforeId;
  }
}
