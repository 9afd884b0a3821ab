/** The page's frame around its views: login, head, controls and links. */

import { html, plain } from '../../web-kit/page/template.js';
import { Controls } from './controls.js';
import { ageText, clock, durationText, moment } from './format.js';
import { Alerts, Config, Log, Orders, Runs } from './lists.js';
import { Market } from './market.js';
import { byId, explainHref, LABELS, model, traderHref, viewHref } from './model.js';
import { Health, Money, Risk } from './money.js';
import { Overview, summarizeTraders, Traders } from './overview.js';

/** @typedef {import('./model.js').Route} Route */
/** @typedef {import('./controls.js').Go} Go */

/** Returns true for modes in which the trader has no quotes, or will soon have none. @param {string} mode */
const isStopped = (mode) => !['starting', 'quoting', 'widened', 'reducing'].includes(mode);

/** @type {Readonly<Record<string, string>>} */
const TITLES = { ...LABELS, orders: 'Orders and fills', config: 'Configuration', runs: 'Runs and reports' };

/** Returns a key that identifies a view's answer; equal requests have equal keys. @param {Route} wanted */
export const answerKey = (wanted) => [wanted.view, wanted.trader, wanted.market, wanted.subject].join(' ');

export const App = (/** @type {{ go: Go, logIn: (secret: string) => void }} */ { go, logIn }) =>
  html`<p class=${model.isMild ? 'banner mild' : 'banner'} id="banner" role="alert" hidden=${model.banner === ''}>${model.banner}</p>
    <p class="unseen" id="spoken" role="status">${spoken()}</p>
    ${loginForm(logIn)}
    <div id="main" class=${hasLost() ? 'old' : ''} hidden=${model.isLocked !== false}>
      ${head(go)}<${Controls} />${navigation()}
      <main><p id="unknown" class="soft">${model.wanted?.view === 'traders' ? '' : model.unknown}</p>${view(go)}</main>
    </div>`;

/** Returns true if the shown trader, or in the list every trader, does not answer. */
const hasLost = () =>
  model.state === null ? model.all?.traders.every(({ answers }) => !answers) : !model.state.answers;

function loginForm(/** @type {(secret: string) => void} */ logIn) {
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    const secret = byId('secret');
    if (!(secret instanceof HTMLInputElement)) return;
    logIn(secret.value);
    secret.value = '';
  };
  return html`<main id="login" hidden=${model.isLocked !== true} onSubmit=${submit}><h1>Twinbook</h1>
    <form><label>Password, or the token from the address that <code>twinbook dashboard</code> prints
    <input id="secret" type="password" autocomplete="current-password" /></label> <button type="submit">Open</button></form></main>`;
}

/** Returns the content of the page's head: title, colour, reason and open alerts of one trader or of all traders. */
function top() {
  const { wanted, state, all } = model;
  if (wanted?.view === 'traders' && all !== null) {
    const { title, reason, alerts, isBad } = summarizeTraders(all);
    return { title, kind: isBad ? 'stopped' : '', reason, about: clock(all.now), alerts };
  }
  if (state === null) return { title: '…', kind: '', reason: '', about: '', alerts: null };
  const title = state.mode + (state.silent ? ', the exchange does not answer' : '');
  const kind = state.silent || isStopped(state.mode) ? 'stopped' : state.mode === 'quoting' ? 'quoting' : '';
  const back = state.way_back === '' ? '' : ` (to resume: twinbook ${state.way_back})`;
  const process = `process ${state.pid}, version ${state.version}, running for ${durationText(state.now - state.started)}, `;
  const since = state.mode_since === null ? '' : `${state.mode} since ${moment(state.mode_since)}, `;
  const about = `${since}${state.trader} on ${state.venue} ${state.base_url}, ${state.pid === 0 ? '' : process}configuration ${state.config_hash.slice(0, 12) || '–'}, last message ${state.heard === null ? 'never' : `${ageText(state.heard, state.now)} ago`}`;
  return { title, kind, reason: state.reason + back, about, proof: proofText(state), alerts: state.alerts };
}

/** Returns a text that says whether orders still rest although the trader has stopped. @param {import('../../console/page-state.js').PageState} state */
function proofText({ mode, proven, open_orders: open, unknown_orders: unknown }) {
  if (!isStopped(mode)) return '';
  if (proven !== null) return `No order rests: confirmed twice at ${moment(proven)}.`;
  return open === null || open === 0
    ? ''
    : `${open} orders may still rest${unknown ? `, ${unknown} of them in an unknown state` : ''}.`;
}

/** Returns the text that screen readers read aloud when it changes: mode and number of open alerts. */
function spoken() {
  const { title, alerts } = top();
  return alerts === null ? '' : `${title}, ${alerts} open alerts`;
}

function head(/** @type {Go} */ go) {
  const { title, kind, reason, about, proof = '' } = top();
  const choose = (/** @type {{ currentTarget: HTMLSelectElement }} */ { currentTarget: { value } }) =>
    go(value === '' ? viewHref('traders') : traderHref(value));
  const { names, wanted } = model;
  const shown = wanted === null || wanted.view === 'traders' ? '' : (wanted.trader ?? '');
  return html`<header><h1 id="mode" class=${kind}>${title}</h1><p id="reason">${reason}</p><p id="proof" hidden=${proof === ''}>${proof}</p><p class="soft" id="about">${about}</p>
    <label class="span" id="switch" hidden=${names.length < 2}>Trader <select id="trader-name" value=${shown} onChange=${choose}>
      <option value="">all traders</option>${names.map((name) => html`<option key=${name} value=${name}>${name}</option>`)}
    </select></label></header>`;
}

