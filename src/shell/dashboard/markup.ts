/** Parts of the page: the head above every view, the views with their tables, and the keys. */

const STOP_BUTTONS = [
  ['pause', 'Pause', 'pulls every order, stays out'],
  ['kill', 'KILL', 'press twice: cancels everything; nothing new until it is lifted, also after a restart'],
] as const;

const OTHER_BUTTONS = [
  ['widen', 'Widen', 'quotes keep away from the fair value'],
  ['reduce-only', 'Reduce only', 'only what brings positions towards zero'],
  ['cancel-all', 'Cancel all', 'cancels everything once'],
  ['flatten', 'Flatten', 'sells all holdings into the book, then stays out'],
  ['resume', 'Resume', 'quotes as usual again'],
  ['unkill', 'Lift the kill', 'needs a reason'],
] as const;

const MARKET_BUTTONS = [
  ['pause-market', 'Pause this market', 'cancels the orders here, stays out; all other markets continue'],
  ['resume-market', 'Resume this market', 'quotes here as usual again'],
  ['flatten-market', 'Flatten this market', 'cancels the orders here, sells the holdings, then stays out'],
] as const;

type Button = readonly [name: string, label: string, help: string];

const buttons = (all: readonly Button[]): string =>
  all
    .map(([name, label, help]) => `<button type="button" data-action="${name}" title="${help}">${label}</button>`)
    .join('\n');

const LINKS = [
  ['traders', 'Traders'],
  ['overview', 'Overview'],
  ['orders', 'Orders'],
  ['money', 'Money'],
  ['risk', 'Risk'],
  ['health', 'Health'],
  ['alerts', 'Alerts'],
  ['log', 'Log'],
  ['config', 'Config'],
  ['runs', 'Runs'],
] as const;

const links = LINKS.map(([view, label]) => {
  const count = view === 'alerts' ? '<span id="alert-count"></span>' : '';
  const own = view === 'traders' ? ' id="nav-traders" hidden' : '';
  return `<a data-view="${view}"${own} href="/${view === 'overview' ? '' : `?view=${view}`}">${label}${count}</a>`;
}).join('\n');

export const ABOVE = `<header><h1 id="mode">…</h1><p id="reason"></p><p class="soft" id="about"></p>
<label class="span" id="switch" hidden>Trader <select id="trader-name"></select></label></header>
<section class="actions" id="controls" aria-label="Controls">
<div class="stop">
${buttons(STOP_BUTTONS)}
</div>
<button type="button" id="more" aria-expanded="false" aria-controls="rest">More: widen, resume, …</button>
<div id="rest">
<label>Reason <input id="why" maxlength="500" placeholder="kept with what you press"></label>
${buttons(OTHER_BUTTONS)}
</div>
</section>
<p id="said" role="status"></p>
<nav aria-label="Views">
${links}
<button type="button" id="theme">Light or dark</button>
<button type="button" id="keys">Keys</button>
</nav>`;

type Table = readonly [name: string, title: string, columns: readonly string[]];

/** Tables that fit a telephone; rows of others become cards there. */
const NARROW = [
  'ladder',
  'tape',
  'chart-rows',
  'chart-fills',
  'factors',
  'refusals',
  'health-spent',
  'config-settings',
];

const makeTable = ([name, title, columns]: Table): string =>
  `<h3 id=${name}-title>${title}</h3>
<div class="scroll${NARROW.includes(name) ? '' : ' cards'}" tabindex=0 role=region aria-labelledby=${name}-title><table>
<thead><tr>${columns.map(makeHead).join('')}<tbody id=${name}>
</table></div>`;

/** `#` before the title of a column of figures. */
const makeHead = (column: string): string =>
  column.startsWith('#') ? `<th class=number>${column.slice(1)}` : `<th>${column}`;

const tables = (...all: readonly Table[]): string => all.map(makeTable).join('\n');

const makeView = (name: string, title: string, body: string): string =>
  `<section class=view id=view-${name} aria-labelledby=view-${name}-title hidden>
<h2 id=view-${name}-title>${title}</h2>
${body}
</section>`;

const makeFilter = (name: string, what: string): string =>
  `<label>Filter <input type=search id=filter-${name} placeholder="${what}"></label>
<p class="soft" id="${name}-found"></p>`;

const SPANS = [
  ['600000', '10 minutes'],
  ['3600000', '1 hour'],
  ['21600000', '6 hours'],
  ['86400000', '1 day'],
  ['604800000', '7 days'],
  ['7776000000', '90 days'],
] as const;

const spanSelect = (chosen: string): string => `<label class="span">Shown <select data-span>
${SPANS.map(([ms, label]) => `<option value=${ms}${ms === chosen ? ' selected' : ''}>${label}</option>`).join('\n')}
</select></label>`;

const PRICES = ['#Best bid', '#Our bid', '#Fair', '#Our ask', '#Best ask', '#Net'] as const;
const BOOKED = ['#Net', '#Realised', '#Fees', '#Fills', '#Turnover'] as const;

