/**
 * The page at work: asks for the state once a second and for what its view shows, sends what is pressed. Everything that is
 * shown goes in as text, never as markup: titles come from the exchange.
 */

import { explainHref, hrefWith, route } from './address.js';
import { redrawCharts } from './chart.js';
import { field, part, plain, setText } from './dom.js';
import { clock } from './format.js';
import { showKeys, startKeys } from './keys.js';
import { showAlerts, showConfig, showExplain, showLog, showOrders, showRuns } from './lists.js';
import { showMarket, showMarketChart } from './market.js';
import { showHealth, showMoney, showRisk } from './money.js';
import { showOverview } from './overview.js';
import { startTheme } from './theme.js';

/** @typedef {import('../contract.js').PageState} PageState */
/** @typedef {import('./address.js').Route} Route */

const POLL_MS = 1000;
/** A tab that nobody sees asks no more after so long, ms. */
const HIDDEN_MS = 30_000;
/** A console that has not answered for so long hangs, or is gone; it asks the trader for two seconds. */
const PATIENCE_MS = 4000;
/** A second press of KILL within so long is meant, ms. */
const KILL_WITHIN_MS = 3000;
const KEPT = 'twinbook-secret';

/** Modes in which nothing of ours is at work, or soon nothing will be. */
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

// What stands behind the # never leaves the browser; it is taken out of the address so that no screenshot shows it.
if (location.hash.length > 1) {
  sessionStorage.setItem(KEPT, decodeURIComponent(location.hash.slice(1)));
  history.replaceState(null, '', `/${location.search}`);
}

/**
 * @param {string} path
 * @param {RequestInit} [how]
 */
const ask = (path, how = {}) =>
  fetch(path, {
    ...how,
    headers: { authorization: `Bearer ${sessionStorage.getItem(KEPT) ?? ''}`, 'content-type': 'application/json' },
    signal: AbortSignal.timeout(PATIENCE_MS),
    cache: 'no-store',
    redirect: 'error',
  });

/** @param {string} words */
function alarm(words) {
  // The same words again would be read out again.
  if (part('banner').textContent !== words) part('banner').textContent = words;
  part('banner').hidden = words === '';
}

const GONE =
  'The page does not answer. What you see is old. "twinbook kill" and "twinbook cancel-all" on its machine work without it.';

/** @param {PageState} state */
const silence = ({ answers, heard, mode, guardian }) =>
  answers || mode === 'stopped' || mode === 'starting'
    ? ''
    : `The trader does not answer. What you see is ${heard === null ? 'nothing yet' : `of ${clock(heard)}`}. ` +
      `KILL works all the same. Guardian: ${guardian}`;

async function look() {
  const wanted = route();
  const where = location.search;
  try {
    const { market, view } = wanted;
    const isNear = market !== null && view === 'market';
    const response = await ask(isNear ? `/state?market=${encodeURIComponent(market)}` : '/state');
    const isIn = response.ok;
    part('login').hidden = isIn || response.status !== 401;
    part('main').hidden = !isIn && response.status === 401;
    const answer = await response.json();
    if (isIn && location.search === where) {
      showState(answer, wanted);
      await lookCloser(wanted, answer.now);
    }
    const error = isIn ? silence(answer) : answer.error;
    alarm(response.status === 401 && sessionStorage.getItem(KEPT) === null ? '' : error);
  } catch {
    alarm(GONE);
  }
}

/**
 * What a view asks for beside the state, and how often, ms.
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
};

/** What was asked last, when, and what came. */
const closer = { path: '', askedMs: Number.NEGATIVE_INFINITY, answer: /** @type {unknown} */ (null) };

/** @param {Route} wanted @param {number} now */
async function lookCloser(wanted, now) {
  const how = CLOSER[wanted.view];
  if (how === undefined) return;
  const path = how.path(wanted);
  const isOther = path !== closer.path;
  if (!isOther && performance.now() - closer.askedMs < how.everyMs) return;
  Object.assign(closer, { path, askedMs: performance.now() });
  if (isOther) closer.answer = null;
  const response = await ask(`/views/${path}`);
  const answer = await response.json();
  // Another view was gone to meanwhile.
  if (closer.path !== path) return;
  closer.answer = response.ok ? answer : null;
  setText(part('unknown'), response.ok ? '' : answer.error);
  if (response.ok) showView(wanted, answer, now);
}

/** @param {Route} wanted @param {any} answer of the view that is wanted @param {number} now */
function showView({ view, filter }, answer, now) {
  switch (view) {
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
  }
}

let hiddenSince = Number.POSITIVE_INFINITY;

async function poll() {
  if (!document.hidden) hiddenSince = Number.POSITIVE_INFINITY;
  else hiddenSince = Math.min(hiddenSince, performance.now());
  if (performance.now() - hiddenSince < HIDDEN_MS || !document.hidden) await look();
  setTimeout(poll, POLL_MS);
}

