/** Buttons for one trader, or for all traders on the overview. Shows only buttons that the user's role permits. */

import { html, plain } from '../../web-kit/page/template.js';
import { byId, closer, hrefWith, model, NEVER, route, update } from './model.js';
import { alarm, ask, explainFailure, PATIENCE_MS } from './session.js';

/** A second press of KILL within this time, ms, counts as confirmation. */
const KILL_WITHIN_MS = 3000;
/** Enter in the field Reason repeats a refused action within this time, ms. */
const REASON_WITHIN_MS = 120_000;
/** @typedef {import('../../console/page-state.js').ServedTraders['actions'][number]} PageButton */
/** Questions before actions that need confirmation and may take long. @type {Readonly<Record<string, string>>} */
const ASKED_BEFORE = {
  flatten: 'Sell all held shares now, at the prices of the order book?',
  'flatten-market': 'Sell all held shares of this market now, at the prices of the order book?',
  apply: 'Apply these changes in the configuration files?',
  rollback: 'Go back to the previous configuration?',
};
const LONG_PATIENCE_MS = 30_000;

const isForAll = () => model.wanted?.view === 'traders';

/** Name of the shown trader; null if there is only one. The address may already name another trader. */
const shownTrader = () => model.wanted?.trader ?? null;
const ofTrader = () => (isForAll() || shownTrader() === null ? '' : ` of ${shownTrader()}`);

/** Roles in ascending order; a role may do everything that earlier roles may do. */
const ROLES = ['view', 'stop', 'operate'];

/** Button of an action. `of`: id of the market, recording or run of the action; default: the shown market. @param {Pick<PageButton, 'name' | 'label' | 'help' | 'role'> & { of?: string }} props */
export const ActionButton = ({ name, label, help, role, of }) =>
  ROLES.indexOf(role) > ROLES.indexOf(model.role)
    ? null
    : html`<button type="button" data-action=${name} title=${help}
        onClick=${() => (name === 'kill' ? pressKill() : void press(name, of))}>${label}${isForAll() ? ' all' : ''}</button>`;

/** @param {readonly PageButton[]} actions */
const buttons = (actions) => actions.map((action) => html`<${ActionButton} key=${action.name} ...${action} />`);

export function Controls() {
  const actions = (isForAll() ? model.all?.actions : model.state?.actions) ?? [];
  const first = actions.filter(({ isFirst }) => isFirst);
  const rest = actions.filter(({ isFirst }) => !isFirst);
  return html`<section class="actions" id="controls" aria-label="Controls" hidden=${model.role === 'view'}>
    <div class="stop" hidden=${first.length === 0}>${buttons(first)}</div>
    <button type="button" id="more" hidden=${first.length === 0} aria-expanded=${String(first.length === 0)} aria-controls="rest" onClick=${toggle}>More: ${['reason', ...rest.map(({ label }) => label.toLowerCase())].join(', ')}</button>
    <div id="rest">
      <label>Reason <input id="why" maxlength="500" placeholder="stored with the command" onKeyDown=${pressAgain} /></label>
      ${buttons(rest)}
    </div>
  </section>
  <p id="said" role="status" class=${model.said.isRefused ? 'refused' : ''}>${model.said.words}</p>`;
}

export const MarketControls = (/** @type {{ actions: readonly PageButton[] }} */ { actions }) =>
  html`<div class="actions" role="group" aria-label="Controls of this market">${buttons(actions)}</div>`;

const toggle = (/** @type {{ currentTarget: HTMLElement }} */ { currentTarget: button }) =>
  button.setAttribute('aria-expanded', String(button.getAttribute('aria-expanded') !== 'true'));

/** @param {string} action @param {string} [of] */
function actionPath(action, of) {
  if (isForAll()) return `/traders/${action}`;
  const market = of ?? (action.endsWith('-market') ? model.state?.market?.id : null);
  return `/actions/${action}?${traderQuery(market ? { market } : {})}`;
}

