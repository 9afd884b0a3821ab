/** The address holds the view: it can be reloaded, kept, opened twice, and gone back from. */

/** @typedef {{ view: string, market: string | null, subject: string | null, span: string, filter: string }} Route */

export const VIEWS = [
  'overview',
  'orders',
  'money',
  'risk',
  'health',
  'alerts',
  'log',
  'config',
  'runs',
  'market',
  'explain',
];

/** @returns {Route} */
export function route() {
  const query = new URLSearchParams(location.search);
  const market = query.get('market');
  const wanted = query.get('view') ?? (market === null ? 'overview' : 'market');
  return {
    view: VIEWS.includes(wanted) ? wanted : 'overview',
    market,
    subject: query.get('subject'),
    span: query.get('span') ?? '',
    filter: query.get('filter') ?? '',
  };
}

/** @param {string} market */
export const marketHref = (market) => `/?market=${encodeURIComponent(market)}`;

/** @param {string} subject */
export const explainHref = (subject) => `/?view=explain&subject=${encodeURIComponent(subject)}`;

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