/** @param {string} action */
async function press(action) {
  const why = field('why');
  if (action === 'flatten' && !confirm('Sell everything that is held into the book, at the prices there?')) return;
  said(`${action} …`, false);
  try {
    const response = await ask(`/actions/${action}`, { method: 'POST', body: JSON.stringify({ reason: why.value }) });
    const answer = await response.json();
    said(response.ok ? `${action}: ${answer.text}` : answer.error, !response.ok);
    if (response.ok) why.value = '';
    else if (response.status === 409) why.focus();
  } catch {
    said(`${action}: no answer, so it is not known whether it was heard`, true);
    alarm(GONE);
  }
}

let killSince = Number.NEGATIVE_INFINITY;

/** A dialog at three in the morning costs money, a slip of the hand too: it is pressed twice. */
function pressKill() {
  if (performance.now() - killSince < KILL_WITHIN_MS) {
    killSince = Number.NEGATIVE_INFINITY;
    return void press('kill');
  }
  killSince = performance.now();
  said(
    'Press KILL again within three seconds: everything is canceled, and nothing new leaves until it is lifted.',
    true,
  );
  return undefined;
}

/**
 * @param {string} words
 * @param {boolean} refused
 */
function said(words, refused) {
  part('said').textContent = words;
  part('said').classList.toggle('refused', refused);
}

/** @param {PageState} state @param {Route} wanted */
function showState(state, wanted) {
  showHead(state);
  for (const view of document.querySelectorAll('.view')) {
    if (view instanceof HTMLElement) view.hidden = view.id !== `view-${wanted.view}`;
  }
  for (const anchor of document.querySelectorAll('nav a')) {
    if (anchor.getAttribute('data-view') === wanted.view) anchor.setAttribute('aria-current', 'page');
    else anchor.removeAttribute('aria-current');
  }
  const shown = part(`view-${wanted.view}`).querySelector('h2')?.textContent ?? '';
  document.title = plain(`${state.market?.title ?? shown} · ${state.mode} · ${state.trader} · Twinbook`);
  if (wanted.view === 'overview') showOverview(state);
  if (wanted.view === 'market') showMarket(state.market, wanted.market ?? '', state.now);
}

/** @param {PageState} state */
function showHead(state) {
  const mode = state.mode + (state.silent ? ', the exchange does not answer' : '');
  setText(part('mode'), mode, STOPPED.includes(state.mode) ? 'stopped' : state.mode === 'quoting' ? 'quoting' : '');
  const back = state.way_back === '' ? '' : ` (back up with: twinbook ${state.way_back})`;
  setText(part('reason'), state.reason + back);
  const hours = ((state.now - state.started) / 3_600_000).toFixed(1);
  const run = state.pid === 0 ? '' : `process ${state.pid}, version ${state.version}, running for ${hours} h, `;
  setText(
    part('about'),
    `${state.trader} on ${state.venue} ${state.base_url}, ${run}configuration ${state.config_hash.slice(0, 12) || '–'}, ${clock(state.now)}`,
  );
  // Only what changes is read out: the mode and how many alerts are open.
  setText(part('spoken'), `${mode}, ${state.alerts} open alerts`);
  setText(part('alert-count'), state.alerts === 0 ? '' : ` (${state.alerts})`);
}

/** @param {string} href @param {boolean} [isMove] of the same view */
function go(href, isMove = false) {
  if (isMove) history.replaceState(null, '', href);
  else history.pushState(null, '', href);
  closer.askedMs = Number.NEGATIVE_INFINITY;
  void look();
}

const VIEW_HREF = (/** @type {string} */ view) => (view === 'overview' ? '/' : `/?view=${view}`);

async function compare() {
  setText(part('config-diff'), 'comparing …');
  try {
    const answer = await (await ask('/views/diff')).json();
    setText(part('config-diff'), (answer.lines ?? [answer.error]).join('\n'));
  } catch {
    setText(part('config-diff'), 'no answer');
  }
}

addEventListener('popstate', () => go(location.href, true));
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) void look();
});
document.addEventListener('theme-changed', redrawCharts);
document.addEventListener('click', (event) => {
  const anchor = event.target instanceof Element ? event.target.closest('a') : null;
  if (anchor === null || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  go(anchor.getAttribute('href') ?? '/');
});
for (const button of document.querySelectorAll('button[data-action]')) {
  const action = button.getAttribute('data-action') ?? '';
  button.addEventListener('click', () => (action === 'kill' ? pressKill() : void press(action)));
}
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
  sessionStorage.setItem(KEPT, field('secret').value);
  field('secret').value = '';
  void look();
});
part('compare').addEventListener('click', () => void compare());
part('keys').addEventListener('click', showKeys);
part('close-help').addEventListener('click', () => /** @type {HTMLDialogElement} */ (part('help')).close());
startTheme();
startKeys({
  go: (view) => go(VIEW_HREF(view)),
  explain: () => {
    const { market } = route();
    if (market !== null) go(explainHref(market));
  },
  pause: () => void press('pause'),
  kill: () => void pressKill(),
});
void poll();