/** The newest action that was refused because it needs a reason, its request path, and the time of the refusal. */
let refused = { atMs: NEVER, action: '', path: '' };

/** Repeats the refused action when the user types a reason and presses Enter. @param {KeyboardEvent} event */
function pressAgain({ key }) {
  const isRecent = performance.now() - refused.atMs < REASON_WITHIN_MS;
  if (key === 'Enter' && isRecent && refused.path === actionPath(refused.action)) void press(refused.action);
}

/** @param {string} action @param {string} [of] */
async function press(action, of) {
  const why = byId('why');
  if (model.role === 'view' || !(why instanceof HTMLInputElement)) return;
  // The path is made first, because the page may show another trader after the comparison.
  const path = actionPath(action, of);
  const what = `${action}${ofTrader()}`;
  const sure = ASKED_BEFORE[action];
  const about = action === 'apply' ? await compare() : namesOf(action);
  // If a required reason is missing, the trader refuses the action anyway, so the page asks for no confirmation.
  const isRefused = action === 'rollback' || (action === 'apply' && about.includes('[wants a reason]'));
  const isSure = sure === undefined || (isRefused && why.value === '');
  if (!isSure && !confirm(`${sure}\n\n${about}`.trim())) return;
  say(`${what} …`, false);
  refused.atMs = NEVER;
  try {
    const response = await ask(path, {
      method: 'POST',
      body: JSON.stringify({ reason: why.value }),
      signal: AbortSignal.timeout(sure === undefined ? PATIENCE_MS : LONG_PATIENCE_MS),
    });
    const answer = await response.json();
    const hint = /needs? a reason/.test(answer.error) ? '. Type a reason under Reason; press Enter.' : '';
    say(response.ok ? `${what}: ${answer.text}` : `${answer.error}${hint}`, !response.ok);
    // The view's data is requested again at once, so that the button's effect shows without delay.
    closer.askedMs = NEVER;
    if (response.ok) {
      why.value = '';
      update({ diff: '' });
    } else if (hint !== '') {
      refused = { atMs: performance.now(), action, path };
      byId('more')?.setAttribute('aria-expanded', 'true');
      why.focus();
    }
  } catch (error) {
    say(`${what}: no answer, so the trader may or may not have executed the command`, true);
    alarm(explainFailure(error));
  }
}

/** Time and request path of the newest first press of KILL, which waits for the second press. */
let killed = { atMs: NEVER, path: '' };

/** KILL needs two presses: a dialog would be slow, and an accidental click would cost money. */
function pressKill() {
  if (model.role === 'view') return;
  const path = actionPath('kill');
  const isSecond = performance.now() - killed.atMs < KILL_WITHIN_MS && path === killed.path;
  killed = { atMs: isSecond ? NEVER : performance.now(), path };
  if (isSecond) return void press('kill');
  const whose = isForAll() ? 'all orders of all traders' : `all orders${ofTrader()}`;
  say(`Press KILL again within three seconds. It cancels ${whose}, and blocks new orders until the kill ends.`, true);
}

const say = (/** @type {string} */ words, /** @type {boolean} */ isRefused) => update({ said: { words, isRefused } });

/** Names the shown trader if there are several, and the shown market if the action is about one. @param {string} action */
const namesOf = (action) =>
  [
    shownTrader() === null ? '' : `Trader: ${shownTrader()}\n`,
    action.endsWith('-market') ? `Market: ${plain(model.state?.market?.title ?? '')}\n` : '',
  ].join('');

/** Shows the differences between the shown trader's configuration and its files. Returns the shown text. */
export async function compare() {
  const names = namesOf('apply');
  update({ diff: 'comparing …' });
  const answer = await ask(`/views/diff?${traderQuery({})}`)
    .then((response) => response.json())
    .catch(() => ({ error: 'no answer' }));
  const diff = names + (answer.lines ?? [answer.error]).join('\n');
  update({ diff });
  return diff;
}