function navigation() {
  const shown = model.wanted?.view;
  const { alerts } = top();
  // Links to one trader's views are hidden while no trader is chosen.
  const isHidden = (/** @type {string} */ name) => (name === 'traders' ? model.names.length < 2 : shown === 'traders');
  return html`<nav aria-label="Views">${Object.entries(LABELS).map(
    ([name, label]) =>
      html`<a data-view=${name} href=${viewHref(name)} hidden=${isHidden(name)} aria-current=${name === shown ? 'page' : null}>${label}${
        name === 'alerts' && alerts !== null && alerts > 0 ? html`<span id="alert-count"> (${alerts})</span>` : ''
      }</a>`,
  )}</nav>`;
}

/** Returns the title of the shown view. @param {Route} wanted */
function viewTitle(wanted) {
  if (wanted.view === 'market') return model.state?.market?.title ?? 'The trader does not follow this market.';
  if (wanted.view !== 'explain') return TITLES[wanted.view] ?? '';
  /** @type {ExplainView | null} */
  const explained = answerOf(wanted);
  if (explained === null) return 'Explain';
  const { tree } = explained;
  return tree === null ? 'No order or market has this name.' : `${tree.name} ${tree.value}`;
}

export function documentTitle() {
  const { wanted, state } = model;
  if (wanted === null) return 'Twinbook';
  if (wanted.view === 'traders' || state === null) return `${top().title} · Twinbook`;
  return plain(`${viewTitle(wanted)} · ${state.mode} · ${state.trader} · Twinbook`);
}

/** Returns the console's answer for a view; null before it arrives. @param {Route} wanted */
const answerOf = (wanted) => (model.answer.key === answerKey(wanted) ? model.answer.content : null);

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

function view(/** @type {Go} */ go) {
  const { wanted } = model;
  if (wanted === null) return null;
  // The console formats the times of an explanation in UTC; other times are in the browser's time zone.
  const zone = wanted.view === 'explain' ? 'UTC' : ZONE;
  return html`<section class="view" id="view-${wanted.view}" key=${wanted.view} aria-labelledby="view-${wanted.view}-title">
    <h2 id="view-${wanted.view}-title">${viewTitle(wanted)}</h2><p class="soft zone">Times: ${zone}</p>${viewBody(wanted, go)}</section>`;
}

/** @typedef {import('../../console/views/views.js').View<'explain'>} ExplainView */
/** @typedef {import('../../console/views/explain-view.js').ExplainNode} ExplainNode */

const SOURCES = {
  ledger: 'From the ledger. Click a figure to see its parts.',
  trader: 'The trader’s last message. Click a figure to see its parts.',
};

const Explain = (/** @type {{ view: ExplainView }} */ { view: { subject, source, tree } }) =>
  html`<p class="soft" id="explain-source">${tree === null ? '' : SOURCES[source]}</p>
    <div id="explain-tree" key=${subject}><ul>${tree?.children.map(explained)}</ul></div>`;

/** Shows a tree node and its children; closed nodes stay closed. @param {ExplainNode} node @returns {any} */
function explained(node) {
  const { name, value, unit, subject, children } = node;
  const isLeaf = children.length === 0;
  const link = (/** @type {string} */ words) => html`<a href=${explainHref(subject ?? '')}>${words}</a>`;
  const figure = html`<span>${name} <b>${subject !== null && isLeaf ? link(value) : value}</b>${unit === '' ? '' : ` ${unit}`}</span>`;
  if (isLeaf) return html`<li>${figure}</li>`;
  // The link is outside `summary`, because a click inside `summary` also opens or closes the node.
  return html`<li key=${name}><details open><summary>${figure}</summary><ul>${
    subject === null ? null : html`<li>${link('explain this')}</li>`
  }${children.map(explained)}</ul></details></li>`;
}

const BODIES = /** @type {Readonly<Record<string, unknown>>} */ ({
  money: Money,
  risk: Risk,
  health: Health,
  orders: Orders,
  log: Log,
  alerts: Alerts,
  config: Config,
  runs: Runs,
  explain: Explain,
});

function viewBody(/** @type {Route} */ wanted, /** @type {Go} */ go) {
  const { state, all } = model;
  if (wanted.view === 'traders') return all === null ? null : html`<${Traders} all=${all} />`;
  if (state === null) return null;
  const answer = answerOf(wanted);
  if (wanted.view === 'overview') return html`<${Overview} state=${state} money=${answer} />`;
  if (wanted.view === 'market')
    return html`<${Market} market=${state.market} id=${wanted.market ?? ''} now=${state.now} chart=${answer} go=${go} />`;
  if (answer !== null) return html`<${BODIES[wanted.view]} view=${answer} now=${state.now} go=${go} />`;
  // Without data, the page shows an error or that the data is loading.
  return model.unknown === '' ? html`<p class="soft">Loading …</p>` : null;
}
