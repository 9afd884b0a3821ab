/**
 * The page at work: asks for the state once a second and shows it, sends what is pressed. Everything that is shown goes in
 * as text, never as markup: titles come from the exchange.
 *
 * @import { PageState } from '../contract.js'
 */

const POLL_MS = 1000;
/** A console that has not answered for so long hangs, or is gone; it asks the trader for two seconds. */
const PATIENCE_MS = 4000;
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

/**
 * @param {string} id
 * @returns {HTMLElement}
 */
function part(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no ${id}`);
  return found;
}

/** @param {string} id */
const field = (id) => /** @type {HTMLInputElement} */ (part(id));

// What stands behind the # never leaves the browser; it is taken out of the address so that no screenshot shows it.
if (location.hash.length > 1) {
  sessionStorage.setItem(KEPT, decodeURIComponent(location.hash.slice(1)));
  history.replaceState(null, '', '/');
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

/** @param {string} text */
function alarm(text) {
  part('banner').textContent = text;
  part('banner').hidden = text === '';
}

const GONE =
  'The page does not answer. What you see is old. "twinbook kill" and "twinbook cancel-all" on its machine work without it.';

/** @param {PageState} state */
const silence = ({ answers, heard, mode, reason, guardian }) =>
  answers || mode === 'stopped' || mode === 'starting'
    ? ''
    : `The trader does not answer: ${reason}. What you see is ${heard === null ? 'nothing yet' : `of ${clock(heard)}`}. ` +
      `KILL works all the same. Guardian: ${guardian}`;

async function poll() {
  try {
    const response = await ask('/state');
    const isIn = response.ok;
    part('login').hidden = isIn || response.status !== 401;
    part('main').hidden = !isIn && response.status === 401;
    const answer = await response.json();
    if (isIn) show(answer);
    const error = isIn ? silence(answer) : answer.error;
    alarm(response.status === 401 && sessionStorage.getItem(KEPT) === null ? '' : error);
  } catch {
    alarm(GONE);
  }
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

/**
 * @param {string} text
 * @param {boolean} refused
 */
function said(text, refused) {
  part('said').textContent = text;
  part('said').classList.toggle('refused', refused);
}

/** @param {number} ms */
const clock = (ms) => new Date(ms).toLocaleTimeString([], { hour12: false });

/** @param {PageState} state */
function show(state) {
  part('mode').textContent = state.mode + (state.silent ? ', the exchange does not answer' : '');
  part('mode').className = STOPPED.includes(state.mode) ? 'stopped' : state.mode === 'quoting' ? 'quoting' : '';
  part('reason').textContent = state.reason;
  const hours = ((state.now - state.started) / 3_600_000).toFixed(1);
  part('about').textContent =
    `${state.venue} at ${state.base_url}, process ${state.pid}, version ${state.version}, running for ${hours} h, ` +
    `configuration ${state.config_hash.slice(0, 12)}, ${clock(state.now)}`;
  document.title = `${state.mode} · Twinbook`;
  showFigures(state);
  const titles = new Map(state.markets.map(({ id, title }) => [id, title]));
  /** @param {string} id */
  const title = (id) => titles.get(id) ?? id.slice(0, 10);
  rows(
    'markets',
    state.markets.map((one) => [
      text(one.title),
      ...[one.bid, one.fair, one.ask, one.yes, one.no].map((value) => number(value ?? '–')),
      text(one.state),
    ]),
  );
  rows(
    'orders',
    state.orders.map((one) => [
      text(title(one.market)),
      text(`${one.side} ${one.outcome}`),
      ...[one.price, one.amount, one.filled].map(number),
      time(one.created),
    ]),
  );
  rows(
    'fills',
    state.fills.map((one) => [
      time(one.time),
      text(title(one.market)),
      text(`${one.side} ${one.outcome}`),
      ...[one.price, one.amount].map(number),
    ]),
  );
  rows(
    'events',
    state.events.map((one) => [time(one.time), text(one.kind), text(one.text)]),
  );
}

/** @param {PageState} state */
function showFigures(state) {
  const { agreement } = state;
  const differs = agreement !== null && agreement.differences.length > 0;
  /** @type {readonly (readonly [string, string, boolean])[]} */
  const figures = [
    ['Result', state.result === '' ? 'a holding has no price yet' : state.result, state.result.startsWith('-')],
    ['Cash', state.cash, false],
    ['Open orders', `${state.open_orders}, ${state.unknown_orders} unknown`, state.unknown_orders > 0],
    ['Fills of this run', String(state.fill_count), false],
    ...state.budget.map(
      ({ scope, limit, remaining }) =>
        /** @type {const} */ ([`Requests left, ${scope}`, `${remaining} of ${limit}`, remaining === 0]),
    ),
    [
      'Ledger and exchange',
      agreement === null
        ? 'not compared yet'
        : differs
          ? agreement.differences.join('; ')
          : `agree, ${clock(agreement.compared)}`,
      differs,
    ],
  ];
  part('figures').replaceChildren(
    ...figures.map(([name, value, isBad]) => {
      const box = document.createElement('div');
      box.append(element('dt', name, ''), element('dd', value, isBad ? 'bad' : ''));
      return box;
    }),
  );
}

/**
 * @param {string} tag
 * @param {string} content
 * @param {string} className
 */
function element(tag, content, className) {
  const made = document.createElement(tag);
  made.textContent = content;
  made.className = className;
  return made;
}

/** @param {string} content */
const text = (content) => element('td', content, 'text');
/** @param {string} content */
const number = (content) => element('td', content, 'number');
/** @param {number} ms */
const time = (ms) => element('td', clock(ms), 'time');

/**
 * @param {string} id
 * @param {readonly (readonly HTMLElement[])[]} lines
 */
function rows(id, lines) {
  const none = [[element('td', 'none', 'none')]];
  part(id).replaceChildren(
    ...(lines.length === 0 ? none : lines).map((cells) => {
      const row = document.createElement('tr');
      row.append(...cells);
      return row;
    }),
  );
}

for (const button of document.querySelectorAll('button[data-action]')) {
  const action = button.getAttribute('data-action') ?? '';
  button.addEventListener('click', () => void press(action));
}
part('login').addEventListener('submit', (event) => {
  event.preventDefault();
  sessionStorage.setItem(KEPT, field('secret').value);
  field('secret').value = '';
  void ask('/state').then(
    () => alarm(''),
    () => alarm(GONE),
  );
});
void poll();