export const Filter = (/** @type {{ name: string, hint: string, found: string }} */ { name, hint, found }) =>
  html`<label>Filter <input type="search" id="filter-${name}" placeholder=${hint} value=${route().filter} onInput=${setFilter} /></label>
    <p class="soft" id="${name}-found">${found}</p>`;

function setFilter(/** @type {{ currentTarget: HTMLInputElement }} */ { currentTarget }) {
  history.replaceState(null, '', hrefWith({ filter: currentTarget.value, page: '' }));
  update({});
}

/** @typedef {(href: string, isMove?: boolean) => void} Go */
/** @typedef {readonly (readonly [value: string, label: string])[]} Choices */

export const SPANS = /** @type {Choices} */ ([
  ['600000', '10 minutes'],
  ['3600000', '1 hour'],
  ['21600000', '6 hours'],
  ['86400000', '1 day'],
  ['604800000', '7 days'],
  ['7776000000', '90 days'],
]);

/** A selection list whose value is part of the page's address. @param {{ name: 'span' | 'side' | 'market', label: string, choices: Choices, usual?: string, go: Go }} props */
export const Choice = ({ name, label, choices, usual = '', go }) =>
  html`<label class="span">${label} <select id="choose-${name}" value=${route()[name] || usual}
      onChange=${(/** @type {{ currentTarget: HTMLSelectElement }} */ { currentTarget }) => go(hrefWith({ [name]: currentTarget.value, page: '' }), true)}>
    ${choices.map(([value, words]) => html`<option value=${value}>${words}</option>`)}
  </select></label>`;

export const SpanSelect = (/** @type {{ usual: string, go: Go }} */ { usual, go }) =>
  html`<${Choice} name="span" label="Time span" choices=${SPANS} usual=${usual} go=${go} />`;

/** Links to the previous and next page of long lists. @param {{ lists: readonly { page: number, size: number, count: number }[] }} props */
export function Pages({ lists }) {
  const page = lists[0]?.page ?? 0;
  const last = Math.max(0, ...lists.map(({ count, size }) => Math.ceil(count / size) - 1));
  const to = (/** @type {number} */ other, /** @type {string} */ words) =>
    other < 0 || other > last
      ? null
      : html`<a href=${hrefWith({ page: other === 0 ? '' : String(other) })}>${words}</a>`;
  return last === 0
    ? null
    : html`<p class="pages">${to(page - 1, 'Previous')} Page ${page + 1} of ${last + 1} ${to(page + 1, 'Next')}</p>`;
}

/** Makes a request's query; adds the shown trader's name if there are several traders. @param {Record<string, string>} parts */
function traderQuery(parts) {
  const trader = shownTrader();
  return new URLSearchParams(trader === null ? parts : { ...parts, trader });
}

/** Opens an address in a new tab, or saves the file at the address. @param {Partial<HTMLAnchorElement>} attributes */
const follow = (attributes) => Object.assign(document.createElement('a'), attributes).click();

/** Downloads a file. The request contains the session's proof, which a link cannot send. @param {string} name */
export async function download(name) {
  const trader = shownTrader();
  try {
    const response = await ask(`/csv/${name}?${traderQuery({})}`);
    if (!response.ok) return update({ unknown: (await response.json()).error });
    const href = URL.createObjectURL(await response.blob());
    const file = trader === null ? name : `${trader.replaceAll('/', '-')}-${name}`;
    follow({ href, download: `${file}.csv` });
    // The address is released later, after the browser has read it.
    setTimeout(() => URL.revokeObjectURL(href), 0);
  } catch {
    update({ unknown: `${name}: no answer` });
  }
}

export async function openReport(/** @type {string} */ name) {
  const response = await ask(`/reports?${traderQuery({ name })}`, { method: 'POST', body: '{}' });
  const { path, error } = await response.json();
  if (response.ok) follow({ href: path, target: '_blank', rel: 'noopener' });
  else update({ unknown: error });
}
