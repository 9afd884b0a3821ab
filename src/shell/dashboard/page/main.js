/**
 * Runs the page: polls the trader's state and the data of the shown view. All data is inserted as text, never as
 * markup: titles come from the exchange.
 */

import { redrawCharts } from '../../web-kit/page/chart.js';
import { html, render } from '../../web-kit/page/template.js';
import { App, answerKey, documentTitle } from './app.js';
import { ageText, moment } from './format.js';
import { byId, closer, lose, model, NEVER, route, setDrawer, update, viewHref } from './model.js';
import { alarm, ask, explainFailure, LockedOut, setSecret, takeSecretFromAddress } from './session.js';

/** @typedef {import('./model.js').Route} Route */

/** Pause between an answer and the next request, ms. */
const POLL_MS = 500;
const HIDDEN_MS = 30_000;

/** Returns a text that says which data is old, and why; empty if all data is current. @param {import('../../console/page-state.js').PageState} state */
function describeOld({ answers, heard, mode, guardian, silent, brake, markets, now }) {
  if (!answers && (mode === 'stopped' || mode === 'starting')) return '';
  if (!answers)
    return `The trader does not answer. The data shown is from ${heard === null ? 'the ledger' : moment(heard)}. KILL still works. Guardian: ${guardian}`;
  if (silent) return 'The exchange does not answer: prices below are old, and orders may have changed.';
  const old = markets.filter((market) => market.is_old && market.book_seen !== null);
  const oldest = Math.min(now, ...old.map(({ book_seen: seen }) => seen ?? now));
  const why = brake > 0 ? ': this machine is busy' : '';
  return old.length === 0
    ? ''
    : `Prices of ${old.length} of ${markets.length} markets are up to ${ageText(oldest, now)} old${why}. They are grey.`;
}

/** Returns the next state request's path: for all traders while no trader's name is known. @param {Route} wanted */
const pathOf = ({ view, market, trader }) =>
  model.names.length === 0 || view === 'traders'
    ? '/traders'
    : pathWith('/state', { market: view === 'market' ? market : null, trader });

/** @param {string} path @param {Readonly<Record<string, string | number | null>>} parts of the query; null and empty texts are left out */
function pathWith(path, parts) {
  const given = Object.entries(parts).filter(([, value]) => value !== null && value !== '');
  return `${path}?${new URLSearchParams(given.map(([key, value]) => [key, String(value)]))}`;
}

async function look(/** @type {string} */ path) {
  try {
    const response = await ask(path);
    update({ isLocked: false });
    const answer = await response.json();
    if (response.ok) take(path, answer);
    else alarm(lose(`${answer.error}.`));
  } catch (error) {
    if (error instanceof LockedOut) update({ isLocked: true });
    alarm(lose(explainFailure(error)));
  }
}

/** @param {string} path of the request @param {any} answer */
function take(path, answer) {
  const wanted = route();
  // If the user has moved to another view since the request, the answer is dropped.
  if (path !== pathOf(wanted)) return;
  if (path === '/traders') return lookAtAll(answer, wanted);
  alarm(describeOld(answer), answer.answers && !answer.silent);
  update({ state: answer, names: answer.traders, role: answer.role, wanted });
  lookCloser(wanted).catch((error) => alarm(explainFailure(error)));
}

/** @param {import('../../console/page-state.js').ServedTraders} all @param {Route} wanted */
function lookAtAll(all, wanted) {
  const names = all.traders.map(({ name }) => name);
  const isSeveral = names.length > 1;
  update({ names, banner: '' });
  // A single trader is shown directly. If there are several traders, the user first chooses one in the list.
  if (wanted.view === 'traders' && !isSeveral) return go('/', true);
  if (wanted.view !== 'traders')
    return isSeveral && wanted.trader === null ? go(viewHref('traders'), true) : void poll();
  update({ all, state: null, role: all.role, unknown: '', wanted });
}

/** Poll interval of a view's data, ms, for views not using `CLOSER_MS`. @type {Readonly<Record<string, number>>} */
const CLOSER = { overview: 10_000, market: 5000, money: 5000, risk: 1000, health: 1000, config: 10_000, explain: 5000 };
const CLOSER_MS = 2000;
const DAY_MS = 86_400_000;

/** Returns the path of a view's data. @param {Route} wanted */
function closerPath({ view, trader, market, span, subject, side, filter, page, at }) {
  if (view === 'overview') return pathWith('/views/money', { span: DAY_MS, trader });
  if (view === 'market') return pathWith('/views/chart', { market, span, trader });
  return pathWith(`/views/${view}`, { market, span, subject, side, filter, page, at: Date.parse(at) || null, trader });
}

async function lookCloser(/** @type {Route} */ wanted) {
  const { view } = wanted;
  if (view === 'traders') return;
  const path = closerPath(wanted);
  if (path === closer.path && performance.now() - closer.askedMs < (CLOSER[view] ?? CLOSER_MS)) return;
  Object.assign(closer, { path, askedMs: performance.now() });
  const response = await ask(path);
  const answer = await response.json();
  // If the user has moved to another view since the request, the answer is dropped.
  if (closer.path !== path) return;
  if (response.ok) update({ unknown: '', answer: { key: answerKey(wanted), content: answer } });
  else update({ unknown: answer.error, answer: { key: '', content: null } });
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
/** Number of the newest poll. An older poll that is still waiting does not schedule the next poll. */
let newest = 0;

/** Polls once and schedules the next poll, even after an error. A hidden page polls rarely. */
async function poll() {
  clearTimeout(timer);
  const own = ++newest;
  await look(pathOf(route())).finally(() => {
    if (own === newest) timer = setTimeout(poll, document.hidden ? HIDDEN_MS : POLL_MS);
  });
}

/** @param {string} href @param {boolean} [isMove] whether the address replaces the current one in the history */
function go(href, isMove = false) {
  if (isMove) history.replaceState(null, '', href);
  else history.pushState(null, '', href);
  closer.askedMs = NEVER;
  void poll();
}

setDrawer(() => {
  const page = byId('page');
  if (page !== null) render(html`<${App} go=${go} logIn=${logIn} />`, page);
  document.title = documentTitle();
});

function logIn(/** @type {string} */ secret) {
  setSecret(secret);
  void poll();
}

addEventListener('popstate', () => go(location.href, true));
addEventListener('hashchange', () => {
  takeSecretFromAddress();
  void poll();
});
document.addEventListener('visibilitychange', poll);
document.addEventListener('click', (event) => {
  const anchor = event.target instanceof Element ? event.target.closest('a') : null;
  if (anchor === null || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  go(anchor.getAttribute('href') ?? '/');
});
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redrawCharts);
update({});
void poll();
