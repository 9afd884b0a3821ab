/** The page's present content; each change redraws the page. The page's address determines the view. */

import { moment } from './format.js';

export const model = {
  /** Whether the password or token must be entered first; null before any answer. @type {boolean | null} */
  isLocked: null,
  /** Route whose data the page shows. @type {Route | null} */
  wanted: null,
  banner: '',
  /** Whether the banner only says that prices of some markets are old. */
  isMild: false,
  /** @type {import('../../../shared/protocol/operator-commands.js').Role} */
  role: 'operate',
  /** Names of all shown traders; empty until known. @type {readonly string[]} */
  names: [],
  /** State of the shown trader. @type {import('../../console/page-state.js').ServedState | null} */
  state: null,
  /** @type {import('../../console/page-state.js').ServedTraders | null} */
  all: null,
  /** Newest data of the shown view, in addition to the state. @type {{ key: string, content: any }} */
  answer: { key: '', content: null },
  /** Reason why a view has no data. */
  unknown: '',
  /** Answer to a press. */
  said: { words: '', isRefused: false },
  /** Differences between the configuration in force and its files. */
  diff: '',
};

/** @type {() => void} */
let draw = () => undefined;

export function setDrawer(/** @type {() => void} */ drawer) {
  draw = drawer;
}

/** Sets values of the model; redraws the page if a value changed or no value is given. @param {Partial<typeof model>} changes */
export function update(changes) {
  const before = { ...model };
  Object.assign(model, changes);
  const names = /** @type {(keyof typeof model)[]} */ (Object.keys(changes));
  if (names.length === 0 || names.some((name) => model[name] !== before[name])) draw();
}

/** Marks the present data as old until the next answer. Returns `why` with the time of that data. @param {string} why */
export function lose(why) {
  const { state, all } = model;
  const lost = { mode: 'no answer', answers: false, silent: false, mode_since: null };
  const traders = all?.traders.map((one) => ({ ...one, ...lost })) ?? [];
  update({ state: state && { ...state, ...lost }, all: all && { ...all, traders } });
  const newestMs = Math.max(state?.now ?? 0, all?.now ?? 0);
  return newestMs === 0 ? why : `${why} The last answer is from ${moment(newestMs)}.`;
}

/** @typedef {ReturnType<typeof route>} Route */

/** Views in the order of their links. */
const LINKED = ['traders', 'overview', 'orders', 'money', 'risk', 'health', 'alerts', 'log', 'config', 'runs'];

/** Labels of the links by view: the capitalised names. @type {Readonly<Record<string, string>>} */
export const LABELS = Object.fromEntries(LINKED.map((name) => [name, name.charAt(0).toUpperCase() + name.slice(1)]));

export function route() {
  const query = new URLSearchParams(location.search);
  const market = query.get('market');
  const wanted = query.get('view') ?? (market === null ? 'overview' : 'market');
  return {
    view: [...LINKED, 'market', 'explain'].includes(wanted) ? wanted : 'overview',
    trader: query.get('trader'),
    market,
    subject: query.get('subject'),
    span: query.get('span') ?? '',
    filter: query.get('filter') ?? '',
    at: query.get('at') ?? '',
    side: query.get('side') ?? '',
    page: query.get('page') ?? '',
  };
}

/** Returns a page address with these query parts; keeps the trader's name if there are several traders. @param {Readonly<Record<string, string>>} parts */
function hrefOf(parts) {
  const { trader } = route();
  return searchHref(new URLSearchParams(trader === null ? parts : { ...parts, trader }));
}

const searchHref = (/** @type {URLSearchParams} */ query) => (query.size === 0 ? '/' : `/?${query}`);

export const marketHref = (/** @type {string} */ market) => hrefOf({ market });

export const ordersHref = (/** @type {string} */ market) => hrefOf({ view: 'orders', market });

export const explainHref = (/** @type {string} */ subject) => hrefOf({ view: 'explain', subject });

/** @param {string} view */
export const viewHref = (view) => (view === 'traders' ? '/?view=traders' : hrefOf(view === 'overview' ? {} : { view }));

/** Returns the page address of the same view for another trader. @param {string} trader */
export function traderHref(trader) {
  const { view } = route();
  const kept = ['traders', 'overview', 'market', 'explain'].includes(view) ? {} : { view };
  return `/?${new URLSearchParams({ ...kept, trader })}`;
}

export function hrefWith(/** @type {Partial<Route>} */ changes) {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') query.delete(name);
    else query.set(name, value);
  }
  return searchHref(query);
}

export const byId = (/** @type {string} */ id) => document.getElementById(id);

export const NEVER = Number.NEGATIVE_INFINITY;

/** Last request for a view's data: path and time. */
export const closer = { path: '', askedMs: NEVER };
