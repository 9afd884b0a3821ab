/** The address contains the view: it can be reloaded, stored, opened twice, and left with Back. */

/** @typedef {{ view: string, trader: string | null, market: string | null, subject: string | null, span: string, filter: string, at: string, side: string, page: string }} Route */

/** Of links to views. */
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

/** Address of the same trader, where there are several. @param {Readonly<Record<string, string>>} parts */
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

/** The same view of another trader. @param {string} trader */
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
