/** Explains an order, fill or market by a tree of figures from the ledger or the trader. */

import { formatDecimal } from '../../../shared/base/micros.js';
import { plainLine } from '../../../shared/base/text.js';
import { type AccountStatus, describeQuoting, type MarketStatus } from '../../../shared/protocol/trader-status.js';
import type { BookedFill, IntentRow, LedgerReader, OrderRecord } from '../../../trader/ledger/contract.js';
import { filledOf, groupRefusals, moneyText, otherSpace, sideText } from '../ledger-lists.js';
import type { ShownState } from '../trader-state.js';

const MOST_FILLS = 50;

export interface ExplainNode {
  readonly name: string;
  readonly value: string;
  readonly unit: string;
  /** Id of a related order, fill or market, which the page links to its own explanation; null if there is none. */
  readonly subject: string | null;
  readonly children: readonly ExplainNode[];
}

/** `source`: the figures come from the ledger or the trader's last message. `tree`: null if the id is not found. */
export function explainView(subject: string, ledger: LedgerReader | null, trader: ShownState) {
  const market = trader.markets.get(subject);
  if (market !== undefined) return { subject, source: 'trader' as const, tree: marketTree(market, trader.account) };
  const prunedMs = ledger?.prunedBefore() ?? null;
  const pruned = prunedMs === null ? null : node('Not in the ledger', `pruned before ${timeText(prunedMs)}`);
  const tree = ledger === null ? null : (ledgerTree(subject, ledger) ?? pruned);
  return { subject, source: 'ledger' as const, tree };
}

export const marketLines = (market: MarketStatus, account: AccountFacts): readonly string[] =>
  listLines({ ...marketTree(market, account), subject: market.conditionId }, '');

/** Returns the facts of an order, a fill or an intent as indented lines; null for an unknown id. */
export function explainLines(subject: string, ledger: LedgerReader): readonly string[] | null {
  const tree = ledgerTree(subject, ledger);
  return tree === null ? null : listLines(tree, '');
}

const listLines = ({ name, value, unit, subject, children }: ExplainNode, indent: string): readonly string[] => [
  // A line break in a text from the exchange must not begin a line of its own.
  plainLine(
    [`${indent}${name}:`, value, unit, subject === null || subject === value ? '' : `(${subject})`]
      .filter((text) => text !== '')
      .join(' '),
  ),
  ...children.flatMap((child) => listLines(child, `${indent}  `)),
];

function ledgerTree(subject: string, ledger: LedgerReader): ExplainNode | null {
  const fill = ledger.fill(subject);
  if (fill !== null) return fillTree(fill, ledger);
  const intent = ledger.intent(ledger.order(subject)?.intentId ?? subject);
  // If the intent places an order, its draft has the order's pubkey.
  const order = intent?.draftPubkey == null || intent.kind !== 'place' ? null : ledger.order(intent.draftPubkey);
  return intent === null ? null : orderTree(intent, order, ledger);
}

const node = (
  name: string,
  value: string,
  children: readonly ExplainNode[] = [],
  { unit = '', subject = null }: Partial<Pick<ExplainNode, 'unit' | 'subject'>> = {},
): ExplainNode => ({ name, value, unit, subject, children });
const sharesNode = (name: string, value: string, children: readonly ExplainNode[] = []) =>
  node(name, value, children, { unit: 'shares' });

const timeText = (ms: number): string => `${new Date(ms).toISOString().replace('T', ' ').slice(0, -1)} UTC`;
const numberText = (value: number): string => String(Number(value.toPrecision(6)));

function orderTree(intent: IntentRow, order: OrderRecord | null, ledger: LedgerReader): ExplainNode {
  const fills = order === null ? [] : ledger.fills({ orderPubkey: order.pubkey, limit: MOST_FILLS });
  const by = intent.strategy === '' ? 'the engine' : intent.strategy;
  return node(intent.kind === 'place' ? 'Order' : intent.kind, order?.pubkey ?? intent.id, [
    ...listTerms(intent),
    marketNode(intent.marketConditionId, ledger),
    node('State', order?.status ?? intent.state, [
      node('Intent', intent.state),
      ...(intent.lastReason === '' ? [] : [node('Because', intent.lastReason)]),
      node('Times submitted', String(intent.submitCount)),
    ]),
    node('Times', '', listTimes(intent, order, fills)),
    sharesNode(
      'Filled',
      order === null ? '0' : formatDecimal(filledOf(order)),
      fills.map(({ pubkey: subject, timestampS, amountMicros, priceMicros }) => {
        const value = `${formatDecimal(amountMicros)} at ${formatDecimal(priceMicros)}`;
        return node(timeText(timestampS * 1000), value, [], { subject });
      }),
    ),
    node('Decided by', by, [
      ...listChildren(JSON.parse(intent.reason)),
      node('Configuration', intent.configHash.slice(0, 12)),
      node('Run', intent.runId),
    ]),
  ]);
}