const MONEY_SUMS = ['#Result', '#Loss of this day', '#Cash', '#Open orders'] as const;

const TRADERS = `<p class="soft">Traders of one venue add up; a figure that is not known of all says of how many. What a trader that does not
answer told last is old, and in the sums all the same.</p>
${tables(
  ['trader-sums', 'Together', ['Venue', '#Answer', ...MONEY_SUMS, '#Alerts']],
  ['trader-list', 'Each', ['Trader', 'Mode', '#Last word', ...MONEY_SUMS, '#Quoted', '#Alerts', 'Guardian', 'Why']],
)}`;

const OVERVIEW = `<dl id="figures"></dl>
${tables(
  [
    'markets',
    'Markets',
    ['Market', '#Best bid', '#Our bid', '#Fair', '#Our ask', '#Best ask', '#Net', '#YES', '#NO', '#Book', 'State'],
  ],
  ['orders', 'Open orders', ['Market', 'Side', '#Price', '#Amount', '#Filled', 'Since']],
  ['fills', 'Newest fills', ['Time', 'Market', 'Side', '#Price', '#Amount']],
  ['events', 'What happened', ['Time', 'Kind', 'What']],
)}`;

const MARKET = `<p id="market-note"></p>
<p><a id="market-explain" href="/">Why is it like this?</a> · <a id="market-orders" href="/">Its orders and fills</a></p>
<div class="actions" role="group" aria-label="Controls of this market">
${buttons(MARKET_BUTTONS)}
</div>
<dl id="market-figures"></dl>
${spanSelect('600000')}
<div class="plot" id="plot-price" role="img" aria-label="Others’ best prices as a band, our fair value and quotes as steps, our fills as triangles; the same figures are in the table below"></div>
<div class="plot" id="plot-net" role="img" aria-label="Net shares held; the same figures are in the table below"></div>
<p class="soft" id="chart-empty"></p>
<p class="soft" id="chart-said"></p>
<details class="table"><summary>The chart as tables</summary>
${tables(
  ['chart-rows', 'Prices over time', ['Time', ...PRICES]],
  ['chart-fills', 'Fills in this time', ['Time', 'Direction', '#Price, YES', '#Amount']],
)}
</details>
${tables(
  ['ladder', 'Ladder, YES; shares ahead of ours are an estimate', ['#Others bid', '#Price', '#Others ask', 'Ours']],
  ['tape', 'Newest public trades, YES', ['Time', 'Taker', '#Price', '#Amount', 'Ours']],
  ['factors', 'What led to the quotes', ['Factor', 'Value']],
  ['refusals', 'What held them back', ['Control', 'Times', 'Newest words']],
)}`;

/** Downloads of the shown trader: buttons, because a link could not prove the session. */
const makeDownloads = (...all: readonly (readonly [name: string, label: string])[]): string =>
  `<p class="files">As a file: ${all.map(([name, label]) => `<button type="button" data-csv="${name}">${label}</button>`).join(' ')}</p>`;

const ORDERS = `${makeDownloads(['orders', 'Orders (CSV)'], ['fills', 'Fills (CSV)'])}
${makeFilter('orders', 'words of the market, side, price, status or id')}
${tables(
  ['order-list', 'Orders', ['Created', 'Market', 'Order', '#Amount', '#Filled', 'Status', 'Ended']],
  ['fill-list', 'Fills', ['Time', 'Market', 'Fill', '#Amount', '#Fee', 'As', 'Order']],
)}`;

const MONEY = `<dl id="money-figures"></dl>
<p class="soft" id="money-note"></p>
${spanSelect('86400000')}
<div class="plot" id="plot-equity" role="img" aria-label="Equity over time"></div>
<p class="soft" id="equity-empty"></p>
<p class="soft" id="equity-said"></p>
${makeDownloads(['days', 'Days (CSV)'], ['markets', 'Markets (CSV)'], ['strategies', 'Strategies (CSV)'])}
${tables(
  ['money-days', 'By UTC day, as booked', ['Day', ...BOOKED]],
  [
    'money-markets',
    'By market',
    [
      'Market',
      '#Result',
      '#Net',
      '#Unrealised',
      '#Fees',
      '#Fills',
      '#Turnover',
      '#YES',
      '#NO',
      '#Sets',
      '#Cost of holdings',
    ],
  ],
  ['money-strategies', 'By strategy, as booked', ['Strategy', ...BOOKED]],
  [
    'money-markouts',
    'Markouts of the newest 500 fills: how far the others’ middle went for us',
    ['After', 'Side', '#A share', '#± 1 s.e.', '#Together', '#Shares', '#Fills', '#Not known'],
  ],
)}`;

