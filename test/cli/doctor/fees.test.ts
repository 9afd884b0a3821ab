import { describe, expect, onTestFinished, test } from 'vitest';
import { ServiceClient } from '../../../src/shell/client/client.js';
import { loadConfig } from '../../../src/shell/config/load.js';
import { refuseWrongFees } from '../../../src/shell/daemon/session.js';
import { trader } from '../../shell/config/files.js';
import { folderOf, makerYaml } from '../../support/folders.js';
import { listeningWeb } from '../../support/listening.js';

/** A venue that serves only lists: one open market, whose takers paid 0.02 of price x (1 - price) x shares. */
async function venue(): Promise<string> {
  const trades = Array.from({ length: 100 }, (_, i) => {
    const price = (1 + (i % 99)) / 100;
    const amount = 20 + i;
    const taker_fee = (Math.ceil(0.02 * price * (1 - price) * amount * 1e6 - 1e-6) / 1e6).toFixed(6);
    const row = { market_condition_id: 'M', amount: `${amount}`, price: price.toFixed(2), taker_fee, maker_fee: '0' };
    return { ...row, timestamp: 1_700_000_000 + i, state: 'done', is_yes: true };
  });
  const { url } = await listeningWeb((request, response) => {
    const data = request.url?.startsWith('/markets/M/trades/') === true ? trades : [];
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ data, meta: { limit: 100, next_cursor: null }, error: null }));
  });
  return url;
}

describe('a trader on a venue that is not its own', () => {
  const starting = async (schedule: string) => {
    const baseUrl = await venue();
    const own = `profile: paper, base_url: "${baseUrl}", fee_schedule: ${schedule}`;
    const text = trader('', '[maker.yaml]').replace('profile: paper', own);
    const cwd = folderOf({ 'trader.yaml': text, 'maker.yaml': makerYaml('{ ids: [M] }') });
    const config = await loadConfig('trader.yaml', { env: {}, cwd });
    const client = new ServiceClient({ profile: config.venue.profile, baseUrl });
    onTestFinished(() => client.close());
    return refuseWrongFees(client, config);
  };

  test('does not begin where trades contradict the declared fees', () =>
    expect(starting('notional')).rejects.toThrow(/market M: .* variance, but fee_schedule is notional/));

  test('begins where they do not', () => expect(starting('variance')).resolves.toBeUndefined());
});