const marketNode = (id: string, ledger: LedgerReader): ExplainNode =>
  node('Market', ledger.market(id)?.title ?? '', [], { subject: id });

function listTerms(intent: IntentRow): readonly ExplainNode[] {
  const { isYes, side, priceMicros, amountMicros, orderPubkey } = intent;
  const terms: ExplainNode[] = [];
  if (side !== null && isYes !== null && priceMicros !== null) terms.push(termsNode({ side, isYes, priceMicros }));
  if (amountMicros !== null) terms.push(sharesNode('Amount', formatDecimal(amountMicros)));
  if (orderPubkey !== null) terms.push(node('Order', orderPubkey, [], { subject: orderPubkey }));
  return terms;
}

function termsNode(terms: Pick<BookedFill, 'isYes' | 'side' | 'priceMicros'>): ExplainNode {
  const same = node('The same as', otherSpace(terms, terms.priceMicros));
  return node('Terms', `${sideText(terms)} at ${formatDecimal(terms.priceMicros)}`, [same]);
}

function listTimes(intent: IntentRow, order: OrderRecord | null, fills: readonly BookedFill[]): readonly ExplainNode[] {
  const oldest = fills.at(-1);
  const later = (name: string, ms: number | null | undefined) => {
    if (ms == null) return [];
    return [node(name, timeText(ms), [secondsNode('Time since the decision', ms - intent.createdMs)])];
  };
  return [
    node('Decided', timeText(intent.createdMs)),
    ...later('Draft stored', order?.createdMs),
    ...later('First fill', oldest && oldest.timestampS * 1000),
    ...later('Ended', order?.closedMs),
    ...later('Newest change', intent.updatedMs),
  ];
}

const secondsNode = (name: string, ms: number): ExplainNode =>
  node(name, (Math.max(0, ms) / 1000).toFixed(1), [], { unit: 's' });

function listChildren(value: unknown): readonly ExplainNode[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).map(([name, inner]: [string, unknown]) => {
    const unit = name.endsWith('_ms') ? 'ms' : name.endsWith('_shares') ? 'shares' : '';
    const shown = name.replace(/_ms$/, '').replaceAll('_', ' ');
    if (typeof inner === 'object' && inner !== null) return node(shown, '', listChildren(inner));
    return node(shown, typeof inner === 'number' ? numberText(inner) : String(inner ?? '–'), [], { unit });
  });
}

function fillTree(fill: BookedFill, ledger: LedgerReader): ExplainNode {
  const order = ledger.order(fill.orderPubkey);
  const intent = order === null ? null : ledger.intent(order.intentId);
  const timeMs = fill.timestampS * 1000;
  const fee = fill.feeMicros === null ? 'not reported' : formatDecimal(fill.feeMicros);
  return node('Fill', fill.pubkey, [
    termsNode(fill),
    sharesNode('Amount', formatDecimal(fill.amountMicros)),
    node('Fee', fee, [], { unit: 'currency' }),
    node('As', fill.isMaker === null ? 'not reported' : fill.isMaker ? 'maker' : 'taker'),
    marketNode(fill.marketConditionId, ledger),
    node('Time at the exchange, whole seconds', timeText(timeMs), [
      secondsNode('Delay until the trader saw the fill', fill.seenMs - timeMs),
      ...(order === null || fill.isMaker === false
        ? []
        : [secondsNode('Time that the order had rested in the book', timeMs - order.createdMs)]),
    ]),
    intent === null || order === null
      ? node('Order', fill.orderPubkey)
      : { ...orderTree(intent, order, ledger), subject: fill.orderPubkey },
  ]);
}

type AccountFacts = Pick<AccountStatus, 'mode' | 'reason' | 'reduceOnly' | 'marks'>;

