/**
 * The running page: receives the state as it changes, or polls it every second; polls its view's data; sends presses.
 * All data is inserted as text, never as markup: titles come from the exchange.
 */

import { explainHref, hrefWith, route, traderHref, viewHref } from './address.js';
import { alarm, ask, explainFailure, takeSecretFromAddress } from './ask.js';
import { redrawCharts } from './chart.js';
import { press, pressKill, showControls, startControls } from './controls.js';
import { field, part, plain, setText } from './dom.js';
import { startFiles } from './files.js';
import { clock, moment } from './format.js';
import { showKeys, startKeys } from './keys.js';
import { showAlerts, showConfig, showExplain, showLog, showOrders, showRuns } from './lists.js';
import { showMarket, showMarketChart } from './market.js';
import { showHealth, showMoney, showRisk } from './money.js';
import { showOverview } from './overview.js';
import { showPast, startPast, wantedMoment } from './past.js';
import { LockedOut, setSecret } from './session.js';
import { follow } from './stream.js';
import { startTheme } from './theme.js';
import { showSwitch, showTraders, summarizeTraders } from './traders.js';

/** @typedef {import('../../console/page-state.js').PageState} PageState */
/** @typedef {import('./address.js').Route} Route */

const POLL_MS = 1000;
/** A tab hidden for this long receives and polls nothing, ms. */
const HIDDEN_MS = 30_000;
/** Modes without own quotes, now or soon. */
const STOPPED = [
  'paused',
  'halted',
  'killed',
  'canceling',
  'flattening',
  'stopping',
  'stopped',
  'ending',
  'not answering',
];

/** @param {number | null} heard */
const momentText = (heard) => (heard === null ? 'nothing yet' : `of ${clock(heard)}`);

/** @param {PageState} state */
const silence = ({ answers, heard, mode, guardian }) =>
  answers || mode === 'stopped' || mode === 'starting'
    ? ''
    : `The trader does not answer. What you see is ${momentText(heard)}. ` +
      `KILL works all the same. Guardian: ${guardian}`;

/** Names of all shown traders; empty until known. @type {readonly string[]} */
let names = [];

/** The state of all traders while no name is known. @param {Route} wanted */
const pathOf = (wanted) => (names.length === 0 || wanted.view === 'traders' ? '/traders' : statePath(wanted));

/** @param {string} path */
async function look(path) {
  try {
    const response = await ask(path);
    showLogin(false);
    const answer = await response.json();
    if (response.ok) take(path, answer);
    else alarm(answer.error);
  } catch (error) {
    if (error instanceof LockedOut) showLogin(true);
    alarm(explainFailure(error));
  }
}

/** @param {boolean} isLocked whether the password or token must be entered first */
function showLogin(isLocked) {
  part('login').hidden = !isLocked;
  part('main').hidden = isLocked;
}

/** @param {string} path the requested one @param {any} answer */
function take(path, answer) {
  const wanted = route();
  // The user has moved to another view meanwhile.
  if (path !== pathOf(wanted)) return;
  if (path === '/traders') return lookAtAll(answer, wanted);
  alarm(silence(answer));
  showState(answer, wanted);
  lookCloser(wanted, answer.now).catch((error) => alarm(explainFailure(error)));
}

/** @param {Route} wanted */
function statePath({ view, market, trader }) {
  const query = new URLSearchParams(market !== null && view === 'market' ? { market } : {});
  if (trader !== null) query.set('trader', trader);
  return `/state?${query}`;
}

/** @param {import('../../console/trader-row.js').ServedTraders} answer @param {Route} wanted */
function lookAtAll(answer, wanted) {
  names = answer.traders.map(({ name }) => name);
  const isSeveral = names.length > 1;
  alarm('');
  // A single trader has no list; one of several is chosen before its data is requested or shown.
  if (wanted.view === 'traders' && !isSeveral) return go('/', true);
  if (wanted.view !== 'traders') return isSeveral && wanted.trader === null ? go(viewHref('traders'), true) : wake();
  showFrame(wanted, answer.role);
  const { title, reason, alerts, isBad } = summarizeTraders(answer);
  showTop({ title, kind: isBad ? 'stopped' : '', reason, about: clock(answer.now), alerts });
  document.title = `${title} · Twinbook`;
  showTraders(answer);
}

/**
 * Requests of a view beside the state, and their interval, ms.
 * @type {Readonly<Record<string, { readonly everyMs: number, readonly path: (wanted: Route) => string }>>}
 */
