import { describe, expect, it } from 'vitest';
import { control, openMarket, TestTrader } from '../harness.js';
import { sharedExchange } from '../shared-exchange.js';
import { pass, read, refusal, twice, walk } from './walk.js';

const markets: string[] = [];
const DAY_S = 86_400;

const CATEGORIES = ['politics', 'crypto', 'sports'] as const;
const LATE = ['interrupted', 'answer_proposed', 'waiting_to_resolve'];
const STATES = ['open', ...LATE, 'draft', 'waiting_to_open', 'resolved', 'canceled'];

const { url: base } = await sharedExchange();
const [maker, taker] = [await TestTrader.join(base), await TestTrader.join(base)];
const nowS = maker.nowS();
for (let n = 0; n < 24; n++) {
  const category = CATEGORIES[n % 3];
  const sport = category === 'sports' ? { sport: 'tennis', league: n % 2 === 0 ? 'atp' : 'wta' } : {};
  const fields = { title: `Market ${n}`, event: `Event ${n % 9}`, category, resolution_date: nowS + (n - 8) * DAY_S };
  markets.push(await openMarket(base, { ...fields, ...sport }));
}
for (const [n, id] of markets.entries()) {
  if (n % 2 === 1) continue;
  await maker.order(id, true, 'buy', '0.4', String(10 + n));
  await taker.order(id, false, 'buy', '0.6', String(1 + ((n * 7) % 10)));
  await pass(base, 1, maker, taker);
}
for (const [n, id] of markets.entries()) {
  const state = STATES[n % STATES.length];
  if (state === 'resolved') await control(base, `/markets/${id}/resolve/`, { is_yes: true });
  else if (state !== 'open') await control(base, `/markets/${id}/state/`, { state });
}

const ids = (rows: readonly Record<string, unknown>[]) => rows.map((row) => String(row['condition_id']));

const SORTS = ['market_cap', 'last_trade', 'total_volume', 'live_stream', 'trending', 'leverage', 'ending_soon'];
const QUERIES = [
  ...['', 'state=open', 'state=CLOSED', 'state=Resolved', 'state=newest', 'state=ending_soon', 'state=ended_recently'],
  ...['category=crypto', 'sport=tennis', 'sport=tennis&league=wta,atp', ...SORTS.map((sort) => `sort=${sort}`)],
  ...['sort=total_volume&state=open', 'sort=ending_soon&sport=tennis&league=atp'],
];

describe.each(['/markets/', '/events/'])('the pages of %s', (list) => {
  it.each(QUERIES)('for ?%s together are the whole list, whatever comes in meanwhile', async (query) => {
    const path = `${list}?${query}`;
    const whole = ids(await walk(base, path, 100));
    expect(new Set(whole).size).toBe(whole.length);
    const late = { title: 'Late', category: 'sports', sport: 'tennis', league: 'atp', resolution_date: 1 };
    const openLate = twice(() => openMarket(base, late));
    expect(ids(await walk(base, path, 7, openLate))).toEqual(whole);
  });

  it.each([
    ['league=atp', 'league'],
    ['sport=chess', 'sport'],
    ['sport=tennis,', 'sport'],
    ['sport=tennis&league=nba', 'league'],
    ['sport=tennis,basketball&league=nhl', 'league'],
  ])('are refused for ?%s, naming %s', async (query, field) => {
    expect(refusal(await read(base, `${list}?${query}`))).toBe(`400 invalid_request_params ${field}`);
  });
});

/** Whether an entry with markets in these states is found under a word. */
const MEANINGS: Readonly<Record<string, (states: readonly string[]) => boolean>> = {
  newest: () => true,
  open: (states) => states.includes('open'),
  closed: (states) => !states.includes('open') && states.some((state) => LATE.includes(state)),
  resolved: (states) => states.every((state) => state === 'resolved' || state === 'canceled'),
};

it.each(Object.entries(MEANINGS))('the lists under %s have the entries in such a state', async (word, isMeant) => {
  for (const list of ['markets', 'events']) {
    const all: string[] = [];
    for (const id of ids(await walk(base, `/${list}/`, 100))) {
      const { row } = await read(base, `/${list}/${id}/`);
      const inIt = list === 'markets' ? [row] : (row['markets'] as (typeof row)[]);
      if (isMeant(inIt.map(({ state }) => String(state)))) all.push(id);
    }
    expect(all.length).toBeGreaterThan(0);
    expect(ids(await walk(base, `/${list}/?state=${word}`, 100))).toEqual(all);
  }
});

describe('what ends soon', () => {
  it('are markets that have not ended: settled ones stand behind them, whatever their date', async () => {
    const rows = await walk(base, '/markets/?sort=ending_soon', 100);
    const isSettled = rows.map(({ state }) => state === 'resolved' || state === 'canceled');
    expect(isSettled.indexOf(true)).toBe(rows.length - isSettled.filter(Boolean).length);
    expect(isSettled).toContain(true);
  });

  it('is no event whose only open market ends much later', async () => {
    const nowS = Number((await read(base, `/markets/${markets[0]}/`)).row['created']);
    const event = 'One over, one far away';
    const over = await openMarket(base, { event, resolution_date: nowS + DAY_S });
    await openMarket(base, { event, resolution_date: nowS + 100 * DAY_S });
    const titles = async () => (await walk(base, '/events/?state=ending_soon', 100)).map(({ title }) => title);
    expect(await titles()).toContain(event);
    await control(base, `/markets/${over}/resolve/`, { is_yes: true });
    expect(await titles()).not.toContain(event);
  });
});

describe('an event', () => {
  it('shows two of its markets and no video in a list, everything in the detail', async () => {
    for (const row of await walk(base, '/events/', 100)) {
      expect(row).not.toHaveProperty('video_url');
      const { row: whole } = await read(base, `/events/${String(row['condition_id'])}/`);
      expect(whole).toHaveProperty('video_url', null);
      expect(row['markets']).toEqual((whole['markets'] as unknown[]).slice(0, 2));
    }
  });

  it('belongs to the sports and leagues of its markets', async () => {
    const id = await openMarket(base, { event: 'Mixed', category: 'politics' });
    const owner = async () => (await read(base, `/markets/${id}/`)).row['event'] as { condition_id: string };
    const { condition_id } = await owner();
    expect(ids((await read(base, '/events/?sport=mma&league=ufc')).rows)).toEqual([]);
    await openMarket(base, { event: 'Mixed', sport: 'mma', league: 'ufc' });
    expect(ids((await read(base, '/events/?sport=baseball,mma&league=ufc')).rows)).toEqual([condition_id]);
    expect(ids((await read(base, '/events/?sport=baseball,mma&league=mlb')).rows)).toEqual([]);
  });
});