function marketTree(market: MarketStatus, account: AccountFacts | null): ExplainNode {
  const { orders, health } = market;
  const price = (value: number | null) => (value === null ? 'none' : moneyText(value));
  const refusals = groupRefusals(market.refusals);
  const refused = refusals.reduce((sum, { count }) => sum + count, 0);
  const net = moneyText(market.yesMicros - market.noMicros);
  return node('Market', market.title, [
    node('Trader', account?.mode ?? '', [
      ...(account === null || account.reason === '' ? [] : [node('Because', account.reason)]),
      ...(account?.reduceOnly == null ? [] : [node('Only reducing orders are sent', account.reduceOnly)]),
    ]),
    node('Strategy', market.strategies.join(', ') || 'none', [node('State', market.note || describeQuoting(market))]),
    node(
      'Fair value',
      price(market.fairMicros),
      Object.entries(market.factors).map(([name, value]) => node(name, numberText(value))),
    ),
    node('Others', `${price(market.bestBidMicros)} / ${price(market.bestAskMicros)}`, [
      node('Book seen', market.bookSeenMs === null ? 'never' : timeText(market.bookSeenMs)),
      ...(health?.crossed === true ? [node('Crossed', 'yes')] : []),
      ...(health?.frozen === true ? [node('Frozen', 'yes')] : []),
    ]),
    node('Our orders', String(orders.length), orders.map(ownOrder)),
    node('Held', net, [sharesNode('YES', moneyText(market.yesMicros)), sharesNode('NO', moneyText(market.noMicros))], {
      unit: 'shares net',
    }),
    ...(account?.marks == null ? [] : [marksNode(market, account.marks)]),
    ...market.feeds.map(feedNode),
    worthNode(market),
    ...(market.exchangeRefusal === null ? [] : [node('Refused by the exchange', market.exchangeRefusal)]),
    timesNode(
      'Refused by controls',
      refused,
      refusals.map(({ control, count, text }) => timesNode(control, count, [node('Newest', text)])),
    ),
  ]);
}

type VenueMarks = NonNullable<AccountStatus['marks']>;
const marksNode = ({ markMove }: MarketStatus, { isBelieved, told, precision, recall }: VenueMarks): ExplainNode =>
  node("The venue's marks", isBelieved ? `price moved by ${markMove.toFixed(4)} since the last book` : 'not trusted', [
    node('Reported moves', told.toFixed(0), [node('Fraction that a book confirmed', precision.toFixed(2))]),
    node('Fraction of all price moves that the marks reported', recall.toFixed(2)),
  ]);

function feedNode({ name, view, withheld }: MarketStatus['feeds'][number]): ExplainNode {
  if (view === null) return node(`Feed ${name}`, withheld ?? '');
  const { p, bid, ask, sd, ageMs } = view;
  const price = p === null ? `${bid} to ${ask}` : String(p);
  const value = `${price}${sd === null ? '' : ` (sd ${sd})`}, ${(ageMs / 1000).toFixed(1)} s old`;
  return node(`Feed ${name}`, value, withheld === null ? [] : [node('Withheld from the strategy', withheld)]);
}

/** Lists the gains and costs that make up the value of quoting the market, currency per hour. */
function worthNode({ leftOutBecause, worth }: MarketStatus): ExplainNode {
  const chosen = leftOutBecause === null ? [] : [node('Polled, not quoted', leftOutBecause)];
  if (worth === null) return node('Value of quoting this market', 'not known yet', chosen);
  const { value, prices, place, belief } = worth;
  const hourly = (name: string, perS: number, why = '') => node(name, `${(perS * 3600).toFixed(4)} per hour${why}`);
  return node('Value of quoting this market', `${(value.net * 3600).toFixed(4)} per hour, rank ${place}`, [
    ...chosen,
    hourly('Gain from fills less adverse moves and fees', value.edge, `, ${(value.fillsPerS * 3600).toFixed(1)} fills`),
    hourly('Stale quotes', -value.stale, `, with a poll every ${value.lookEveryS.toFixed(0)} s`),
    hourly('Polls', -value.looks, `, at ${prices.look.toPrecision(3)} each`),
    hourly(
      'Moves',
      -value.moves,
      `, ${(value.movesPerS * 3600).toFixed(1)} moves, ${prices.request.toPrecision(3)} per signed request`,
    ),
    hourly('Replacing filled orders', -value.fills),
    hourly('Reserve for cancels', -value.reserve),
    hourly('Currency', -value.currency, `, for ${value.currencyBound.toFixed(2)} locked currency`),
    node('Ratio of observed to expected fills, estimated', belief.fillRatio.toFixed(2)),
    node('Estimated fraction of the quote distance lost after a fill', belief.adversePart.toFixed(2)),
  ]);
}

const timesNode = (name: string, count: number, children: readonly ExplainNode[]): ExplainNode =>
  node(name, String(count), children, { unit: 'times' });

const ownOrder = (order: MarketStatus['orders'][number]): ExplainNode =>
  node(order.side, moneyText(order.priceMicros), [
    sharesNode('Open', moneyText(order.remainingMicros)),
    node('Phase', order.phase),
    sharesNode('Shares ahead of the order, a risk-averse estimate', moneyText(order.queueAheadMicros) || '–'),
    node('Submitted', timeText(order.submittedMs)),
  ]);
