/** The page's views of orders, fills, log lines, alerts, runs and the configuration. */

import { link, number, table, text, time } from '../../web-kit/page/table.js';
import { html } from '../../web-kit/page/template.js';
import { ActionButton, Choice, compare, download, Filter, openReport, Pages, SPANS } from './controls.js';
import { durationText, gain, known, moment, money, percent, price, shares } from './format.js';
import { explainHref, marketHref, model, route } from './model.js';

/** @typedef {import('./controls.js').Go} Go */

const MARKET = link('Market', (/** @type {{ market: string, title?: string }} */ row) => [
  row.title ?? model.state?.markets.find(({ id }) => id === row.market)?.title ?? row.market.slice(0, 10),
  marketHref(row.market),
]);

const explained = (/** @type {string} */ head) =>
  link(head, (/** @type {{ side: string, id: string }} */ { side, id }) => [side, explainHref(id)]);

const PRICE = number('Price', (/** @type {{ price: string }} */ row) => price(row.price));
const AMOUNT = number('Amount', (/** @type {{ amount: string }} */ row) => shares(row.amount));

/** @param {string} id @param {string} title @param {readonly import('../../console/page-state.js').PageState['orders'][number][]} rows */
export const orderTable = (id, title, rows) =>
  table({ id, title }, rows, [
    time('Created', 'time', moment),
    MARKET,
    explained('Order'),
    PRICE,
    AMOUNT,
    number('Filled', 'filled', shares),
    text('Status', ({ status }) => status.replaceAll('_', ' ')),
    ...(rows.some(({ closed }) => closed !== null)
      ? [time('Ended', (/** @type {typeof rows[number]} */ { closed }) => (closed === null ? '–' : moment(closed)))]
      : []),
  ]);

/** @param {string} id @param {string} title @param {readonly import('../../console/page-state.js').PageState['fills'][number][]} rows */
export const fillTable = (id, title, rows) =>
  table({ id, title }, rows, [
    time('Time', 'time', moment),
    MARKET,
    explained('Fill'),
    PRICE,
    AMOUNT,
    number('Fee', 'fee', money),
    text('Role', 'role', known),
    link('Order', ({ order }) => ['its order', explainHref(order)]),
  ]);

/** @param {{ view: import('../../console/views/views.js').View<'orders'>, go: Go }} props */
export function Orders({ view: { orders, fills, trips, read }, go }) {
  const markets = model.state?.markets.map(({ id, title }) => /** @type {const} */ ([id, title])) ?? [];
  const part = read < 1 ? ` of the oldest ${percent(read)} of the fills` : '';
  return html`<p class="files">As a file: <button type="button" onClick=${() => void download('orders')}>Orders (CSV)</button> <button type="button" onClick=${() => void download('fills')}>Fills (CSV)</button></p>
    <div class="choices"><${Choice} name="market" label="Market" choices=${[['', 'all'], ...markets]} go=${go} />
    <${Choice} name="side" label="Side" choices=${[['', 'all'], ['buy', 'bought'], ['sell', 'sold']]} go=${go} />
    <${Choice} name="span" label="Time" choices=${[['', 'all'], ...SPANS]} go=${go} /></div>
    <${Filter} name="orders" hint="words of the market, side, price, status or id"
      found=${`Orders: ${orders.count}, fills: ${fills.count}, round trips: ${trips.count}, among the newest 2,000 of each`} />
    <${Pages} lists=${[orders, fills, trips]} />
    ${orderTable('order-list', 'Orders', orders.rows)}
    ${fillTable('fill-list', 'Fills', fills.rows)}
    ${table({ id: 'trip-list', title: `Round trips${part}, matched first in, first out, after fees` }, trips.rows, [
      time('Closed', 'time', moment),
      MARKET,
      text('Held', 'held'),
      number('Shares', 'shares', shares),
      number('Bought', 'bought', price),
      number('Sold', 'sold', price),
      number('Profit', 'profit', gain),
      number('Held for', 'lasted', durationText),
    ])}`;
}

/** @param {{ view: import('../../console/views/views.js').View<'log'>, go: Go }} props */
export const Log = ({ view: { lines, refusals }, go }) =>
  html`<div class="choices"><${Choice} name="side" label="Severity" choices=${[['', 'all'], ['loud', 'important'], ['info', 'information']]} go=${go} /></div>
    <${Filter} name="log" hint="words of a line or its kind" found=${`Lines: ${lines.count}. Fills are under Orders.`} />
    <${Pages} lists=${[lines]} />
    ${lineTable('log-lines', 'Lines, newest first', lines.rows)}
    ${refusalTable(refusals)}`;

export const refusalTable = (/** @type {import('../../console/views/views.js').View<'log'>['refusals']} */ refusals) =>
  table(
    {
      id: 'refusals',
      title: 'Orders refused by risk controls in this run',
      key: ({ control }) => control,
      isNarrow: true,
    },
    refusals,
    [text('Control', 'control'), number('Refusals', 'count'), text('Newest reason', 'text')],
  );

