import { describe, expect, it } from 'vitest';
import { type Answered, control, openMarket, send, sendJson, startTestExchange, TestTrader } from './harness.js';
import { sharedExchange } from './shared-exchange.js';

const { url: base } = await sharedExchange();
const trader = await TestTrader.join(base);

const field = (answer: Answered) => ({
  status: answer.status,
  fields: answer.error?.details.map((row) => Object.keys(row)[0]),
});

describe('the paper controls', () => {
  it('are not there without --controls', async () => {
    const plain = await startTestExchange({ controls: false });
    const answer = await sendJson(plain.url, 'POST', '/paper/clock/', { advance_s: 1 });
    expect(answer).toMatchObject({ status: 404, slug: 'not_found' });
    await plain.close();
  });

  it('are closed to web pages', async () => {
    for (const headers of [{ origin: 'https://example.com' }, { 'sec-fetch-site': 'cross-site' }]) {
      const call = { headers: { ...headers, 'content-type': 'application/json' }, body: '{"advance_s":1}' };
      expect(await send(base, 'POST', '/paper/clock/', call)).toMatchObject({ status: 403, slug: 'permission_denied' });
    }
  });

  it('validate like every other call', async () => {
    const bad: [string, object, string][] = [
      ['/clock/', { advance_s: -1 }, 'advance_s'],
      ['/clock/', { advance_s: '5' }, 'advance_s'],
      ['/markets/', { config: { kind: 'casino' } }, 'config.kind'],
      ['/markets/', { config: { kind: 'orderbook', min_price: 0.1 } }, 'config.min_price'],
      ['/markets/', { category: 'weather' }, 'category'],
      [`/accounts/${trader.wallet}/deposit/`, { funds: '-5' }, 'funds'],
      [`/accounts/${trader.wallet}/`, {}, 'custodial'],
      ['/signing-service/', { available: 1 }, 'available'],
      ['/markets/unknown/reference-price/', { price: 'x' }, 'price'],
    ];
    for (const [path, body, name] of bad)
      expect(field(await control(base, path, body)), path).toEqual({ status: 400, fields: [name] });
    expect(await control(base, '/markets/unknown/resolve/', { is_yes: true })).toMatchObject({ slug: 'not_found' });
    expect(await control(base, '/accounts/unknown/deposit/', { funds: '5' })).toMatchObject({ slug: 'not_found' });
  });

  it('change nothing of a market when its state is refused', async () => {
    const id = await openMarket(base, {});
    const answer = await control(base, `/markets/${id}/state/`, { state: 'resolved', paused: true });
    expect(field(answer)).toEqual({ status: 400, fields: ['state'] });
    const order = { market_condition_id: id, is_yes: true, side: 'buy', order_type: 'market', funds: '5' };
    expect(await trader.call('POST', '/orders/', order)).toMatchObject({ status: 201 });
    expect(field(await control(base, `/markets/${id}/state/`, {}))).toEqual({ status: 400, fields: ['state'] });
  });

  it('deposit funds and show them', async () => {
    const { row } = await control(base, `/accounts/${trader.wallet}/deposit/`, { funds: '12.5' });
    expect(row).toMatchObject({ funds: { total: '10012.5' } });
  });

  it.each(['polymarket', 'hyperliquid'])('fill what the rules of a %s market leave out', async (kind) => {
    const rules = {
      kind,
      opening_fee: '0.02',
      min_price: '0.01',
      colour: 'blue',
      ...(kind === 'hyperliquid' ? { shares_decimals: 2 } : {}),
    };
    const made = await control(base, '/markets/', { config: rules });
    expect(made.row).toMatchObject({ state: 'open', margin_enabled: true });
    expect(made.row['config']).toMatchObject({ kind, opening_fee: '0.02', max_leverage_yes: '5', closing_fee: '0.01' });
    // Fields that the kind does not have are not shown.
    const decimals = kind === 'polymarket' ? ['price_decimals', 'shares_decimals'] : [];
    const fees = ['annual_fee_rate', 'closing_fee', 'kind', 'max_leverage_no', 'max_leverage_yes', 'opening_fee'];
    expect(Object.keys(Object(made.row['config'])).sort()).toEqual([...fees, ...decimals]);
  });

  it('create markets with the rules and texts that they are given', async () => {
    const id = await openMarket(base, {
      title: 'Wer gewinnt?',
      event: { title: 'Finale' },
      category: 'sports',
      description: null,
      margin_enabled: false,
      outcomes: [
        { is_yes: true, text: 'Wir' },
        { is_yes: false, text: 'Die anderen' },
      ],
      resolution_date: 1_900_000_000,
      config: {
        price_precision: 2,
        amount_precision: 1,
        min_amount: '5',
        taker_fee_rate: '0.02',
        default_slippage_rate: '0.05',
      },
    });
    const { row } = await send(base, 'GET', `/markets/${id}/`);
    expect(row).toMatchObject({
      title: 'Wer gewinnt?',
      event: { title: 'Finale' },
      category: 'sports',
      state: 'open',
      yes_outcome_label: 'Wir',
      no_outcome_label: 'Die anderen',
      resolution_date: 1_900_000_000,
      config: { kind: 'orderbook', price_precision: 2, amount_precision: 1, min_amount: '5', taker_fee_rate: '0.02' },
    });
    const again = await control(base, '/markets/', { condition_id: id });
    expect(field(again)).toEqual({ status: 400, fields: ['condition_id'] });
  });

  it('create markets with the fees that a detail has', async () => {
    const made = async (body: object) => (await control(base, '/markets/', body)).row;
    const fees = { maker_fee: '0.01', taker_fee: '0.02' };
    expect(await made(fees)).toMatchObject({ ...fees, config: { maker_fee_rate: '0.01', taker_fee_rate: '0.02' } });
    expect(await made({ ...fees, config: { taker_fee_rate: '0.03' } })).toMatchObject({ ...fees, taker_fee: '0.03' });
    expect(await made({ maker_fee: null, config: { kind: 'hyperliquid' } })).toMatchObject({ maker_fee: null });
    expect(field(await control(base, '/markets/', { maker_fee: '2' }))).toEqual({ status: 400, fields: ['maker_fee'] });
  });
});
