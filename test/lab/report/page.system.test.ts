import { createHash } from 'node:crypto';
import { Script } from 'node:vm';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { analyse } from '../../../src/lab/report/analysis/analyse.js';
import { count, exactGain, formatGain, formatPercent } from '../../../src/lab/report/figures.js';
import type { drawingData } from '../../../src/lab/report/html/charts.js';
import { reportHtml } from '../../../src/lab/report/html/report-html.js';
import type { SessionRecord } from '../../../src/lab/session/contract.js';
import { times } from '../../support/effort.js';
import { all, byId, hasClass, type PageElement, parsePage, rowsOf } from './page.js';
import { makeBracket, makeSession } from './session.js';
import { aFill, aMarket, aSession, ONE } from './sessions.js';

const pageOf = (sessions: readonly SessionRecord[]): string => reportHtml({ sessions }, sessions.map(analyse));
const bytes = (page: string): number => Buffer.byteLength(page);
const FIVE_MB = 5_000_000;

const dataOf = (page: PageElement): ReturnType<typeof drawingData>['data'] =>
  JSON.parse(gunzipSync(Buffer.from(byId(page, 'data').text, 'base64')).toString()) as ReturnType<
    typeof drawingData
  >['data'];
const scriptsOf = (page: PageElement) =>
  all(page, ({ tag, attributes }) => tag === 'script' && attributes.get('id') !== 'data');
/** Attributes that would run a script. */
const handlersIn = (page: PageElement): readonly string[] =>
  all(page, () => true).flatMap(({ attributes }) => [...attributes.keys()].filter((name) => name.startsWith('on')));
/** The elements of one session of the bracket within a section. */
const partOf = (page: PageElement, section: string, index: number): PageElement => {
  const found = all(byId(page, section), (element) => hasClass(element, `of-${index}`))[0];
  if (found === undefined) throw new Error(`${section} has no part ${index}`);
  return found;
};

const day = makeBracket();
const dayPage = pageOf(day);
const parsed = parsePage(dayPage);