const CLOSER = {
  market: {
    everyMs: 5000,
    path: ({ market, span }) => `chart?market=${encodeURIComponent(market ?? '')}&span=${span}`,
  },
  money: { everyMs: 5000, path: ({ span }) => `money?span=${span}` },
  risk: { everyMs: 1000, path: () => 'risk' },
  health: { everyMs: 1000, path: () => 'health' },
  orders: {
    everyMs: 2000,
    path: ({ market }) => (market === null ? 'orders' : `orders?market=${encodeURIComponent(market)}`),
  },
  log: { everyMs: 2000, path: () => 'log' },
  alerts: { everyMs: 2000, path: () => 'alerts' },
  config: { everyMs: 10_000, path: () => 'config' },
  runs: { everyMs: 10_000, path: () => 'runs' },
  explain: { everyMs: 5000, path: ({ subject }) => `explain?subject=${encodeURIComponent(subject ?? '')}` },
  past: {
    everyMs: 2000,
    path: (wanted) => `past?subject=${encodeURIComponent(wanted.subject ?? '')}&at=${wantedMoment(wanted)}`,
  },
};

/** @param {Route} wanted */
const closerOf = (wanted) => (wanted.view === 'explain' && wantedMoment(wanted) !== null ? 'past' : wanted.view);

/** Last request, its time, and its answer. */
const closer = {
  path: '',
  trader: /** @type {string | null} */ (null),
  askedMs: Number.NEGATIVE_INFINITY,
  answer: /** @type {unknown} */ (null),
};

/** @param {string} path @param {string | null} trader */
const viewPath = (path, trader) =>
  trader === null
    ? `/views/${path}`
    : `/views/${path}${path.includes('?') ? '&' : '?'}trader=${encodeURIComponent(trader)}`;

/** @param {Route} wanted @param {number} now */
async function lookCloser(wanted, now) {
  const how = CLOSER[closerOf(wanted)];
  if (how === undefined) return;
  const path = how.path(wanted);
  const isOther = path !== closer.path || wanted.trader !== closer.trader;
  if (!isOther && performance.now() - closer.askedMs < how.everyMs) return;
  Object.assign(closer, { path, trader: wanted.trader, askedMs: performance.now() });
  if (isOther) closer.answer = null;
  const response = await ask(viewPath(path, wanted.trader));
  const answer = await response.json();
  // The user has moved to another view meanwhile.
  if (closer.path !== path || closer.trader !== wanted.trader) return;
  closer.answer = response.ok ? answer : null;
  setText(part('unknown'), response.ok ? '' : answer.error);
  if (response.ok) showView(wanted, answer, now);
}

/** @param {Route} wanted @param {any} answer of the wanted view @param {number} now */
function showView(wanted, answer, now) {
  const { filter } = wanted;
  switch (closerOf(wanted)) {
    case 'market':
      return showMarketChart(answer);
    case 'money':
      return showMoney(answer);
    case 'risk':
      return showRisk(answer);
    case 'health':
      return showHealth(answer, now);
    case 'orders':
      return showOrders(answer, filter);
    case 'log':
      return showLog(answer, filter);
    case 'alerts':
      return showAlerts(answer);
    case 'config':
      return showConfig(answer, filter);
    case 'runs':
      return showRuns(answer);
    case 'explain':
      return showExplain(answer);
    case 'past':
      return showPast(answer);
  }
}

/** The page was hidden long enough to stop polling. */
let isAsleep = false;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let sleeper;
/** Ends the present wait, so that the page requests its present view. */
let wake = () => {
  void poll();
};

async function poll() {
  const stop = new AbortController();
  wake = () => stop.abort();
  const path = pathOf(route());
  if (!isAsleep) {
    const isTold = names.length > 0 && follow(path, stop.signal, (answer) => take(path, answer)).catch(() => false);
    if (!(await isTold) && !stop.signal.aborted) await look(path);
  }
  if (stop.signal.aborted) return void poll();
  const timer = setTimeout(poll, POLL_MS);
  wake = () => {
    clearTimeout(timer);
    void poll();
  };
}

function noteSeen() {
  clearTimeout(sleeper);
  isAsleep = false;
  if (!document.hidden) return wake();
  sleeper = setTimeout(() => {
    isAsleep = true;
    wake();
  }, HIDDEN_MS);
}

/** @param {import('../../console/page-state.js').ServedState} state @param {Route} wanted */
function showState(state, wanted) {
  names = state.traders;
  showFrame(wanted, state.role);
  showHead(state);
  const shown = part(`view-${wanted.view}`).querySelector('h2')?.textContent ?? '';
  document.title = plain(`${state.market?.title ?? shown} · ${state.mode} · ${state.trader} · Twinbook`);
  if (wanted.view === 'overview') showOverview(state);
  if (wanted.view === 'market') showMarket(state.market, wanted.market ?? '', state.now);
}

