/** Lists with a filter: orders and fills, the log, alerts, runs, the configuration; explanations as a tree. */

import { explainHref, marketHref } from './address.js';
import { link, number, part, plain, rows, setText, text, time } from './dom.js';
import { known, moment } from './format.js';
import { leavePast } from './past.js';

/**
 * Whether any of these texts contains every word of the filter. @param {string} filter @param {readonly (string |
 * null)[]} texts
 */
function isFound(filter, texts) {
  const all = texts.join(' ').toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}

/** @param {import('../../console/views/orders-view.js').OrdersView} view @param {string} filter */
export function showOrders(view, filter) {
  const orders = view.orders.filter((row) => isFound(filter, [row.title, row.side, row.price, row.status, row.id]));
  rows(
    'order-list',
    orders.map((row) => [
      row.id,
      [
        time(moment(row.created)),
        link(row.title, marketHref(row.market)),
        link(`${row.side} at ${row.price}`, explainHref(row.id)),
        ...[row.amount, row.filled].map(number),
        text(row.status),
        time(row.closed === null ? '–' : moment(row.closed)),
      ],
    ]),
  );
  const fills = view.fills.filter((row) =>
    isFound(filter, [row.title, row.side, row.price, row.role, row.id, row.order]),
  );
  rows(
    'fill-list',
    fills.map((row) => [
      row.id,
      [
        time(moment(row.time)),
        link(row.title, marketHref(row.market)),
        link(`${row.side} at ${row.price}`, explainHref(row.id)),
        number(row.amount),
        number(known(row.fee)),
        text(known(row.role)),
        link('its order', explainHref(row.order)),
      ],
    ]),
  );
  const total = `${view.orders.length} and ${view.fills.length}`;
  setText(part('orders-found'), `${orders.length} orders and ${fills.length} fills of the newest ${total}`);
}

/** @param {import('../../console/views/log-view.js').LogView} view @param {string} filter */
export function showLog(view, filter) {
  const lines = view.lines.filter((row) => isFound(filter, [row.severity, row.kind, row.text]));
  rows(
    'log-lines',
    lines.map((row, i) => [
      `${row.time} ${row.kind} ${i}`,
      [time(moment(row.time)), text(row.severity), text(row.kind), text(row.text), text(row.source)],
      row.severity === 'loud' ? 'loud' : '',
    ]),
  );
  setText(part('log-found'), `${lines.length} of the newest ${view.lines.length} lines`);
}

/** @param {import('../../console/views/views.js').AlertsView} view */
export function showAlerts(view) {
  rows(
    'alerts-open',
    view.open.map((row) => [
      row.kind,
      [
        time(moment(row.time)),
        ...[row.severity, row.title, row.text, row.step].map(text),
        time(row.seen === null ? 'no' : moment(row.seen)),
      ],
      row.severity === 'critical' && row.seen === null ? 'loud' : '',
    ]),
  );
  rows(
    'alerts-recent',
    view.recent.map((row, i) => [
      `${row.time} ${row.kind} ${i}`,
      [time(moment(row.time)), text(row.severity), text(row.state), text(row.title), text(row.text)],
    ]),
  );
  rows(
    'alerts-channels',
    view.channels.map((row) => [
      row.channel,
      [text(row.channel), ...[row.delivered, row.failed, row.lost, row.waiting].map((count) => number(String(count)))],
    ]),
  );
}

/** @param {import('../../console/views/config-view.js').ConfigView} view @param {string} filter */
export function showConfig(view, filter) {
  setText(part('config-file'), `${view.file}, configuration ${view.hash.slice(0, 12)}`);
  const settings = view.settings.filter((row) => isFound(filter, [row.name, row.value]));
  rows(
    'config-settings',
    settings.map((row) => [row.name, [text(row.name), text(row.value)]]),
  );
  setText(part('config-found'), `${settings.length} of ${view.settings.length} settings`);
}

/** @param {import('../../console/views/log-view.js').RunsView} view */
export function showRuns(view) {
  rows(
    'runs-list',
    view.runs.map((row) => [
      row.id,
      [
        time(moment(row.started)),
        time(row.is_current ? 'runs now' : row.stopped === null ? 'was killed' : moment(row.stopped)),
        text(row.version),
        text(row.config_hash.slice(0, 12)),
        text(row.note || '–'),
        { text: `twinbook replay ${row.id}`, kind: 'text code' },
      ],
    ]),
  );
}

/** @param {import('../../console/views/explain-view.js').ExplainView} view */
export function showExplain({ subject, tree }) {
  leavePast(tree === null || tree.name === 'Market');
  const place = part('explain-tree');
  const shown = JSON.stringify(tree);
  // An unchanged tree keeps its open parts and the focus.
  if (place.dataset['shown'] === shown) return;
  const open = new Set([...place.querySelectorAll('details[open]')].map((one) => one.getAttribute('data-path')));
  const isFirst = place.dataset['subject'] !== subject;
  place.dataset['shown'] = shown;
  place.dataset['subject'] = subject;
  setText(part('view-explain-title'), tree === null ? 'Nothing has this name.' : `${tree.name} ${tree.value}`);
  const sources = /** @type {Readonly<Record<string, string>>} */ ({
    ledger: 'From the ledger. Each figure opens to its parts.',
    trader: 'Last state of the trader. Each figure opens to its parts.',
  });
  setText(part('explain-source'), sources[tree?.source ?? ''] ?? '');
  const list = document.createElement('ul');
  list.append(...(tree?.children ?? []).map((node) => explained(node, node.name, (path) => isFirst || open.has(path))));
  place.replaceChildren(list);
}

/** @param {import('../../console/views/explain-view.js').ExplainNode} node @param {string} path @param {(path: string) => boolean} isOpen */
function explained(node, path, isOpen) {
  const item = document.createElement('li');
  const figure = explainedFigure(node);
  if (node.children.length === 0) {
    item.append(figure);
    return item;
  }
  const details = document.createElement('details');
  details.setAttribute('data-path', path);
  details.open = isOpen(path);
  const summary = document.createElement('summary');
  summary.append(figure);
  const list = document.createElement('ul');
  list.append(...node.children.map((child) => explained(child, `${path}/${child.name}`, isOpen)));
  // A link within a summary would be two targets at one place.
  if (node.subject !== null) list.prepend(linkItem(node.subject));
  details.append(summary, list);
  item.append(details);
  return item;
}

/** @param {string} subject */
function linkItem(subject) {
  const item = document.createElement('li');
  item.append(subjectLink(subject, 'explain this'));
  return item;
}

/** @param {string} subject @param {string} words */
function subjectLink(subject, words) {
  const anchor = document.createElement('a');
  anchor.textContent = plain(words);
  anchor.setAttribute('href', explainHref(subject));
  return anchor;
}

/** @param {import('../../console/views/explain-view.js').ExplainNode} node */
function explainedFigure({ name, value, unit, subject, children }) {
  const line = document.createElement('span');
  const figure = document.createElement('b');
  if (subject !== null && children.length === 0) figure.append(subjectLink(subject, value));
  else figure.textContent = plain(value);
  line.append(`${name} `, figure, unit === '' ? '' : ` ${unit}`);
  return line;
}