describe('the file', () => {
  test('refers to nothing outside itself', () => {
    const names = ['src', 'href', 'srcset', 'action', 'data', 'poster', 'background', 'xlink'];
    const outward = all(
      parsed,
      ({ attributes }) =>
        names.some((name) => attributes.has(name)) || /url\(|expression/.test(attributes.get('style') ?? ''),
    );
    expect(outward.map(({ tag, attributes }) => [tag, ...attributes])).toEqual([]);
    for (const { text } of all(parsed, ({ tag }) => tag === 'style')) expect(text).not.toMatch(/@import|url\(/);
    for (const { text } of scriptsOf(parsed))
      expect(text).not.toMatch(
        /\bfetch\(|XMLHttpRequest|WebSocket|importScripts|\bimport\s*\(|sourceMappingURL|new Worker/,
      );
  });

  test('lets nothing but its own scripts run', () => {
    const policy =
      all(parsed, ({ attributes }) => attributes.get('http-equiv') === 'Content-Security-Policy')[0]?.attributes.get(
        'content',
      ) ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/script-src[^;]*unsafe/);
    for (const { text } of scriptsOf(parsed))
      expect(policy).toContain(`'sha256-${createHash('sha256').update(text).digest('base64')}'`);
    expect(handlersIn(parsed)).toEqual([]);
  });

  test('holds one whole script, and elements for all that it looks for', () => {
    expect(scriptsOf(parsed)).toHaveLength(1);
    const text = scriptsOf(parsed)[0]?.text ?? '';
    // A module may await at its top level.
    expect(() => new Script(`(async () => {${text}})`)).not.toThrow();
    expect(text).not.toMatch(/^(import|export) /m);
    const wanted = [...text.matchAll(/(?:getElementById\(|\bid:|\()"((?:plot|read)-[a-z]+|data|find|market)"/g)].map(
      ([, id = '']) => id,
    );
    expect(new Set(wanted).size).toBe(8);
    for (const id of wanted) expect(() => byId(parsed, id), id).not.toThrow();
  });

  test('keeps the licence of the charts', () => {
    expect(dayPage).toContain('Copyright (c) 2022 Leon Sorokin');
    expect(dayPage).toContain('Permission is hereby granted, free of charge');
  });

  test('is the same for the same sessions', () => expect(pageOf(makeBracket())).toBe(dayPage));

  const fortnight = () => [makeSession({ markets: 1, hours: 336, fillChance: 0.9 })];
  const large = [
    ['500 markets under three models', () => makeBracket({ markets: 500, hours: 6 }), FIVE_MB],
    ['a fortnight of one market with many fills', fortnight, FIVE_MB],
  ] as const;
  test.each([
    ['a day of 20 markets under three models', () => day, 1_500_000],
    ...times<readonly (typeof large)[number][]>([], large),
  ] as const)('%s fit', (_, sessions, most) => expect(bytes(pageOf(sessions()))).toBeLessThan(most));

  test('fits when every text of the exchange is as long and as bad as can be', () => {
    const text = '漢&"<'.repeat(300);
    const session = makeSession({ markets: times(520, 700), hours: times(1, 2) });
    const many = Array.from({ length: 999 }, () => text);
    const texts = { title: text, eventTitle: text, category: text };
    const filled = {
      ...session,
      title: text,
      markets: session.markets.map((market) => ({ ...market, ...texts, endYesMicros: -1 })),
      notices: many.map(() => ({ timeMs: 0, severity: 'loud' as const, text })),
      refusals: many.map((name) => ({ by: 'exchange' as const, name, count: 1 })),
      assumptions: { ...session.assumptions, data: many, remarks: many, fillModel: text, latency: text },
    };
    const page = pageOf(times([filled, filled], [filled, filled, filled]));
    expect(bytes(page)).toBeLessThan(FIVE_MB);
    expect(() => parsePage(page)).not.toThrow();
  });
});

const HOSTILE = [
  '</script><script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  "' onmouseover='alert(1)",
  '<!-- --> ]]> &lt;b&gt; \u2028 \u0000 \u202e',
  '{{7*7}} $(alert)',
];
const spoken = aSession([aMarket({ fills: [aFill()], endYesMicros: 10 * ONE })], {
  notices: [{ timeMs: 0, severity: 'loud', text: '' }],
  refusals: [{ by: 'exchange', name: '', count: 1 }],
  assumptions: { ...aSession([]).assumptions, remarks: [''] },
});
const WORDS_OF_OURS = new Set(['kind', 'side', 'by', 'severity']);
/** A session whose every text is this one. */
const saying = (text: string): SessionRecord =>
  JSON.parse(JSON.stringify(spoken), (name, value) =>
    typeof value === 'string' && !WORDS_OF_OURS.has(name) ? text : value,
  ) as SessionRecord;

test.each(HOSTILE)('the hostile text %j is only a title', (text) => {
  const session = saying(text);
  const page = parsePage(pageOf([session, session]));
  expect(scriptsOf(page)).toHaveLength(1);
  const foreign = all(
    page,
    ({ tag, attributes }) => ['img', 'iframe'].includes(tag) || (tag === 'b' && attributes.size > 0),
  );
  expect(foreign.map(({ tag, text: within }) => `${tag} ${within}`)).toEqual([]);
  expect(handlersIn(page)).toEqual([]);
  expect(dataOf(page).markets[0]?.id).toBe(text);
  const shown = text.replaceAll('\u0000', '?').replaceAll('\u202e', '?');
  expect(all(page, ({ tag }) => tag === 'h1')[0]?.text).toBe(shown);
});

describe('the figures in the page are those of the analysis', () => {
  const analyses = day.map(analyse);

  test.each([0, 1, 2])('the split of model %i, to the micro', (index) => {
    const { result } = analyses[index] ?? analyse(aSession([]));
    const split = all(partOf(parsed, 'result', index), (element) => hasClass(element, 'split'))[0];
    const rows = rowsOf(split ?? parsed).map(([, amount]) => amount);
    const { spreadMicros, driftMicros, feesMicros, mergesMicros, settlementMicros, resultMicros } = result;
    const parts = [spreadMicros, driftMicros, -feesMicros, mergesMicros, settlementMicros, resultMicros];
    expect(rows).toEqual(parts.map((micros) => exactGain(micros ?? 0)));
    const micros = rows.map((text) => Math.round(Number((text ?? '').replaceAll(',', '').replace('−', '-')) * ONE));
    expect(micros.slice(0, -1).reduce((total, part) => total + part, 0)).toBe(micros.at(-1));
  });

  test('the bracket', () => {
    const rows = rowsOf(byId(parsed, 'figures'));
    const row = (name: string) => rows.find(([first]) => first === name)?.slice(1);
    expect(row('Result')).toEqual(analyses.map(({ result }) => formatGain(result.resultMicros)));
    expect(row('Fills')).toEqual(analyses.map(({ trading }) => count(trading.fills)));
    expect(row('Two-sided quotes')).toEqual(analyses.map(({ quoting }) => formatPercent(quoting.twoSidedShare)));
    expect(all(parsed, (element) => hasClass(element, 'flips'))).toHaveLength(1);
  });

  test.each([0, 1, 2])('every market of model %i, and their sum', (index) => {
    const { markets } = analyses[index] ?? analyse(aSession([]));
    const rows = rowsOf(all(partOf(parsed, 'markets', index), ({ tag }) => tag === 'table')[0] ?? parsed);
    expect(rows.map(([title, result]) => [title, result])).toEqual(
      markets.map(({ title, result }) => [title, formatGain(result.resultMicros)]),
    );
  });

  test('markets that have no line of their own are added up in the last one', () => {
    const sessions = makeBracket({ markets: 600, hours: times(0.25, 1) });
    const text = pageOf(sessions);
    expect(bytes(text)).toBeLessThan(FIVE_MB);
    const page = parsePage(text);
    const table = all(partOf(page, 'markets', 0), ({ tag }) => tag === 'table')[0];
    const results = all(table ?? page, ({ tag }) => tag === 'tr')
      .slice(1)
      .map((row) => Number(row.children[1]?.attributes.get('data-v')));
    expect(results).toHaveLength(501);
    expect(results.reduce((total, micros) => total + micros, 0)).toBe(
      analyse(sessions[0] ?? makeSession()).result.resultMicros,
    );
    expect(byId(page, 'markets').text).toContain('100 others are summed in the last line');
  });

  test('warnings stand at the top, in words', () => {
    const warnings = byId(parsed, 'warnings').text;
    expect(warnings).toContain('17 lines of the recording could not be used');
    expect(dayPage.indexOf('id="warnings"')).toBeLessThan(dayPage.indexOf('id="result"'));
  });

  test('what is not known is a dash and a sentence, never a zero', () => {
    const fill = aFill({ markMicros: null, marksAfterMicros: [null, null, null, null, null] });
    const assumptions = { ...aSession([]).assumptions, fillModel: null, latency: null };
    const told = { requests: null, maxDrawdownMicros: null, kind: 'live', assumptions } as const;
    const page = parsePage(pageOf([aSession([aMarket({ fills: [fill], coverage: null })], told)]));
    const split = rowsOf(all(byId(page, 'result'), (element) => hasClass(element, 'split'))[0] ?? page);
    const unknown = split.filter(([name]) => /^(Spread|Inventory)/.test(name ?? ''));
    expect(unknown.map(([, amount]) => amount)).toEqual(['not known', 'not known']);
    expect(split.some(([name]) => name?.startsWith('Cannot be divided'))).toBe(true);
    expect(byId(page, 'requests').text).toContain('A ledger does not count requests.');
    expect(byId(page, 'assumptions').text).toContain('the exchange filled the orders');
  });

  test('an empty session says so', () => {
    const page = parsePage(pageOf([aSession([])]));
    expect(byId(page, 'warnings').text).toContain('No market was in this session');
    expect(byId(page, 'price').text).toContain('There is no market to draw.');
  });
});

describe('columns', () => {
  test('of a day that was not thinned out hold every sample and fill', () => {
    const session = makeSession({ markets: 2, hours: 4 });
    const data = dataOf(parsePage(pageOf([session])));
    for (const market of session.markets) {
      const drawn = data.markets.find(({ id }) => id === market.conditionId)?.sessions[0];
      expect([drawn?.ourBid, drawn?.held]).toEqual([market.series.ourBidMicros, market.series.inventoryMicros]);
      expect(drawn?.fills.map(({ price }) => price)).toEqual(market.fills.map(({ priceMicros }) => priceMicros));
      const times = drawn?.times.map((_, i) => drawn.times.slice(0, i + 1).reduce((sum, step) => sum + step, 0));
      expect(times).toEqual(market.series.timeMs);
    }
    expect(data.thinned).toMatchObject({ isCoarser: false, markets: 2, marketsDrawn: 2 });
  });

  test('that were thinned out are told of', () => {
    const page = parsePage(pageOf([makeSession({ markets: 400, hours: 6 })]));
    const { thinned } = dataOf(page);
    expect(thinned.isCoarser).toBe(true);
    expect(byId(page, 'thinned').text).toContain(`at most ${count(thinned.samples)} samples of each market`);
  });
});