const RISK = tables(
  ['risk-limits', 'Limits and their use', ['Limit', '#Used', '#Bound', '#Refusals', 'What it is', 'Other for']],
  [
    'risk-scenarios',
    'Result of this end for current holdings, without working orders',
    ['Event', 'Ends', '#Result', '#From now'],
  ],
  ['risk-events', 'Events at their worst', ['Event', '#Loss', '#Net shares', '#Markets']],
  ['risk-markets', 'Markets held or quoted', ['Market', '#Net shares', '#Bound', '#Mark']],
);

const HEALTH = `<dl id="health-figures"></dl>
${tables(
  [
    'health-budgets',
    'Requests a minute',
    ['Scope', '#Left', '#We allow ourselves', '#The exchange allows', 'Throttled'],
  ],
  ['health-spent', 'Requests of this run by purpose', ['Purpose', '#Requests']],
  [
    'health-requests',
    'Requests of this run',
    ['Endpoint', '#Answered', '#Refused', '#No answer', '#p50', '#p95', '#p99'],
  ],
  ['health-feeds', 'Feeds', ['Feed', '#Current markets', '#Newest', '#Values', '#Problems', 'Trouble']],
  ['health-books', 'Books, oldest first', ['Market', '#Seen', 'Trouble']],
)}`;

const ALERTS = `<p class="files"><button type="button" data-action="ack" title="not sent again until they are over">I have seen all that is open</button></p>
${tables(
  ['alerts-open', 'Open', ['Since', 'Severity', 'Alert', 'What', 'To do', 'Seen']],
  ['alerts-recent', 'Told lately', ['Time', 'Severity', 'State', 'Alert', 'What']],
  ['alerts-channels', 'Channels', ['Channel', '#Delivered', '#Failed', '#Lost', '#Waiting']],
)}`;

const LOG = `${makeFilter('log', 'words of a line, its kind, or loud')}
${tables(['log-lines', 'Newest first', ['Time', 'Severity', 'Kind', 'What', 'From']])}`;

const CONFIG = `<p class="soft" id="config-file"></p>
<p class="files"><button type="button" id="compare">Compare with the files</button>
<button type="button" data-action="apply" title="applies all changes of the files, or none; looser limits and other code need a reason">Apply the files</button>
<button type="button" data-action="rollback" title="wants a reason; the files stay as they are">Roll back</button></p>
<pre id="config-diff" tabindex="0" role="region" aria-label="How the files differ"></pre>
${makeFilter('config', 'words of a setting')}
${tables(['config-settings', 'In force', ['Setting', 'Value']])}`;

const RUNS = `<p>A run can be played again from its journal, and everything in the ledger reported:
<code>twinbook pnl --report FILE</code>, <code>twinbook pnl --by day</code>.</p>
${tables(['runs-list', 'Runs of this ledger', ['Started', 'Ended', 'Version', 'Configuration', 'Note', 'To play it again']])}`;

const EXPLAIN = `<p class="soft" id="explain-source"></p>
<form id="explain-at" class="actions" hidden><label>As it was at, your time <input type="datetime-local" id="at" step="1" required></label>
<button type="submit">Show that moment</button>
<button type="button" id="explain-now">Now</button></form>
<p id="past-state" role="status"></p>
<pre id="past-lines" hidden></pre>
<div id="explain-tree"></div>`;

export const VIEWS = [
  makeView('traders', 'Traders', TRADERS),
  makeView('overview', 'Overview', OVERVIEW),
  makeView('market', 'Market', MARKET),
  makeView('orders', 'Orders and fills', ORDERS),
  makeView('money', 'Money', MONEY),
  makeView('risk', 'Risk', RISK),
  makeView('health', 'Health', HEALTH),
  makeView('alerts', 'Alerts', ALERTS),
  makeView('log', 'Log', LOG),
  makeView('config', 'Configuration', CONFIG),
  makeView('runs', 'Runs and reports', RUNS),
  makeView('explain', 'Explain', EXPLAIN),
].join('\n');

const KEYS = [
  ['g o', 'overview'],
  ['g t', 'orders and fills (trades)'],
  ['g m', 'money'],
  ['g r', 'risk'],
  ['g h', 'health'],
  ['g a', 'alerts'],
  ['g l', 'log'],
  ['g c', 'configuration'],
  ['g u', 'runs'],
  ['g s', 'all traders, where there are several'],
  ['j, k', 'next and last row'],
  ['Enter', 'opens the row'],
  ['e', 'explains the market'],
  ['t', 'the chart as tables'],
  ['/', 'filter'],
  ['p', 'pause'],
  ['Shift K, twice', 'KILL'],
  ['?', 'this list'],
] as const;

export const HELP = `<dialog id="help" aria-labelledby="help-title"><h2 id="help-title">Keys</h2>
<table><thead><tr><th scope="col">Key</th><th scope="col">Does</th></tr></thead><tbody>
${KEYS.map(([key, does]) => `<tr><td><kbd>${key}</kbd></td><td>${does}</td></tr>`).join('\n')}
</tbody></table>
<p>Off while you type.</p>
<button type="button" id="close-help">Close</button></dialog>`;
