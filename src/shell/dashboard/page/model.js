/** The page's present content; each change redraws the page. The page's address determines the view. */

/**
 * @typedef {object} Model
 * @property {boolean | null} isLocked the password or token must be entered first; null before any answer
 * @property {Route | null} wanted route of the shown answer
 * @property {string} banner
 * @property {boolean} isMild the banner is only about prices of some markets
 * @property {import('../../../shared/protocol/operator-commands.js').Role} role
 * @property {readonly string[]} names of all shown traders; empty until known
 * @property {import('../../console/page-state.js').ServedState | null} state of the shown trader
 * @property {import('../../console/page-state.js').ServedTraders | null} all traders
 * @property {{ key: string, content: any }} answer newest data of a view beside the state
 * @property {string} unknown why a view has no data
 * @property {{ words: string, isRefused: boolean }} said answer to a press
 * @property {string} diff of configuration and files
 */

/** @type {Model} */
export const model = {
  isLocked: null,
  wanted: null,
  banner: '',
  isMild: false,
  role: 'operate',
  names: [],
  state: null,
  all: null,
  answer: { key: '', content: null },
  unknown: '',
  said: { words: '', isRefused: false },
  diff: '',
};

/** @type {() => void} */
let draw = () => undefined;

/** @param {() => void} drawer */
export function setDrawer(drawer) {
  draw = drawer;
}

/** Changes the page's content; redraws it if a value differs, or without any values. @param {Partial<Model>} changes */
export function update(changes) {
  const before = { ...model };
  Object.assign(model, changes);
  const names = /** @type {(keyof Model)[]} */ (Object.keys(changes));
  if (names.length === 0 || names.some((name) => model[name] !== before[name])) draw();
}

/** @typedef {{ view: string, trader: string | null, market: string | null, subject: string | null, span: string, filter: string, at: string, side: string, page: string }} Route */

export const LABELS = /** @type {Readonly<Record<string, string>>} */ ({
  traders: 'Traders',
  overview: 'Overview',
  orders: 'Orders',
  money: 'Money',
  risk: 'Risk',
  health: 'Health',
  alerts: 'Alerts',
  log: 'Log',
  config: 'Config',
  runs: 'Runs',
});
const VIEWS = [...Object.keys(LABELS), 'market', 'explain'];

/** @returns {Route} */
export function route() {
  const query = new URLSearchParams(location.search);
  const market = query.get('market');
  const wanted = query.get('view') ?? (market === null ? 'overview' : 'market');
  return {
    view: VIEWS.includes(wanted) ? wanted : 'overview',
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
  const query = new URLSearchParams(trader === null ? parts : { ...parts, trader });
  const search = query.toString();
  return search === '' ? '/' : `/?${search}`;
}

/** @param {string} market */
export const marketHref = (market) => hrefOf({ market });

/** @param {string} market */
export const ordersHref = (market) => hrefOf({ view: 'orders', market });

/** @param {string} subject */
export const explainHref = (subject) => hrefOf({ view: 'explain', subject });

/** @param {string} view */
export function viewHref(view) {
  if (view === 'traders') return '/?view=traders';
  return hrefOf(view === 'overview' ? {} : { view });
}

/** Returns the page address of the same view for another trader. @param {string} trader */
export function traderHref(trader) {
  const { view } = route();
  const kept = ['traders', 'overview', 'market', 'explain'].includes(view) ? {} : { view };
  return `/?${new URLSearchParams({ ...kept, trader })}`;
}

/** @param {Partial<Route>} changes */
export function hrefWith(changes) {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') query.delete(name);
    else query.set(name, value);
  }
  const search = query.toString();
  return search === '' ? '/' : `/?${search}`;
}

/** @param {string} id */
export const byId = (id) => document.getElementById(id);

export const NEVER = Number.NEGATIVE_INFINITY;

/** Last request for a view's data: path and time. */
export const closer = { path: '', askedMs: NEVER };
