/** Reasons of an order, a fill or a market, as a tree of figures from the ledger and the trader's last messages. */

import { formatDecimal } from '../../../shared/base/decimal.js';
import type { MarketStatus } from '../../../shared/protocol/trader-status.js';
import type { BookedFill, IntentRow, LedgerReader, OrderRecord } from '../../../trader/ledger/contract.js';
import { moneyText } from '../page-market.js';
import type { TraderState } from '../trader-state.js';
import { filledOf, otherSpace, sideText } from './texts.js';

/** Maximum listed fills of one order. */
const MOST_FILLS = 50;

/** A figure, its parts, and its source. */
export interface ExplainNode {
  readonly name: string;
  readonly value: string;
  readonly unit: string;
  /** Source of a whole tree: the ledger, or the trader's last message. */
  readonly source: 'ledger' | 'trader';
  /** The named subject can be explained too. */
  readonly subject: string | null;
  readonly children: readonly ExplainNode[];
}

export interface ExplainView {
  readonly subject: string;
  /** Null for an unknown name. */
  readonly tree: ExplainNode | null;
}

/** @param ledger null while it cannot be read */
export function explainView(subject: string, ledger: LedgerReader | null, trader: TraderState): ExplainView {
  const market = trader.markets.get(subject);
  if (market !== undefined) return { subject, tree: marketTree(market, trader) };
  if (ledger === null) return { subject, tree: null };
  const fill = ledger.fill(subject);
  if (fill !== null) return { subject, tree: fillTree(fill, ledger) };
  const intent = ledger.intent(ledger.order(subject)?.intentId ?? subject);
  // A placed order's draft becomes its order.
  const order = intent?.draftPubkey == null || intent.kind !== 'place' ? null : ledger.order(intent.draftPubkey);
  if (intent !== null) return { subject, tree: orderTree(intent, order, ledger) };
  const prunedMs = ledger.prunedBefore();
  const gone = prunedMs === null ? null : makeLedgerNode('Not in the ledger', `pruned before ${timeText(prunedMs)}`);
  return { subject, tree: gone };
}

type Extra = Partial<Pick<ExplainNode, 'unit' | 'subject' | 'children'>>;

const makeNode = (name: string, value: string, source: ExplainNode['source'], extra: Extra = {}): ExplainNode => ({
  name,
  value,
  source,
  unit: extra.unit ?? '',
  subject: extra.subject ?? null,
  children: extra.children ?? [],
});
const makeLedgerNode = (name: string, value: string, extra?: Extra) => makeNode(name, value, 'ledger', extra);
const makeTraderNode = (name: string, value: string, extra?: Extra) => makeNode(name, value, 'trader', extra);

const timeText = (ms: number): string => `${new Date(ms).toISOString().replace('T', ' ').slice(0, -1)} UTC`;
const secondsText = (ms: number): string => (Math.max(0, ms) / 1000).toFixed(1);
const numberText = (value: number): string => String(Number(value.toPrecision(6)));

function orderTree(intent: IntentRow, order: OrderRecord | null, ledger: LedgerReader): ExplainNode {
  const fills = order === null ? [] : ledger.fills({ orderPubkey: order.pubkey, limit: MOST_FILLS });
  const by = intent.strategy === '' ? 'the engine' : intent.strategy;
  return makeLedgerNode(intent.kind === 'place' ? 'Order' : intent.kind, order?.pubkey ?? intent.id, {
    children: [
      ...listTerms(intent),
      makeLedgerNode('Market', ledger.market(intent.marketConditionId)?.title ?? '', {
        subject: intent.marketConditionId,
      }),
      makeLedgerNode('State', order?.status ?? intent.state, {
        children: [
          makeLedgerNode('Intent', intent.state),
          ...(intent.lastReason === '' ? [] : [makeLedgerNode('Because', intent.lastReason)]),
          makeLedgerNode('Times handed to the network', String(intent.submitCount)),
        ],
      }),
      makeLedgerNode('Times', '', { children: listTimes(intent, order, fills) }),
      makeLedgerNode('Filled', order === null ? '0' : formatDecimal(filledOf(order)), {
        unit: 'shares',
        children: fills.map((fill) =>
          makeLedgerNode(
            timeText(fill.timestampS * 1000),
            `${formatDecimal(fill.amountMicros)} at ${formatDecimal(fill.priceMicros)}`,
            {
              subject: fill.pubkey,
            },
          ),
        ),
      }),
      makeLedgerNode('Decided by', by, {
        children: [
          ...reasonNodes(intent.reason),
          makeLedgerNode('Configuration', intent.configHash.slice(0, 12)),
          makeLedgerNode('Run', intent.runId),
        ],
      }),
    ],
  });
}

function listTerms(intent: IntentRow): readonly ExplainNode[] {
  const { isYes, side, priceMicros, amountMicros, orderPubkey } = intent;
  const terms: ExplainNode[] = [];
  if (side !== null && isYes !== null && priceMicros !== null) {
    const same = makeLedgerNode('The same as', otherSpace({ side, isYes }, priceMicros));
    terms.push(
      makeLedgerNode('Terms', `${sideText({ side, isYes })} at ${formatDecimal(priceMicros)}`, { children: [same] }),
    );
  }
  if (amountMicros !== null) terms.push(makeLedgerNode('Amount', formatDecimal(amountMicros), { unit: 'shares' }));
  if (orderPubkey !== null) terms.push(makeLedgerNode('Order', orderPubkey, { subject: orderPubkey }));
  return terms;
}

