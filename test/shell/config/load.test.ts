import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { TwinbookError } from '../../../src/shared/base/errors.js';
import { loadConfig, loadTraderConfig } from '../../../src/shell/config/load.js';
import { liveClass, strategyFileSchema, traderSchema } from '../../../src/shell/config/schema.js';
import { configChanges } from '../../../src/shell/config/shown.js';
import { folderOf } from '../../support/folders.js';
import { trader } from './files.js';

/** The smallest trader's file with this profile and further settings on its line. */
const ofVenue = (profile: string, lines = '') => trader(lines).replace('profile: paper', `profile: ${profile}`);

const load = (folder: string, env: Record<string, string> = {}) => loadConfig('trader.yaml', { env, cwd: folder });

async function failure(files: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}) {
  const error: unknown = await load(folderOf(files), env).catch((thrown: unknown) => thrown);
  if (!(error instanceof TwinbookError)) throw new Error(`expected a TwinbookError, got ${String(error)}`);
  return error;
}

/** Shows the whole message where it differs. */
const expectStart = ({ message }: TwinbookError, start: string) =>
  expect(message.startsWith(start) ? start : message).toBe(start);

describe('a trader file that cannot be used says where, what came and what to write', () => {
  /** By the lines at the end of the smallest file. */
  const endings: Readonly<Record<string, string>> = {
    'risk:\n  max_los_day: "50"': "7:3: risk: unknown key 'max_los_day'; did you mean 'max_loss_day'?",
    'merge: { colour: red }': "6:10: merge: unknown key 'colour'; known here: enabled, min_shares",
    'risk: { max_open_orders: "40" }':
      '6:26: risk.max_open_orders: wants a whole number from 1 to 10000, got the text "40"; write it without quotes: 40',
    'polling: { own_interval_ms: 5 }':
      '6:29: polling.own_interval_ms: wants a whole number from 200 to 60000, got the number 5',
    'exchange: { seed: 1.5 }': '6:19: exchange.seed: wants a whole number of at least 0, got the number 1.5',
    'merge: { min_shares: "0" }':
      '6:22: merge.min_shares: wants a decimal string from "0.01" to "1000000", got the text "0"',
    'events: [{ event: E, outcomes: nested, markets: [a] }]':
      '6:32: events[0].outcomes: a nested event needs its markets, from widest to narrowest; list two or more markets, each once',
    'events: [{ event: E, outcomes: exhaustive }]':
      '6:32: events[0].outcomes: an exhaustive event needs all of its markets; list two or more markets, each once',
    'events: [{ event: E, outcomes: exclusive, markets: [a, b] }]':
      '6:52: events[0].markets: remove the list: an exclusive event always includes all of its markets',
    'events: [{ event: E, outcomes: exclusive }, { event: E, outcomes: exclusive }]':
      '6:54: events[1].event: this event is declared above; keep one of the two',
    'merge: { enabled: yes }': '6:19: merge.enabled: wants true or false, got the text "yes"',
    'log: { level: inf }':
      '6:15: log.level: wants "fatal", "error", "warn", "info", "debug" or "trace", got the text "inf"; did you mean "info"?',
    'exchange: { market_data: a.parquet }': '6:26: exchange.market_data: wants a list, got the text "a.parquet"',
    'risk: [1]': '6:7: risk: wants a mapping (lines of key: value), got a list',
    'capital: "5"': '6:1: this key is twice in the same mapping; keep one',
    'log: { file: &f a.log }\ncontrol: { socket: *f }':
      '6:17: log.file: anchors (&f) are not used; remove the anchor\ntrader.yaml:7:20: control.socket: aliases (*name) are not used here; write the value out',
    '<<: { log: {} }': "6:1: unknown key '<<'",
    '__proto__: { capital: "5" }': "6:1: unknown key '__proto__'",
    '? [a]\n: b': '6:3: a key must be a plain word',
    'risk:\n\tmax_open_orders: 5': '7:1: a tab cannot indent YAML; use spaces',
    'schedule: { reconcile: "*/5 * * * *" }':
      '6:24: schedule.reconcile: wants six cron fields (second minute hour day month weekday), got 5; for a five-field expression write "0 */5 * * * *"',
    'log: { own_interval_ms: 5 }': "6:8: log: unknown key 'own_interval_ms' here; it belongs under polling",
    'enabled: true': "6:1: unknown key 'enabled'; known here: ",
    'polling: { hot_interval_ms: 30000 }': '6:29: polling.hot_interval_ms: must not be above quiet_interval_ms (10000)',
  };
  /** By the whole file. */
  const files: Readonly<Record<string, string>> = {
    'strategy: bands\nmarkets: { max: 3 }\n':
      "1:1: this is a strategy file; give the trader's file that lists this strategy file under strategies",
    [trader().replace('"1000"', '1000')]:
      '4:10: capital: wants a decimal string, got the number 1000; write it in quotes: "1000"',
    [trader().replace('"1000"', '"1e3"')]:
      '4:10: capital: wants a decimal string with at most 6 decimal places, got the text "1e3"',
    [ofVenue('paper, fee_schedule: variance', 'exchange: { embedded: true }')]:
      '1:40: venue.fee_schedule: the embedded exchange charges fees of price x amount, but fee_schedule is variance',
    [trader().replace('wallet.json', '')]: '2:11: wallet.file: wants a text, got nothing (an empty value)',
    [trader().replace('wallet.json', '""')]: '2:17: wallet.file: must not be empty',
    [trader().replace(/^ledger.*\n/m, '')]: '1:1: ledger: missing; wants a mapping (lines of key: value)',
    '': '1:1: wants a mapping (lines of key: value), got nothing (an empty value)',
    [`${trader()}---\n${trader()}`]: '6:1: more than one document (---) in the file; keep one',
    [ofVenue('paper, base_url: "http://example.org"')]:
      '1:36: venue.base_url: wants an https address (http only on this machine), got http://example.org',
    [ofVenue('paper, base_url: somewhere')]:
      '1:36: venue.base_url: wants an address such as https://example.org, got the text "somewhere"',
    [ofVenue('worm', 'exchange: { embedded: true }')]:
      '1:8: venue.base_url: the embedded exchange listens on this machine only, but the address is api.worm.wtf; write http://127.0.0.1:8787 or remove exchange.embedded',
    [ofVenue('paper, draft_message: opaque')]:
      '1:41: venue.draft_message: drafts of this venue are opaque, so the content of drafts cannot be checked before signing; to accept that, write allow_blind_signing: true',
    [trader('guardian: { credentials: c.json }').replace('wallet.json', 'wallet.json, credentials: c.json')]:
      '6:26: guardian.credentials: is the trader’s file; the guardian needs its own key, which stays valid if the trader’s is revoked',
    [ofVenue('paper, base_url: "http://127.0.0.1:9001"', 'exchange: { port: 9000 }')]:
      '6:19: exchange.port: port is 9000, but venue.base_url has port 9001; remove one',
    [trader('', '\n  - strategies/none.yaml')]:
      '6:5: strategies[0]: the strategy file strategies/none.yaml: no such file',
    [trader(`control: { socket: ${'a'.repeat(120)} }`)]: '6:20: control.socket: a socket',
    'venue: { profile: paper\nwallet: x': '2:1: not valid YAML: ',
  };
  const table = [
    ...Object.entries(endings).map(([lines, text]) => [text, trader(lines)] as const),
    ...Object.entries(files).map(([yaml, text]) => [text, yaml] as const),
  ];
  test.each(table)('%s', async (text, yaml) => {
    const error = await failure({ 'trader.yaml': yaml });
    expect(error.code).toBe('config_invalid');
    expectStart(error, `trader.yaml:${text}`);
  });

  test('what is wrong in several files and layers comes all at once, file by file', async () => {
    const error = await failure({
      'trader.yaml': trader('max_loss_day: "25"\npolling: { hot_interval_ms: 5 }', '[b.yaml, a.yaml]').replace(
        'profile: paper',
        'profile: wrom',
      ),
      'a.yaml': 'strategy: log-ods-maker\nmarkets: { select: { state: opened } }',
      'b.yaml':
        'strategy: log-odds-maker\norder_shares: "25"\nparams: { half_spred_ticks: 2 }\nrisk: { max_position_shares: "600" }',
    });
    const shown = error.message.split('\n').map((line) => line.replace(/; shipped .*/, ''));
    expect(shown).toEqual([
      expect.stringMatching(
        /^trader.yaml:1:19: venue.profile: no venue profile 'wrom'; did you mean 'worm', a live venue/,
      ),
      "trader.yaml:6:1: unknown key 'max_loss_day' here; it belongs under risk",
      expect.stringMatching(/^trader.yaml:7:29: polling.hot_interval_ms: wants a whole number from 100/),
      "b.yaml:2:1: unknown key 'order_shares' here; it belongs under params",
      "b.yaml:3:11: params: unknown parameter 'half_spred_ticks'; did you mean half_spread_ticks?",
      'b.yaml:4:30: risk.max_position_shares: max_position_shares is "600", but a strategy may only tighten the trader\'s limit: at most "500"',
      "a.yaml:1:11: strategy: no shipped strategy 'log-ods-maker'; did you mean 'log-odds-maker'?",
      expect.stringMatching(
        /^a.yaml:2:29: markets.select.state: wants .* got the text "opened"; did you mean "open"\?$/,
      ),
    ]);
  });

  test.each([
    ['wrom', /did you mean 'worm', a live venue with real money, on which this program was never run \('paper' is/],
    ['papre', /did you mean 'paper'\?$/],
    ['elsewhere', /shipped profiles are paper or worm; or write the path/],
  ])('a venue profile %s sends no operator to a venue with real money without a warning', async (name, text) =>
    expect((await failure({ 'trader.yaml': ofVenue(name) })).message).toMatch(text),
  );

  test.each([
    ['a folder', '.', 'is a folder, not a file'],
    ['a missing file', 'nothing.yaml', 'no such file'],
  ])('%s', async (_, path, text) => {
    await expect(loadConfig(path, { env: {}, cwd: folderOf({}) })).rejects.toThrow(text);
  });
});

describe('a strategy file', () => {
  const withStrategy = (yaml: string, more: Readonly<Record<string, string>> = {}) => ({
    'trader.yaml': trader('', '[s/mine.yaml]'),
    's/mine.yaml': yaml,
    ...more,
  });
  const table: Readonly<Record<string, string>> = {
    'params: { order_shares: 25 }': '2:25: params.order_shares: got 25, wanted shares as a decimal string from',
    'risk: { max_loss_day: "5" }': "2:9: risk: unknown key 'max_loss_day'",
    'markets: { ids: [a], select: { state: open } }': '2:22: markets: either ids or select, not both; remove one',
    'markets: { ids: [a, b, a] }': '2:24: markets.ids[2]: this market is twice in the list',
    'markets: { ids: [a, b, c], max: 2 }': '2:17: markets.ids: 3 ids, but max is 2; raise max, or set candidates to 3',
    'markets: { max: 9, candidates: 5 }': '2:32: markets.candidates: wants at least max (9), got 5',
    'markets: { select: { min_spread: 0.2, max_spread: 0.1 } }':
      '2:34: markets.select.min_spread: wants at most max_spread (0.1), got 0.2',
    'schedule: { quote_hours: "8-22" }': '2:26: schedule.quote_hours: wants six cron fields',
    'strategy: ./mine.ts': '1:11: strategy: ',
  };
  test.each(Object.entries(table))('with %j is refused at its place', async (yaml, text) => {
    const head = yaml.startsWith('strategy:') ? '' : 'strategy: log-odds-maker\n';
    expectStart(await failure(withStrategy(head + yaml)), `s/mine.yaml:${text}`);
  });

  const own = (body: string) => withStrategy('strategy: ./own.ts', { 's/own.ts': body });
  test.each([
    ['a syntax error', 'export default {\n  name: 3;\n};', /own\.ts: syntax error at line 2, column 10: /],
    ['no default export', 'export const a = 1;', /own\.ts is not a strategy: the module has no default export/],
    ['another shape', 'export default { name: "x" };', /own\.ts is not a strategy: summary must be text/],
    ['a throw', 'throw new Error("boom");', /own\.ts: threw while loading: Error: boom/],
    ['an await outside of functions', 'const a = await 1; export default a;', /own\.ts: uses await at its top level;/],
    ['an import of nothing', 'import "no-such-package-here";', /own\.ts: threw while loading: .*no-such-package-here/],
  ])('whose own module has %s is refused at its place', async (_, body, message) => {
    const error = await failure(own(body));
    expect(error.message).toMatch(/^s\/mine\.yaml:1:11: strategy: /);
    expect(error.message).toMatch(message);
  });

  test('may name its own TypeScript module, which declares parameters', async () => {
    const body = `import { defineStrategy, NO_QUOTES } from 'twinbook/strategy';
const unit: string = 'ticks';
export default defineStrategy({
  name: 'mine',
  summary: 'Never quotes.',
  params: { width_ticks: { kind: 'integer', unit, min: 1, max: 9, default: 3, help: 'Width.' } },
  create: () => ({ quote: () => NO_QUOTES('never') }),
});
`;
    const [strategy] = (await load(folderOf(own(body)))).strategies;
    const named = { name: 'mine', moduleName: './own.ts', module: { name: 'mine' } };
    expect(strategy).toMatchObject({ ...named, params: { width_ticks: 3 }, quoteHours: null });
  });

  test('tightens limits and keeps the others', async () => {
    const config = await load(folderOf(withStrategy('strategy: bands\nrisk: { max_position_shares: "200" }')));
    expect(config.strategies[0]?.risk).toEqual({ ...config.risk, maxPositionSharesMicros: 200_000_000 });
  });

  test('needs a name of its own', async () => {
    const error = await failure({
      'trader.yaml': trader('', '[a/same.yaml, b/same.yaml]'),
      'a/same.yaml': 'strategy: bands',
      'b/same.yaml': 'strategy: bands',
    });
    expect(error.message).toMatch(/^trader\.yaml:5:27: strategies\[1\]: two strategy files are named 'same'/);
  });

  test('that is broken does not keep emergency commands from reading the trader file', () => {
    const folder = folderOf(withStrategy('strategy: 5'));
    expect(loadTraderConfig('trader.yaml', { env: {}, cwd: folder }).ledger.path).toBe(join(folder, 'twinbook.sqlite'));
  });
});

const PAPER = { service_name: 'SVC', header_prefix: 'SVC', draft_message: 'utf8', draft_lifetime_s: 60 };

describe('what is read', () => {
  test('is resolved, defaulted and frozen through and through', async () => {
    const folder = folderOf({ 'trader.yaml': trader('exchange: {}') });
    const config = await load(folder);
    expect(config).toMatchObject({
      file: join(folder, 'trader.yaml'),
      capitalMicros: 1_000_000_000,
      wallet: { file: join(folder, 'wallet.json'), credentials: join(folder, 'credentials.json') },
      ledger: { path: join(folder, 'twinbook.sqlite') },
      control: { socket: join(folder, 'twinbook.sqlite.sock') },
      exchange: { embedded: true, port: 0, crowd: true, controls: false, startingFundsMicros: 10_000_000_000 },
      venue: { name: 'paper', allowBlindSigning: false, profile: PAPER },
    });
    expect([Object.isFrozen(config), Object.isFrozen(config.venue.profile.rate_limits)]).toEqual([true, true]);
  });

  test('takes the embedded exchange’s port from an address given beside it', async () => {
    const yaml = trader('exchange: {}').replace('profile: paper', 'profile: paper, base_url: "http://127.0.0.1:9001"');
    expect((await load(folderOf({ 'trader.yaml': yaml }))).exchange?.port).toBe(9001);
  });

  test('a ledger by any name has one stop file, heartbeat and socket beside it, before it is there too', () => {
    const folder = folderOf({
      'trader.yaml': trader(),
      'other.yaml': trader().replace('twinbook.sqlite', 'real/l.sqlite'),
    });
    const load = (file: string) => loadTraderConfig(file, { env: {}, cwd: folder });
    symlinkSync('between.sqlite', join(folder, 'twinbook.sqlite'));
    symlinkSync(join(folder, 'real/l.sqlite'), join(folder, 'between.sqlite'));
    const { ledger, control } = load('other.yaml');
    expect(load('trader.yaml')).toMatchObject({ ledger, control });
    mkdirSync(join(folder, 'real'));
    writeFileSync(ledger.path, '');
    expect(load('trader.yaml').ledger).toEqual(ledger);
    rmSync(ledger.path);
    symlinkSync('l.sqlite', ledger.path);
    expect(load('other.yaml').ledger).toEqual(ledger);
  });

  test('a ledger in a deep folder has its socket in /tmp', async () => {
    const folder = folderOf({ 'trader.yaml': trader().replace('twinbook.sqlite', `${'deep/'.repeat(20)}t.sqlite`) });
    expect((await load(folder)).control.socket).toMatch(/^\/tmp\/twinbook-[0-9a-f]{16}\.sock$/);
  });

  test('has a hash that follows what shapes decisions, and nothing else', async () => {
    const hash = async (yaml: string) => (await load(folderOf({ 'trader.yaml': yaml }))).configHash;
    const plain = await hash(trader());
    expect(plain).toMatch(/^[0-9a-f]{64}$/);
    expect(await hash(trader('log: { level: debug }'))).toBe(plain);
    expect(await hash(trader().replace('wallet.json', 'other.json'))).toBe(plain);
    expect(await hash(trader('risk: { max_loss_day: "25" }'))).not.toBe(plain);
    expect(await hash(trader().replace('"1000"', '"999"'))).not.toBe(plain);
  });
});

describe('overrides from the environment', () => {
  const folder = () => folderOf({ 'trader.yaml': trader('exchange: {}\nrisk: { max_loss_day: "50" }') });

  test('set numbers, texts, booleans, nulls and lists, whatever the case of their names', async () => {
    const cwd = folder();
    const config = await load(cwd, {
      TWINBOOK__RISK__MAX_LOSS_DAY: '25',
      twinbook__risk__Max_Open_Orders: '7',
      TWINBOOK__EXCHANGE__CROWD: 'false',
      TWINBOOK__SCHEDULE__RECONCILE: 'null',
      TWINBOOK__EXCHANGE__MARKET_DATA: 'a/b.gz, /c.parquet',
      TWINBOOK__LEDGER__PATH: 'other.sqlite',
      TWINBOOK__VENUE__PROFILE: 'paper',
      UNRELATED: 'x',
    });
    expect(config).toMatchObject({
      risk: { maxLossDayMicros: 25_000_000, maxOpenOrders: 7 },
      exchange: { crowd: false, marketData: [join(cwd, 'a/b.gz'), '/c.parquet'] },
      schedule: { reconcile: null },
      ledger: { path: join(cwd, 'other.sqlite') },
    });
  });

  test('are kept in a copy, with paths relative to the working folder and not to the file', async () => {
    const cwd = folderOf({ 'sub/trader.yaml': trader() });
    const env = { TWINBOOK__LEDGER__PATH: './x.sqlite', TWINBOOK__JOURNAL__DIR: 'runs' };
    const config = await loadConfig('sub/trader.yaml', { env, cwd });
    expect(config.ledger.path).toBe(join(cwd, 'x.sqlite'));
    expect(config.journal.dir).toBe(join(cwd, 'runs'));
    expect(config.wallet.file).toBe(join(cwd, 'sub/wallet.json'));
    const elsewhere = { env: { TWINBOOK__CAPITAL: '8' }, cwd: '/', copy: config.texts };
    expect(await loadConfig(config.file, elsewhere)).toEqual(config);
  });

  test('an empty list empties', async () =>
    expect((await load(folder(), { TWINBOOK__EXCHANGE__MARKET_DATA: '' })).exchange?.marketData).toEqual([]));

  const wrong: readonly (readonly [name: string, value: string, message: string])[] = [
    ['TWINBOOK__RISK__MAX_LOS_DAY', '25', "risk: unknown key 'max_los_day'; did you mean 'max_loss_day'?"],
    ['TWINBOOK__RISK', '25', 'risk is a group; name one of its settings: '],
    ['TWINBOOK__CAPITAL__X', '25', 'capital: has no settings inside'],
    [
      'TWINBOOK__RISK__MAX_OPEN_ORDERS',
      'many',
      'risk.max_open_orders: wants a whole number from 1 to 10000, got the text "many"',
    ],
    ['TWINBOOK__WALLET__CREDENTIALS', 'null', 'wallet.credentials: wants a text, got nothing'],
    ['TWINBOOK__RISK__CONSTRUCTOR', '1', "risk: unknown key 'constructor'"],
  ];
  test.each(wrong)('%s=%s is refused by name', async (name, value, text) => {
    expectStart(await failure({ 'trader.yaml': trader() }, { [name]: value }), `environment ${name}: ${text}`);
  });

  test('the same setting twice is refused', async () => {
    const error = await failure({ 'trader.yaml': trader() }, { TWINBOOK__CAPITAL: '1', twinbook__capital: '2' });
    expect(error.message).toContain('which TWINBOOK__CAPITAL sets too');
  });
});

it.each([
  ['free', traderSchema, 'merge.min_shares economics.request_price'],
  ['limit', traderSchema, 'capital risk.max_fills strategies'],
  ['restart', traderSchema, 'polling.marks no.such'],
  ['free', strategyFileSchema, 'markets.select.state params schedule.quote_hours'],
  ['limit', strategyFileSchema, 'risk'],
  ['reason', strategyFileSchema, 'strategy'],
] as const)('the class %s has its settings', (wanted, schema, settings) => {
  for (const setting of settings.split(' ')) expect(liveClass(schema, setting), setting).toBe(wanted);
});

test.each([
  ['feeds: { f: { kind: child, max_age_s: %, command: [./f, "https://u:p4ss@h/x"] } }', 'feeds: [{'],
  ['dashboard: { stop_password_file: p4ss%.txt }\njournal: { max_mb: 1% }', 'journal.max_mb: 160 → 161'],
])('a changed secret is a change, whose text has stars: %s', async (yaml, change) => {
  const of = (lines: string) => load(folderOf({ 'trader.yaml': trader(lines) }));
  const [one, two] = [await of(yaml.replaceAll('%', '60')), await of(yaml.replaceAll('%', '61'))];
  const without = await of('');
  expect(configChanges(one, two).map(({ text }) => text)).toContainEqual(expect.stringContaining(change));
  for (const changes of [configChanges(one, two), configChanges(one, without), configChanges(without, two)]) {
    const texts = changes.map(({ text }) => text);
    expect(texts.join()).toContain('********');
    expect(texts.join()).not.toContain('p4ss');
  }
});
