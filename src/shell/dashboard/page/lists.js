/** Lists: orders and fills, the log, alerts, runs, the configuration. */

import { link, number, table, text, time } from '../../web-kit/page/table.js';
import { html } from '../../web-kit/page/template.js';
import { explainHref, marketHref, route } from './address.js';
import { ActionButton, compare } from './controls.js';
import { known, moment } from './format.js';
import { Downloads, Filter, isFound } from './inputs.js';
import { model } from './model.js';

/** @param {{ readonly id: string }} row */
const idOf = ({ id }) => id;

/** @param {{ view: import('../../console/views/orders-view.js').OrdersView }} props */
export function Orders({ view }) {
  const { filter } = route();
  const orders = view.orders.filter((row) => isFound(filter, [row.title, row.side, row.price, row.status, row.id]));
  const fills = view.fills.filter((row) =>
    isFound(filter, [row.title, row.side, row.price, row.role, row.id, row.order]),
  );
  const total = `${view.orders.length} and ${view.fills.length}`;
  const market = link('Market', (row) => [row.title, marketHref(row.market)]);
  const explained = (/** @type {string} */ head) =>
    link(head, ({ side, price, id }) => [`${side} at ${price}`, explainHref(id)]);
  return html`<${Downloads} of=${[['orders', 'Orders (CSV)'], ['fills', 'Fills (CSV)']]} />
    <${Filter} name="orders" hint="words of the market, side, price, status or id"
      found=${`${orders.length} orders and ${fills.length} fills of the newest ${total}`} />
    ${table('order-list', 'Orders', orders, {
      key: idOf,
      columns: [
        time('Created', ({ created }) => moment(created)),
        market,
        explained('Order'),
        number('Amount', ({ amount }) => amount),
        number('Filled', ({ filled }) => filled),
        text('Status', ({ status }) => status),
        time('Ended', ({ closed }) => (closed === null ? '–' : moment(closed))),
      ],
    })}
    ${table('fill-list', 'Fills', fills, {
      key: idOf,
      columns: [
        time('Time', (row) => moment(row.time)),
        market,
        explained('Fill'),
        number('Amount', ({ amount }) => amount),
        number('Fee', ({ fee }) => known(fee)),
        text('As', ({ role }) => known(role)),
        link('Order', ({ order }) => ['its order', explainHref(order)]),
      ],
    })}`;
}

/** @param {{ view: import('../../console/views/log-view.js').LogView }} props */
export function Log({ view }) {
  const lines = view.lines.filter((row) => isFound(route().filter, [row.severity, row.kind, row.text]));
  return html`<${Filter} name="log" hint="words of a line, its kind, or loud" found=${`${lines.length} of the newest ${view.lines.length} lines`} />
    ${table('log-lines', 'Newest first', lines, {
      key: lineKey,
      kind: ({ severity }) => (severity === 'loud' ? 'loud' : ''),
      columns: [
        time('Time', (row) => moment(row.time)),
        text('Severity', ({ severity }) => severity),
        text('Kind', ({ kind }) => kind),
        text('What', (row) => row.text),
        text('From', ({ source }) => source),
      ],
    })}`;
}

/** @param {{ readonly time: number, readonly kind: string }} row @param {number} index */
const lineKey = ({ time: ms, kind }, index) => `${ms} ${kind} ${index}`;

/** @param {{ view: import('../../console/views/views.js').AlertsView }} props */
export const Alerts = ({ view }) =>
  html`<p class="files"><${ActionButton} name="ack" label="I have seen all that is open" help="not told again until they are over" /></p>
    ${table('alerts-open', 'Open', view.open, {
      key: ({ kind }) => kind,
      kind: (row) => (row.severity === 'critical' && row.acknowledgedMs === null ? 'loud' : ''),
      columns: [
        time('Since', ({ sinceMs }) => moment(sinceMs)),
        text('Severity', ({ severity }) => severity),
        text('Alert', ({ title }) => title),
        text('What', (row) => row.text),
        text('To do', ({ step }) => step),
        time('Seen', (row) => (row.acknowledgedMs === null ? 'no' : moment(row.acknowledgedMs))),
      ],
    })}
    ${table('alerts-recent', 'Told lately', view.recent, {
      key: ({ id }) => id,
      columns: [
        time('Time', (row) => moment(row.timeMs)),
        text('Severity', ({ severity }) => severity),
        text('State', ({ state }) => state),
        text('Alert', ({ title }) => title),
        text('What', (row) => row.text),
      ],
    })}
    ${table('alerts-channels', 'Channels', view.channels, {
      columns: [
        text('Channel', ({ channel }) => channel),
        number('Delivered', ({ delivered }) => delivered),
        number('Failed', ({ failed }) => failed),
        number('Lost', ({ lost }) => lost),
        number('Waiting', ({ waiting }) => waiting),
      ],
    })}`;

/** @param {{ view: import('../../console/views/config-view.js').ConfigView }} props */
export function Config({ view }) {
  const settings = view.settings.filter((row) => isFound(route().filter, [row.name, row.value]));
  return html`<p class="soft" id="config-file">${view.file}, configuration ${view.hash.slice(0, 12)}</p>
    <p class="files"><button type="button" id="compare" hidden=${model.role !== 'operate'} onClick=${compare}>Compare with the files</button> <${ActionButton}
      name="apply" label="Apply the files" help="what the files say, all of it or nothing; looser limits and other code want a reason" /> <${ActionButton}
      name="rollback" label="Roll back" help="wants a reason; the files stay as they are" /></p>
    <pre id="config-diff" tabindex="0" role="region" aria-label="How the files differ">${model.diff}</pre>
    <${Filter} name="config" hint="words of a setting" found=${`${settings.length} of ${view.settings.length} settings`} />
    ${table('config-settings', 'In force', settings, {
      key: ({ name }) => name,
      isNarrow: true,
      columns: [text('Setting', ({ name }) => name), text('Value', ({ value }) => value)],
    })}`;
}

/** @param {{ view: import('../../console/views/log-view.js').RunsView }} props */
export const Runs = ({ view }) =>
  html`<p>A run can be played again from its journal, and everything in the ledger reported: <code>twinbook pnl --report FILE</code>, <code>twinbook pnl --by day</code>.</p>
    ${table('runs-list', 'Runs of this ledger', view.runs, {
      key: idOf,
      columns: [
        time('Started', ({ startedMs }) => moment(startedMs)),
        time('Ended', (row) =>
          row.isCurrent ? 'runs now' : row.stoppedMs === null ? 'was killed' : moment(row.stoppedMs),
        ),
        text('Version', ({ version }) => version),
        text('Configuration', (row) => row.configHash.slice(0, 12)),
        text('Note', ({ note }) => note || '–'),
        { ...text('To play it again', ({ id }) => `twinbook replay ${id}`), kind: 'text code' },
      ],
    })}`;