/** @param {string} id @param {string} title @param {readonly import('../../console/page-state.js').PageState['events'][number][]} rows */
export const lineTable = (id, title, rows) =>
  table(
    {
      id,
      title,
      key: ({ timeMs, kind }, index) => `${timeMs} ${kind} ${index}`,
      kind: ({ severity }) => (severity === 'loud' ? 'loud' : ''),
    },
    rows,
    [
      time('Time', 'timeMs', moment),
      text('Severity', ({ severity }) => (severity === 'loud' ? 'important' : 'information')),
      text('Kind', 'kind'),
      text('What happened', 'text'),
    ],
  );

export const Alerts = (/** @type {{ view: import('../../console/views/views.js').View<'alerts'> }} */ { view }) =>
  html`<p class="files"><${ActionButton} name="ack" role="stop" label="Acknowledge all open alerts" help="an acknowledged alert is not sent again while it is open" /></p>
    ${table(
      {
        id: 'alerts-open',
        title: 'Open alerts',
        key: ({ kind }) => kind,
        kind: (row) => (row.severity === 'critical' && row.acknowledgedMs === null ? 'loud' : ''),
      },
      view.open,
      [
        time('Since', 'sinceMs', moment),
        text('Severity', 'severity'),
        text('Alert', 'title'),
        text('Details', 'text'),
        text('To do', 'step'),
        time('Acknowledged', (row) => (row.acknowledgedMs === null ? 'no' : moment(row.acknowledgedMs))),
      ],
    )}
    ${table({ id: 'alerts-recent', title: 'Newest alerts' }, view.recent, [
      time('Time', 'timeMs', moment),
      text('Severity', 'severity'),
      text('State', 'state'),
      text('Alert', 'title'),
      text('Details', 'text'),
    ])}
    ${table({ id: 'alerts-channels', title: 'Channels' }, view.channels, [
      text('Channel', 'channel'),
      number('Delivered', 'delivered'),
      number('Failed', 'failed'),
      number('Lost', 'lost'),
      number('Waiting', 'waiting'),
    ])}`;

/** @param {{ view: import('../../console/views/views.js').View<'config'> }} props */
export const Config = ({ view: { file, hash, settings } }) =>
  html`<p class="soft" id="config-file">${file}, configuration ${hash.slice(0, 12)}</p>
    <p class="files"><button type="button" id="compare" hidden=${model.role !== 'operate'} onClick=${compare}>Compare with the files</button> <${ActionButton}
      name="apply" role="operate" label="Apply the files" help="applies all changes of the files, or none; looser limits and other code need a reason" /> <${ActionButton}
      name="rollback" role="operate" label="Roll back" help="needs a reason; the files do not change" /></p>
    <pre id="config-diff" tabindex="0" role="region" aria-label="How the files differ" hidden=${model.diff === ''}>${model.diff}</pre>
    <${Filter} name="config" hint="words of a setting" found=${`Settings: ${settings.count}`} />
    <${Pages} lists=${[settings]} />
    ${table({ id: 'config-settings', title: 'Current settings', key: ({ name }) => name, isNarrow: true }, settings.rows, [text('Setting', 'name'), text('Value', 'value')])}`;

export const Runs = (
  /** @type {{ view: import('../../console/views/views.js').View<'runs'>, go: Go }} */ { view, go },
) =>
  html`<p class="files"><${ActionButton} name="report" role="operate" label="Report of this ledger" help="result, fills and quotes of each market" /></p>
    <p class="files choices"><${Choice} name="market" label="Recordings" choices=${[['', 'all'], ...view.recordings.map(({ name, title }) => [name, title])]} go=${go} /> <${ActionButton}
      name="backtest" of=${route().market ?? ''} role="operate" label="Backtest the configuration" help="the trader’s files over its recordings, in a separate process" /></p>
    <p id="report-state" role="status">${view.said}</p>
    <pre id="parity" class="code" tabindex="0" role="region" aria-label="A run beside its backtests" hidden=${view.parity === ''}>${view.parity}</pre>
    ${table({ id: 'report-list', title: 'Reports', key: (name) => name, isNarrow: true }, view.reports, [
      text(
        'Report',
        (name) =>
          html`<button type="button" class="link" onClick=${() => void openReport(name)}>${name.replace('.html', '')}</button>`,
      ),
    ])}
    ${table({ id: 'runs-list', title: 'Runs of this ledger' }, view.runs, [
      time('Started', 'startedMs', moment),
      time('Ended', (row) =>
        row.isCurrent ? 'runs now' : row.stoppedMs === null ? 'not recorded' : moment(row.stoppedMs),
      ),
      text('Version', 'version'),
      text('Configuration', (row) => row.configHash.slice(0, 12)),
      text('Note', ({ note }) => note || '–'),
      text('Comparison with backtests', ({ id }) =>
        view.journals.includes(id)
          ? html`<${ActionButton} name="parity" of=${id} role="operate" label="Compare" help="compares the run with backtests of its time span, one for each fill model" />`
          : 'no journal',
      ),
      { ...text('Replay command', ({ id }) => `twinbook replay ${id}`), kind: 'text code' },
    ])}`;
