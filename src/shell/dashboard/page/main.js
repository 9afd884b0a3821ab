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

async function look() {
  try {
    const market = wantedMarket();
    const response = await ask(market === null ? '/state' : `/state?market=${encodeURIComponent(market)}`);
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
}

async function poll() {
  await look();
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
  part('reason').textContent =
    state.reason + (state.way_back === '' ? '' : ` (back up with: twinbook ${state.way_back})`);
  const hours = ((state.now - state.started) / 3_600_000).toFixed(1);
  part('about').textContent =
    `${state.venue} at ${state.base_url}, process ${state.pid}, version ${state.version}, running for ${hours} h, ` +
    `configuration ${state.config_hash.slice(0, 12)}, ${clock(state.now)}`;
  document.title = `${state.market?.title ?? state.mode} · Twinbook`;
  const wanted = wantedMarket();
  part('overview').hidden = wanted !== null;
  part('close-by').hidden = wanted === null;
  if (wanted === null) showOverview(state);
  else showMarket(state.market, state.now);
}

/** @param {PageState} state */
function showOverview(state) {
  showFigures('figures', figuresOf(state));
  const titles = new Map(state.markets.map(({ id, title }) => [id, title]));
  /** @param {string} id */
  const title = (id) => titles.get(id) ?? id.slice(0, 10);
  rows(
    'markets',
    state.markets.map((one) => [
      one.id,
      [
        { text: one.title, kind: 'text', market: one.id },
        ...[one.best_bid, one.bid, one.fair, one.ask, one.best_ask, one.net, one.yes, one.no].map((value) =>
          number(value ?? '–'),
        ),
        number(ageText(one.book_seen, state.now)),
        text(one.state),
      ],
    ]),
  );
  rows(
    'orders',
    state.orders.map((one) => [
      `${one.market} ${one.created} ${one.price} ${one.side}`,
      [
        { text: title(one.market), kind: 'text', market: one.market },
        text(`${one.side} ${one.outcome}`),
        ...[one.price, one.amount, one.filled].map(number),
        time(one.created),
      ],
    ]),
  );
  rows(
    'fills',
    state.fills.map((one, i) => [
      `${one.market} ${one.time} ${one.price} ${one.amount} ${i}`,
      [
        time(one.time),
        { text: title(one.market), kind: 'text', market: one.market },
        text(`${one.side} ${one.outcome}`),
        ...[one.price, one.amount].map(number),
      ],
    ]),
  );
  rows(
    'events',
    state.events.map((one, i) => [`${one.time} ${one.kind} ${i}`, [time(one.time), text(one.kind), text(one.text)]]),
  );
}

/** @typedef {readonly (readonly [name: string, value: string, isBad: boolean])[]} Figures */

/** In the order in which a person asks: is it true what I see, what did it make, what needs me. @param {PageState} state @returns {Figures} */
function figuresOf(state) {
  const { agreement, health } = state;
  const differs = agreement !== null && agreement.differences.length > 0;
  const agrees = agreement === null ? 'not compared yet' : `agree, ${clock(agreement.compared)}`;
  return [
    ['Told', state.heard === null ? 'nothing yet' : `${ageText(state.heard, state.now)} ago`, !state.answers],
    ['Ledger and exchange', differs ? agreement.differences.join('; ') : agrees, differs],
    ['Guardian', state.guardian, state.guardian.startsWith('NONE')],
    ['Result', state.result === '' ? 'a holding has no price yet' : state.result, state.result.startsWith('-')],
    ['Cash', state.cash, false],
    ...state.losses.map(
      ({ name, loss, limit }) =>
        /** @type {const} */ ([`Loss ${name}`, `${loss} of ${limit}`, Number(loss) > Number(limit) * 0.8]),
    ),
    ['Open orders', `${state.open_orders}, ${state.unknown_orders} unknown`, state.unknown_orders > 0],
    ['Fills of this run', String(state.fill_count), false],
    ['Open alerts', String(state.alerts), state.alerts > 0],
    ...state.budget.map(
      ({ scope, limit, remaining }) =>
        /** @type {const} */ ([`Requests left, ${scope}`, `${remaining} of ${limit}`, remaining === 0]),
    ),
    ...(health === null
      ? []
      : [
          /** @type {const} */ ([
            'Step, p50 and p99',
            `${health.step_p50_ms.toFixed(1)} and ${health.step_p99_ms.toFixed(1)} ms`,
            false,
          ]),
          /** @type {const} */ (['Memory', `${health.memory_mb} MB`, false]),
        ]),
  ];
}

/** @param {PageState['market']} market @param {number} now */
function showMarket(market, now) {
  part('market-title').textContent = market?.title ?? 'This market is not looked at.';
  part('market-note').textContent = market === null ? '' : `${market.strategy}: ${market.state}`;
  showFigures(
    'market-figures',
    market === null
      ? []
      : [
          ['Fair value', market.fair ?? '–', false],
          ['Others', `${market.best_bid ?? '–'} / ${market.best_ask ?? '–'}`, false],
          ['Ours', `${market.bid ?? '–'} / ${market.ask ?? '–'}`, false],
          ['Net', `${market.net} (${market.yes} YES, ${market.no} NO)`, false],
          ['Book', ageText(market.book_seen, now), false],
          ['Resolves', market.resolves === null ? '–' : new Date(market.resolves).toLocaleString(), false],
        ],
  );
  rows(
    'ladder',
    (market?.ladder ?? []).map(({ price, side, others, ours, ahead }) => [
      `${side} ${price}`,
      [number(price), text(side === 'fair' ? 'fair value' : side), number(others), number(ours), number(ahead)],
      side === 'fair' ? 'fair' : ours === '' ? '' : 'ours',
    ]),
  );
  rows(
    'factors',
    (market?.factors ?? []).map(({ name, value }) => [
      name,
      [text(name), number(String(Number(value.toPrecision(6))))],
    ]),
  );
  rows(
    'refusals',
    (market?.refusals ?? []).map((one) => [
      one.control,
      [text(one.control), number(String(one.count)), text(one.text)],
    ]),
  );
}

/** @param {string} id @param {Figures} figures */
function showFigures(id, figures) {
  const list = part(id);
  while (list.children.length > figures.length) list.lastElementChild?.remove();
  figures.forEach(([name, value, isBad], i) => {
    const box = list.children[i] ?? list.appendChild(document.createElement('div'));
    if (box.children.length === 0) box.append(document.createElement('dt'), document.createElement('dd'));
    setText(box.children[0], name, '');
    setText(box.children[1], value, isBad ? 'bad' : '');
  });
}

/** Only what is another one is touched: what is selected stays selected. @param {Element | undefined} element @param {string} content @param {string} className */
function setText(element, content, className) {
  if (element === undefined) return;
  if (element.textContent !== content) element.textContent = content;
  if (element.className !== className) element.className = className;
}

/** @typedef {{ text: string, kind: string, market?: string }} Cell */

/** @param {string} content @returns {Cell} */
const text = (content) => ({ text: content, kind: 'text' });
/** @param {string} content @returns {Cell} */
const number = (content) => ({ text: content, kind: 'number' });
/** @param {number} ms @returns {Cell} */
const time = (ms) => ({ text: clock(ms), kind: 'time' });
/** @param {number | null} ms @param {number} now */
const ageText = (ms, now) => (ms === null ? '–' : `${Math.max(0, (now - ms) / 1000).toFixed(0)} s`);

/**
 * A row keeps its element for as long as its key is there, so that focus and selection stay where they are.
 *
 * @param {string} id
 * @param {readonly (readonly [key: string, cells: readonly Cell[], className?: string])[]} lines
 */
function rows(id, lines) {
  const body = part(id);
  const known = new Map([...body.children].map((row) => [row.getAttribute('data-key'), row]));
  const shown = lines.length === 0 ? [/** @type {const} */ (['none', [{ text: 'none', kind: 'none' }]])] : lines;
  let next = body.firstElementChild;
  for (const [key, cells, className = ''] of shown) {
    const row = known.get(key) ?? document.createElement('tr');
    known.delete(key);
    row.setAttribute('data-key', key);
    row.className = className;
    fillCells(row, cells);
    if (row === next) next = next.nextElementSibling;
    else body.insertBefore(row, next);
  }
  for (const row of known.values()) row.remove();
}

/** @param {Element} row @param {readonly Cell[]} cells */
function fillCells(row, cells) {
  cells.forEach(({ text: content, kind, market }, i) => {
    const cell = row.children[i] ?? row.appendChild(document.createElement('td'));
    cell.className = kind;
    const holder = market === undefined ? cell : linkIn(cell, market);
    if (holder.textContent !== content) holder.textContent = content;
  });
}

/** @param {Element} cell @param {string} market */
function linkIn(cell, market) {
  const link = cell.firstElementChild ?? cell.appendChild(document.createElement('a'));
  link.setAttribute('href', `/?market=${encodeURIComponent(market)}`);
  return link;
}

/** The address holds the view: it can be reloaded, kept, opened twice, and gone back from. */
const wantedMarket = () => new URLSearchParams(location.search).get('market');

part('back').setAttribute('href', '/');
addEventListener('popstate', () => void look());
document.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (link === null || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  history.pushState(null, '', link.getAttribute('href'));
  void look();
});
for (const button of document.querySelectorAll('button[data-action]')) {
  const action = button.getAttribute('data-action') ?? '';
  button.addEventListener('click', () => void press(action));
}
part('login').addEventListener('submit', (event) => {
  event.preventDefault();
  sessionStorage.setItem(KEPT, field('secret').value);
  field('secret').value = '';
  void look();
});
void poll();
