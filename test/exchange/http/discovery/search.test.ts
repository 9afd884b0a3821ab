import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { control, openMarket, TestTrader } from '../harness.js';
import { sharedExchange } from '../shared-exchange.js';
import { read, refusal, twice, walk } from './walk.js';

/** A market of the test, with its searchable fields. */
interface Known {
  readonly id: string;
  readonly event: number;
  readonly text: string;
  readonly category: string;
  readonly sport: string | null;
  readonly league: string | null;
  readonly date: number | null;
  state: string;
  price: number | null;
  readonly leverage: readonly [yes: number, no: number];
  readonly leveraged: boolean;
}

const known: Known[] = [];
/** Condition ids of the events, oldest first. */
const EVENTS = ['Football in May', 'Élections: the SENATE', 'Rates & prices', 'Launches'];
const WORDS = ['final', 'Rain', 'üBER', 'senate', '100%', 'a.b', 'May'];
const RATES = { opening_fee: '0.01', closing_fee: '0.01', annual_fee_rate: '0.1' };
const SPORTS = [null, { sport: 'soccer', league: 'bundesliga' }, { sport: 'soccer' }, { sport: 'mma', league: 'ufc' }];
const STATES = 'open open interrupted answer_proposed waiting_to_resolve draft resolved canceled'.split(' ');

const descriptionOf = (n: number) => (n % 3 === 0 ? null : `About ${WORDS[(n * 5) % WORDS.length]} and more`);

async function makeMarket(n: number): Promise<void> {
  const place = SPORTS[n % SPORTS.length] ?? null;
  const event = n % EVENTS.length;
  const title = `Number ${n} ${WORDS[n % WORDS.length]}`;
  const description = descriptionOf(n);
  const category = place === null ? (['crypto', 'tech'][n % 2] ?? 'tech') : 'sports';
  const date = n % 4 === 0 ? null : 2_000_000_000 + n * 1000;
  const isPool = n % 5 === 4;
  const pool = { kind: 'hyperliquid', max_leverage_yes: String(2 + (n % 3)), max_leverage_no: '3.5', ...RATES };
  const state = STATES[(n * 3) % STATES.length] ?? 'open';
  const isLate = state === 'interrupted' || state === 'resolved' || state === 'canceled';
  const id = await openMarket(base, {
    title,
    description,
    category,
    resolution_date: date,
    event: EVENTS[event],
    ...(place ?? {}),
    config: isPool ? pool : { kind: 'orderbook' },
    state: isLate ? 'open' : state,
  });
  known.push({
    id,
    event,
    category,
    date,
    state: 'open',
    leveraged: isPool,
    price: null,
    // An event is described by its first market.
    text: [title, description ?? '', EVENTS[event], descriptionOf(event) ?? ''].join('\n').toLowerCase(),
    sport: place?.sport ?? null,
    league: place?.league ?? null,
    leverage: isPool ? [2 + (n % 3), 3.5] : [1, 1],
  });
}

async function finish(n: number): Promise<void> {
  const market = known[n];
  if (market === undefined) return;
  const state = STATES[(n * 3) % STATES.length] ?? 'open';
  if (state === 'interrupted') await control(base, `/markets/${market.id}/state/`, { state });
  if (state === 'resolved') await control(base, `/markets/${market.id}/resolve/`, { is_yes: n % 2 === 0 });
  if (state === 'canceled') await control(base, `/markets/${market.id}/resolve/`, { is_yes: null });
  market.state = state;
  const { price } = (await read(base, `/markets/${market.id}/price/`)).row;
  market.price = price === null ? null : Number(price);
}

const COUNT = 40;

const { url: base } = await sharedExchange();
for (let n = 0; n < COUNT; n++) await makeMarket(n);
const [maker, taker] = [await TestTrader.join(base), await TestTrader.join(base)];
for (let n = 0; n < COUNT; n += 2) {
  const id = known[n]?.id ?? '';
  await maker.order(id, true, 'buy', `0.${20 + n}`, String(5 + n));
  if (n % 3 === 0) await taker.order(id, false, 'buy', `0.${80 - n}`, String(2 + (n % 7)));
}
for (let n = 0; n < COUNT; n++) await finish(n);
const events = (await read(base, '/events/?limit=100')).rows.map((row) => String(row['condition_id'])).reverse();

const STATE_WORDS: Readonly<Record<string, readonly string[]>> = {
  open: ['open'],
  under_review: ['answer_proposed', 'waiting_to_resolve'],
  closed: ['interrupted', 'answer_proposed', 'waiting_to_resolve'],
  resolved: ['resolved', 'canceled'],
};

type Query = Readonly<Record<string, string>>;

const within = (value: number | null, least: string | undefined, most: string | undefined): boolean =>
  (least === undefined || (value !== null && value >= Number(least))) &&
  (most === undefined || (value !== null && value <= Number(most)));

/** The plain filter. */
function isFound(market: Known, q: Query): boolean {
  const words = (q['q'] ?? '').trim().toLowerCase().split(/\s+/);
  const states = q['state']?.split(',').flatMap((word) => STATE_WORDS[word] ?? []);
  return (
    words.every((word) => market.text.includes(word)) &&
    (q['category'] === undefined || market.category === q['category']) &&
    (states === undefined || states.includes(market.state)) &&
    (q['sport'] === undefined || q['sport'].split(',').includes(market.sport ?? '')) &&
    (q['league'] === undefined || q['league'].split(',').includes(market.league ?? '')) &&
    (q['resolution_time_gt'] === undefined || (market.date ?? 0) > Number(q['resolution_time_gt'])) &&
    (q['resolution_time_lt'] === undefined ||
      (market.date ?? Number.POSITIVE_INFINITY) < Number(q['resolution_time_lt'])) &&
    within(market.price, q['price_gte'], q['price_lte']) &&
    (q['leveraged'] === undefined || String(market.leveraged) === q['leveraged']) &&
    within(market.leverage[0], q['max_leverage_yes_gte'], q['max_leverage_yes_lte']) &&
    within(market.leverage[1], q['max_leverage_no_gte'], q['max_leverage_no_lte'])
  );
}