/** The frame around a view. @param {Route} wanted @param {import('../contract.js').Role} role */
function showFrame(wanted, role) {
  for (const view of document.querySelectorAll('.view')) {
    if (view instanceof HTMLElement) view.hidden = view.id !== `view-${wanted.view}`;
  }
  for (const anchor of document.querySelectorAll('nav a')) {
    const view = anchor.getAttribute('data-view') ?? '';
    const href = viewHref(view);
    if (anchor.getAttribute('href') !== href) anchor.setAttribute('href', href);
    if (view === wanted.view) anchor.setAttribute('aria-current', 'page');
    else anchor.removeAttribute('aria-current');
    // Links of one trader have no target while none is chosen.
    if (view !== 'traders' && anchor instanceof HTMLElement) anchor.hidden = wanted.view === 'traders';
  }
  const isAll = wanted.view === 'traders';
  showSwitch(names, isAll ? null : wanted.trader);
  showControls(role, isAll);
  if (isAll) setText(part('unknown'), '');
}

/** @param {PageState} state */
function showHead(state) {
  const title = state.mode + (state.silent ? ', the exchange does not answer' : '');
  const kind = state.silent || STOPPED.includes(state.mode) ? 'stopped' : state.mode === 'quoting' ? 'quoting' : '';
  const back = state.way_back === '' ? '' : ` (back up with: twinbook ${state.way_back})`;
  const hours = ((state.now - state.started) / 3_600_000).toFixed(1);
  const run = state.pid === 0 ? '' : `process ${state.pid}, version ${state.version}, running for ${hours} h, `;
  const since = state.mode_since === null ? '' : `${state.mode} since ${moment(state.mode_since)}, `;
  const about = `${since}${state.trader} on ${state.venue} ${state.base_url}, ${run}configuration ${state.config_hash.slice(0, 12) || '–'}, ${clock(state.now)}`;
  showTop({ title, kind, reason: state.reason + back, about, alerts: state.alerts });
}

/** @param {{ title: string, kind: string, reason: string, about: string, alerts: number }} top */
function showTop({ title, kind, reason, about, alerts }) {
  setText(part('mode'), title, kind);
  setText(part('reason'), reason);
  setText(part('about'), about);
  // Only changes are read aloud: the mode and the number of open alerts.
  setText(part('spoken'), `${title}, ${alerts} open alerts`);
  setText(part('alert-count'), alerts === 0 ? '' : ` (${alerts})`);
}

/** @param {string} href @param {boolean} [isMove] of the same view */
function go(href, isMove = false) {
  if (isMove) history.replaceState(null, '', href);
  else history.pushState(null, '', href);
  closer.askedMs = Number.NEGATIVE_INFINITY;
  wake();
}

async function compare() {
  setText(part('config-diff'), 'comparing …');
  try {
    const answer = await (await ask(viewPath('diff', route().trader))).json();
    setText(part('config-diff'), (answer.lines ?? [answer.error]).join('\n'));
  } catch {
    setText(part('config-diff'), 'no answer');
  }
}

addEventListener('popstate', () => go(location.href, true));
addEventListener('hashchange', () => {
  takeSecretFromAddress();
  wake();
});
document.addEventListener('visibilitychange', noteSeen);
document.addEventListener('theme-changed', redrawCharts);
// The effect of a press must show now, not at the next poll.
document.addEventListener('acted', () => {
  closer.askedMs = Number.NEGATIVE_INFINITY;
});
document.addEventListener('click', (event) => {
  const anchor = event.target instanceof Element ? event.target.closest('a') : null;
  if (anchor === null || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  go(anchor.getAttribute('href') ?? '/');
});
part('trader-name').addEventListener('change', () => {
  const name = field('trader-name').value;
  go(name === '' ? viewHref('traders') : traderHref(name));
});
for (const select of document.querySelectorAll('select[data-span]')) {
  if (!(select instanceof HTMLSelectElement)) continue;
  select.value = route().span || select.value;
  select.addEventListener('change', () => go(hrefWith({ span: select.value }), true));
}
for (const input of document.querySelectorAll('input[type=search]')) {
  if (!(input instanceof HTMLInputElement)) continue;
  input.value = route().filter;
  input.addEventListener('input', () => {
    history.replaceState(null, '', hrefWith({ filter: input.value }));
    if (closer.answer !== null) showView(route(), closer.answer, Date.now());
  });
}
part('login').addEventListener('submit', (event) => {
  event.preventDefault();
  setSecret(field('secret').value);
  field('secret').value = '';
  wake();
});
part('more').addEventListener('click', () => {
  const isOpen = part('more').getAttribute('aria-expanded') === 'true';
  part('more').setAttribute('aria-expanded', String(!isOpen));
});
part('compare').addEventListener('click', () => void compare());
part('keys').addEventListener('click', showKeys);
part('close-help').addEventListener('click', () => /** @type {HTMLDialogElement} */ (part('help')).close());
startTheme();
startControls();
startFiles();
startPast(go);
startKeys({
  go: (view) => go(viewHref(view)),
  explain: () => {
    const { market } = route();
    if (market !== null) go(explainHref(market));
  },
  pause: () => void press('pause'),
  kill: () => void pressKill(),
});
// A tab opened in the background is filled too.
if (document.hidden) void poll();
noteSeen();