/** Each with the time since the previous one. */
function listTimes(intent: IntentRow, order: OrderRecord | null, fills: readonly BookedFill[]): readonly ExplainNode[] {
  const oldest = fills.at(-1);
  const moments: (readonly [string, number])[] = [
    ['Decided', intent.createdMs],
    ...(order === null ? [] : [['Draft stored', order.createdMs] as const]),
    ...(oldest === undefined ? [] : [['First fill', oldest.timestampS * 1000] as const]),
    ...(order?.closedMs == null ? [] : [['Ended', order.closedMs] as const]),
    ['Newest change', intent.updatedMs],
  ];
  return moments.map(([name, ms]) => {
    const since = makeLedgerNode('After it was decided', secondsText(ms - intent.createdMs), { unit: 's' });
    return makeLedgerNode(name, timeText(ms), { children: name === 'Decided' ? [] : [since] });
  });
}

/** The reason is our own JSON. */
function reasonNodes(reason: string): readonly ExplainNode[] {
  const parsed: unknown = JSON.parse(reason);
  return listChildren(parsed);
}

function listChildren(value: unknown): readonly ExplainNode[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).map(([name, inner]: [string, unknown]) => {
    const unit = name.endsWith('_ms') ? 'ms' : name.endsWith('_shares') ? 'shares' : '';
    const shown = name.replace(/_ms$/, '').replaceAll('_', ' ');
    if (typeof inner === 'object' && inner !== null)
      return makeLedgerNode(shown, '', { children: listChildren(inner) });
    return makeLedgerNode(shown, typeof inner === 'number' ? numberText(inner) : String(inner ?? '–'), { unit });
  });
}

function fillTree(fill: BookedFill, ledger: LedgerReader): ExplainNode {
  const order = ledger.order(fill.orderPubkey);
  const intent = order === null ? null : ledger.intent(order.intentId);
  const timeMs = fill.timestampS * 1000;
  const rested = order === null || fill.isMaker === false ? [] : [timeMs - order.createdMs];
  return makeLedgerNode('Fill', fill.pubkey, {
    children: [
      makeLedgerNode('Terms', `${sideText(fill)} at ${formatDecimal(fill.priceMicros)}`, {
        children: [makeLedgerNode('The same as', otherSpace(fill, fill.priceMicros))],
      }),
      makeLedgerNode('Amount', formatDecimal(fill.amountMicros), { unit: 'shares' }),
      makeLedgerNode('Fee', fill.feeMicros === null ? 'not told' : formatDecimal(fill.feeMicros), { unit: 'currency' }),
      makeLedgerNode('As', fill.isMaker === null ? 'not told' : fill.isMaker ? 'maker' : 'taker'),
      makeLedgerNode('Market', ledger.market(fill.marketConditionId)?.title ?? '', { subject: fill.marketConditionId }),
      makeLedgerNode('By the exchange, which names the second', timeText(timeMs), {
        children: [
          makeLedgerNode('Seen later', secondsText(fill.seenMs - timeMs), { unit: 's' }),
          ...rested.map((ms) => makeLedgerNode('Rested before it', secondsText(ms), { unit: 's' })),
        ],
      }),
      ...(intent === null || order === null
        ? [makeLedgerNode('Order', fill.orderPubkey)]
        : [{ ...orderTree(intent, order, ledger), subject: fill.orderPubkey }]),
    ],
  });
}

function marketTree(market: MarketStatus, { account }: TraderState): ExplainNode {
  const { refusals, orders, health } = market;
  const price = (value: number | null) => (value === null ? 'none' : moneyText(value));
  return makeTraderNode('Market', market.title, {
    children: [
      makeTraderNode('Trader', account?.mode ?? '', {
        children: [
          ...(account === null || account.reason === '' ? [] : [makeTraderNode('Because', account.reason)]),
          ...(account?.reduceOnly == null ? [] : [makeTraderNode('Only what reduces may leave', account.reduceOnly)]),
        ],
      }),
      makeTraderNode('Strategy', market.strategies.join(', ') || 'none', {
        children: [makeTraderNode('Says', market.note)],
      }),
      makeTraderNode('Fair value', price(market.fairMicros), {
        children: Object.entries(market.factors).map(([name, value]) => makeTraderNode(name, numberText(value))),
      }),
      makeTraderNode('Others', `${price(market.bestBidMicros)} / ${price(market.bestAskMicros)}`, {
        children: [
          makeTraderNode('Book seen', market.bookSeenMs === null ? 'never' : timeText(market.bookSeenMs)),
          ...(health?.crossed === true ? [makeTraderNode('Crossed', 'yes')] : []),
          ...(health?.frozen === true ? [makeTraderNode('Frozen', 'yes')] : []),
        ],
      }),
      makeTraderNode('Our orders', String(orders.length), { children: orders.map(ownOrder) }),
      makeTraderNode('Held', moneyText(market.yesMicros - market.noMicros), {
        unit: 'shares net',
        children: [
          makeTraderNode('YES', moneyText(market.yesMicros), { unit: 'shares' }),
          makeTraderNode('NO', moneyText(market.noMicros), { unit: 'shares' }),
        ],
      }),
      makeTraderNode('Refused by controls', String(refusals.reduce((sum, { count }) => sum + count, 0)), {
        unit: 'times',
        children: refusals.map(({ name, count, text }) =>
          makeTraderNode(name, String(count), { unit: 'times', children: [makeTraderNode('Newest', text)] }),
        ),
      }),
    ],
  });
}

const ownOrder = (order: MarketStatus['orders'][number]): ExplainNode =>
  makeTraderNode(order.side, moneyText(order.priceMicros), {
    children: [
      makeTraderNode('Open', moneyText(order.remainingMicros), { unit: 'shares' }),
      makeTraderNode('Phase', order.phase),
      makeTraderNode('Ahead of it, a risk-averse estimate', moneyText(order.queueAheadMicros) || '–', {
        unit: 'shares',
      }),
      makeTraderNode('Submitted', timeText(order.submittedMs)),
    ],
  });
