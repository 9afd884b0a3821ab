/** Orders, queue, uptime, requests and refusals: what the trader could do with the time and the budget it had. */

import type { Analysis, RequestFigures, Spread } from '../analysis/contract.js';
import {
  count,
  decimal,
  formatDuration,
  formatGain,
  formatPercent,
  formatShares,
  ratio,
  signedCents,
  UNKNOWN,
} from '../figures.js';
import { html, type Markup, shorten } from './markup.js';
import { bar, facts, perSession, type Shown, section } from './parts.js';

export const ordersSection = (sessions: readonly Shown[]): Markup =>
  section(
    'orders',
    'Orders and quotes',
    '',
    perSession(
      sessions,
      ({ analysis }) => html`${uptime(analysis)}<div style="height:14px"></div>${facts(orderFacts(analysis))}`,
    ),
  );

function orderFacts({ trading }: Analysis) {
  const { queue, rested, noticed } = trading;
  return [
    { name: 'Orders placed / canceled', text: `${count(trading.ordersPlaced)} / ${count(trading.ordersCanceled)}` },
    { name: 'Orders with a fill', text: count(trading.ordersFilled) },
    { name: 'Shares posted', text: formatShares(trading.postedMicros) },
    {
      name: 'Shares filled while resting',
      text: formatShares(trading.restingFilledMicros),
      note: `(${formatPercent(trading.fillRatioShare)})`,
    },
    {
      name: 'Shares bought / sold, as YES',
      text: `${formatShares(trading.boughtMicros)} / ${formatShares(trading.soldMicros)}`,
    },
    { name: 'Fills as maker / as taker', text: `${count(trading.makerFills)} / ${count(trading.takerFills)}` },
    {
      name: 'Shares ahead when joining, mean',
      text: formatShares(queue.meanAheadMicros),
      note: queue.aheadShare === null ? '' : `(${formatPercent(queue.aheadShare)} of the queue)`,
    },
    { name: 'the same, of orders with a fill', text: formatShares(queue.filledMeanAheadMicros) },
    { name: 'Rested before a fill', text: spread(rested), note: '(median, 90 %)' },
    { name: 'A fill was noticed after', text: spread(noticed), note: '(median, 90 %)' },
    {
      name: 'Fees saved by legs',
      text: formatGain(trading.feesSavedByLegsMicros),
      note: '(the other leg, less what was paid)',
    },
    { name: 'Fills never noticed', text: count(trading.neverNoticed) },
  ];
}

const spread = ({ median, p90 }: Spread): string =>
  median === null ? UNKNOWN : `${formatDuration(median)}, ${formatDuration(p90)}`;

function uptime({ quoting: { twoSidedShare, oneSidedShare, openForMs } }: Analysis): Markup {
  if (twoSidedShare === null || oneSidedShare === null)
    return html`<p class="note">${openForMs === 0 ? 'No market was open while the trader ran.' : 'How long quotes stood is not known.'}</p>`;
  const none = 1 - twoSidedShare - oneSidedShare;
  const rows = [
    { name: 'Bid and ask stood', part: twoSidedShare, kind: 'two' },
    { name: 'One of them', part: oneSidedShare, kind: 'one' },
    { name: 'Neither', part: none, kind: '' },
  ];
  return barTable(
    'Quote uptime, of the time that markets were open',
    'Of the time',
    rows.map(({ name, part, kind }) => ({ name, figure: formatPercent(part), part, kind })),
  );
}

interface BarRow {
  readonly name: string | Markup;
  readonly figure: string;
  readonly part: number;
  readonly kind: string;
  /** A mark on the bar, e.g. a peak. */
  readonly mark?: number;
}

function barTable(caption: string, title: string, rows: readonly BarRow[]): Markup {
  const lines = rows.map(
    ({ name, figure, part, kind, mark }) =>
      html`<tr><th scope="row" class="text">${name}</th><td class="num">${figure}</td><td class="bars"><span class="cell">${bar(0, 1, 'rest')}${part > 0 ? bar(0, part, kind) : null}${mark === undefined ? null : html`<i class="zero" style="left:${(Math.min(1, mark) * 100).toFixed(2)}%;top:-3px;bottom:-3px;width:2px;background:var(--ink)"></i>`}</span></td></tr>`,
  );
  return html`<div class="scroll"><table><caption>${caption}</caption><thead><tr><th scope="col" class="text">${caption}</th><th scope="col" class="num">${title}</th><th scope="col" class="text bars" aria-hidden="true"></th></tr></thead><tbody>${lines}</tbody></table></div>`;
}