/** The expected results, as `market id` and `event id`, unordered. */
function expected(q: Query): string[] {
  const found = known.filter((market) => isFound(market, q));
  const markets = found.map(({ id }) => `market ${id}`);
  const owners = [...new Set(found.map(({ event }) => `event ${events[event]}`))];
  const type = q['result_type'];
  return [...(type === 'event' ? [] : markets), ...(type === 'market' ? [] : owners)].sort();
}

const named = (rows: readonly Record<string, unknown>[]): string[] =>
  rows.map((row) => `${row['result_type']} ${(row['summary'] as Record<string, unknown>)['condition_id']}`);

const seconds = fc.integer({ min: 2_000_000_000, max: 2_000_000_000 + COUNT * 1000 }).map(String);
const price = fc.integer({ min: 0, max: 100 }).map((cents) => String(cents / 100));
const leverage = fc.constantFrom('1', '2', '3', '3.5', '4');
const word = fc.constantFrom(...WORDS, 'NUMBER', 'number 1', 'senate number', 'élections', ' rain  number ', 'zz');
const state = fc.uniqueArray(fc.constantFrom('open', 'under_review', 'closed', 'resolved'), { minLength: 1 });

const queries = fc
  .record(
    {
      q: word,
      category: fc.constantFrom('crypto', 'tech', 'sports', 'wtf'),
      state: state.map((words) => words.join(',')),
      sport: fc.constantFrom('soccer', 'mma', 'soccer,mma', 'tennis'),
      resolution_time_gt: seconds,
      resolution_time_lt: seconds,
      price_gte: price,
      price_lte: price,
      leveraged: fc.constantFrom('true', 'false'),
      max_leverage_yes_gte: leverage,
      max_leverage_yes_lte: leverage,
      max_leverage_no_gte: leverage,
      max_leverage_no_lte: leverage,
      result_type: fc.constantFrom('market', 'event'),
    },
    { requiredKeys: [] },
  )
  .filter((query) => Object.keys(query).length > 0);

const written = (query: Query): string => `/search/?${new URLSearchParams(query)}`;

describe('the search', () => {
  it('finds what a plain filter finds, for any filters', () =>
    fc.assert(
      fc.asyncProperty(queries, async (query) => {
        const { rows, status } = await read(base, `${written(query)}&limit=100`);
        expect(status).toBe(200);
        expect(named(rows).sort()).toEqual(expected(query));
      }),
      { numRuns: 150 },
    ));

  it('answers whole details', async () => {
    const { rows, meta } = await read(base, '/search/?q=number');
    expect([rows.length, (meta as { limit: number }).limit]).toEqual([20, 20]);
    for (const row of rows) {
      const summary = row['summary'] as { condition_id: string };
      expect(summary).toEqual((await read(base, `/${String(row['result_type'])}s/${summary.condition_id}/`)).data);
    }
  });

  it.each([
    ['soccer', 'bundesliga'],
    ['soccer,mma', 'ufc'],
    ['SOCCER, mma', 'Bundesliga,UFC'],
  ])('finds the markets of sport %s in league %s', async (sport, league) => {
    const query = { sport, league, result_type: 'market' };
    const plain = { ...query, sport: sport.toLowerCase().replace(' ', ''), league: league.toLowerCase() };
    const { rows } = await read(base, `${written(query)}&limit=100`);
    expect(named(rows).sort()).toEqual(expected(plain));
    expect(rows.length).toBeGreaterThan(2);
  });

  it.each([
    ['', 'q'],
    ['sort=trending&limit=5', 'q'],
    ['q=%20a%20', 'q'],
    [`q=${'a'.repeat(201)}`, 'q'],
    ['q=ab&league=bundesliga', 'league'],
  ])('refuses ?%s and names %s', async (query, field) => {
    expect(refusal(await read(base, `/search/?${query}`))).toBe(`400 invalid_request_params ${field}`);
  });

  const SORTS = ['created', 'ending_soon', 'last_trade', 'leverage', 'market_cap', 'total_volume', 'trending'];

  it.each(SORTS)('sorted by %s comes in pages that together are the whole, while new markets open', async (sort) => {
    const path = `/search/?q=number&sort=${sort}`;
    const whole = named(await walk(base, path, 100));
    expect(new Set(whole).size).toBe(whole.length);
    const late = { title: 'Number late', event: 'Launches', resolution_date: 2_000_000_001 };
    const openLate = twice(() => openMarket(base, late));
    expect(named(await walk(base, path, 7, openLate))).toEqual(whole);
  });
});

it('the sports are a catalog of slugs that lists and search accept', async () => {
  const { rows, meta } = await read(base, '/sports/');
  expect(meta).toEqual({});
  const slugs = rows.flatMap((row) => [row['slug'], ...(row['leagues'] as { slug: string }[]).map(({ slug }) => slug)]);
  expect(new Set(slugs).size).toBe(slugs.length);
  for (const row of rows) {
    const leagues = (row['leagues'] as { slug: string }[]).map(({ slug }) => slug).join(',');
    for (const list of ['events', 'markets', 'search'])
      expect((await read(base, `/${list}/?sport=${row['slug']}&league=${leagues}`)).status).toBe(200);
  }
});
