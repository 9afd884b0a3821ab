import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/shell/config/shipped.js';
import { trader } from '../shell/config/files.js';
import { folderOf } from '../support/folders.js';
import { run } from './run.js';

describe('config', () => {
  test('check says that a configuration is usable, with its hash', async () => {
    const ran = await run(['config', 'check'], { cwd: packageRoot });
    expect(ran).toMatchObject({ code: 0, err: '' });
    expect(ran.out).toMatch(/config\/paper\.yaml: ok, 1 strategy file, hash [0-9a-f]{12}\n$/);
  });

  test('show spells settings as a file does, money as decimal strings', async () => {
    const cwd = folderOf({
      'trader.yaml': trader('risk: { max_loss_day: "12.5" }', '[s.yaml]'),
      's.yaml': 'strategy: log-odds-maker\nparams: { order_shares: "7.5" }',
    });
    const shown: unknown = JSON.parse((await run(['config', 'show', '-c', 'trader.yaml'], { cwd })).out);
    expect(shown).toMatchObject({
      capital: '1000',
      risk: { max_loss_day: '12.5', max_open_orders: 40 },
      polling: { own_interval_ms: 1000 },
      strategies: [{ name: 's', strategy: 'log-odds-maker', params: { order_shares: '7.5', half_spread_ticks: 2 } }],
    });
  });

  test('show masks whatever is named like a secret, and passwords in addresses', async () => {
    const module = `import { defineStrategy, NO_QUOTES } from 'twinbook/strategy';
const choice = (value) => ({ kind: 'choice', choices: [value], default: value, help: 'A canary.' });
export default defineStrategy({
  name: 'canary',
  summary: 'Never quotes.',
  params: { feed_password: choice('hunter2canary'), feed_url: choice('https://me:hunter3canary@example.org/') },
  create: () => ({ quote: () => NO_QUOTES('never') }),
});`;
    const cwd = folderOf({
      'trader.yaml': trader('', '[s.yaml]'),
      's.yaml': 'strategy: ./canary.ts',
      'canary.ts': module,
    });
    const { code, out } = await run(['config', 'show', '-c', 'trader.yaml'], {
      cwd,
      env: { TWINBOOK_API_SECRET: 'hunter4canary', TWINBOOK_WALLET_PASSPHRASE: 'hunter5canary' },
    });
    expect(code).toBe(0);
    expect(out).toContain('"feed_password": "********"');
    expect(out).toContain('https://********@example.org/');
    expect(out).not.toMatch(/hunter\dcanary/);
  });

  test('explain lists every setting, or those that are asked for, as a table and as JSON', async () => {
    const all = await run(['config', 'explain']);
    expect(all.out).toMatch(
      /^In a trader file:\n\nSETTING +WANTS +DEFAULT +MEANING\nvenue\.profile +a text +must be given /,
    );
    expect(all.out).toMatch(/\npolling\.hot_interval_ms +a whole number from 100 to 60000 +500 +Shortest/);
    expect(all.out).toMatch(/\nIn a strategy file:\n[\s\S]*\nschedule\.quote_hours +a text or null +null +Times/);
    const risk: unknown = JSON.parse((await run(['config', 'explain', 'max_loss_day', '--json'])).out);
    expect(risk).toEqual([
      {
        file: 'trader',
        setting: 'risk.max_loss_day',
        kind: 'a decimal string',
        default: '"50"',
        meaning: expect.stringContaining('in one UTC day that halts trading'),
      },
    ]);
    expect(await run(['config', 'explain', 'zebra'])).toMatchObject({ code: 2, out: '' });
  });

  test('schema is the JSON Schema of both kinds of files and of every shipped strategy', async () => {
    const schema: unknown = JSON.parse((await run(['config', 'schema'])).out);
    expect(schema).toMatchObject({
      trader: { type: 'object', additionalProperties: false, properties: { capital: { type: 'string' } } },
      strategy: { properties: { strategy: { type: 'string' } } },
      params: { 'log-odds-maker': { properties: { half_spread_ticks: { type: 'integer' } } } },
    });
  });

  test('strategies lists them with parameters, units and ranges', async () => {
    expect((await run(['strategies'])).out).toMatch(/^half_spread_ticks +ticks +1 to \d+ +2 +\S/m);
    const rows: unknown = JSON.parse((await run(['strategies', '--json'])).out);
    expect(rows).toContainEqual(expect.objectContaining({ name: 'bands', params: expect.any(Array) }));
  });
});