export const requestSection = (sessions: readonly Shown[]): Markup =>
  section(
    'requests',
    'Request budget',
    'The venue counts requests in any 60 seconds. The mark on a bar is the fullest minute.',
    perSession(sessions, ({ analysis }) =>
      analysis.requests === null
        ? html`<p class="note">A ledger does not count requests.</p>`
        : requests(analysis.requests),
    ),
  );

function requests(use: RequestFigures): Markup {
  const row = (scope: 'public' | 'signed', part: number | null, mark: number | null): BarRow => {
    const { count: sent, limitPerMinute, peakPerMinute } = use[scope];
    const rate = use.minutes === 0 ? UNKNOWN : decimal(sent / use.minutes, 1);
    return {
      name: `${scope === 'public' ? 'Public' : 'Signed'}: ${rate} a minute of ${count(limitPerMinute)}, fullest minute ${count(peakPerMinute)}`,
      figure: formatPercent(part),
      part: part ?? 0,
      kind: (part ?? 0) > 0.9 ? 'one' : 'two',
      mark: mark ?? 0,
    };
  };
  const scopes = barTable('Budget', 'Used', [
    row('public', use.publicShare, use.publicPeakShare),
    row('signed', use.signedShare, use.signedPeakShare),
  ]);
  const most = Math.max(1, ...use.byEndpoint.map(([, sent]) => sent));
  const endpoints = takeListed(use.byEndpoint).map(([name, sent]) => ({
    name: html`<code>${shorten(name, 80)}</code>`,
    figure: count(sent),
    part: sent / most,
    kind: '',
  }));
  const { looks, moves, cancels, conversions, own } = use.byPurpose;
  const lost = facts([
    { name: 'For looks', text: count(looks) },
    { name: 'For orders placed', text: count(moves) },
    { name: 'For cancels', text: count(cancels) },
    { name: 'For conversions', text: count(conversions) },
    { name: 'For own state', text: count(own) },
    { name: 'Requests a fill', text: ratio(use.perFill) },
    { name: 'Value a request, cents', text: signedCents(use.valueMicros) },
    { name: 'Never left in time', text: count(use.unsent) },
    { name: 'Answered with 429', text: count(use.public.throttled + use.signed.throttled) },
  ]);
  return html`${scopes}<div style="height:12px"></div>${lost}${endpoints.length === 0 ? null : html`<details><summary>By endpoint</summary>${barTable('Endpoint', 'Requests', endpoints)}</details>`}`;
}

/** Lists that the outside makes longer than a page can bear are cut; the rest is in `--json`. */
const LISTED = 40;
export const takeListed = <T>(items: readonly T[]): readonly T[] => items.slice(0, LISTED);
export const describeUnlisted = (items: readonly unknown[]): Markup | null =>
  items.length > LISTED ? html`<p class="note">… and ${count(items.length - LISTED)} more, all in --json.</p>` : null;

const WHO = { risk: 'risk limit', guard: 'strategy’s guard', exchange: 'exchange' } as const;

export const refusalSection = (sessions: readonly Shown[]): Markup =>
  section(
    'refusals',
    'Refusals',
    'Quotes and orders that were not let through, and by whom.',
    perSession(sessions, ({ analysis: { refusals } }) => {
      if (refusals.length === 0) return html`<p class="note">Nothing was refused.</p>`;
      const most = Math.max(1, ...refusals.map((refusal) => refusal.count));
      const rows = takeListed(refusals).map((refusal) => ({
        name: html`<code>${shorten(refusal.name, 80)}</code> <span class="note">${WHO[refusal.by]}</span>`,
        figure: count(refusal.count),
        part: refusal.count / most,
        kind: '',
      }));
      return html`${barTable('Refused by', 'Times', rows)}${describeUnlisted(refusals)}`;
    }),
  );
