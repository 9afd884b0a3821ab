import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OrderRow } from '../../../src/shared/protocol/records.js';
import type { SafeOptions } from '../../../src/shell/client/client.js';
import { type ClientNotice, NotDone, OutcomeUnknown, ServiceRefused } from '../../../src/shell/client/contract.js';
import type { Message } from '../../../src/shell/client/message.js';
import type { Sender } from '../../../src/shell/client/transport.js';
import { collected } from '../../support/collected.js';
import { orderBody } from './fixture.js';
import { refusal } from './hostile-server.js';
import { type Fate, type LossyNetwork, type Paper, startPaper, thrownBy } from './paper.js';

type Attempt = Awaited<ReturnType<Sender['send']>>;

const QUICK: SafeOptions = { pollMs: 1, withinMs: 5_000 };

const bid = { ...orderBody, side: 'buy', order_type: 'limit' } as const;
const buying = (market: string) => ({ ...bid, market_condition_id: market });

const NO = refusal('invalid_request_params', 'No.');
/** An order's numbers as sent over HTTP. */
const WIRE = { price: '0.42', amount: '10', remaining_amount: '0', filled_amount: '0' };

const isSubmit = ({ url }: Message) => url.pathname.endsWith('/submit/');
const isDraft = ({ method, url }: Message) => method === 'POST' && url.pathname === '/orders/';
const submitsIn = ({ network }: Paper) => network.carried.filter((line) => line.endsWith('/submit/')).length;

const ordersOf = ({ client }: Paper): Promise<OrderRow[]> => collected(client.orders.all());

/** The answer with a change to its body. */
function rewritten(attempt: Attempt, change: (text: string) => string): Attempt {
  return attempt.kind === 'answer' && attempt.text !== null ? { ...attempt, text: change(attempt.text) } : attempt;
}

describe('a safe call', () => {
  it('redeems by the draft of an earlier call whose answer was lost', async () => {
    const { client, network, wallet, control, openMarket } = await startPaper();
    const market = await openMarket();
    await client.split(wallet, { market_condition_id: market, amount: '5' }, QUICK);
    await control(`/markets/${market}/resolve/`, { is_yes: true });
    network.fateOf = ({ method }) => (method === 'POST' ? 'answer lost' : 'arrives');
    expect(await thrownBy(client.redeem(wallet, market, QUICK))).toMatchObject({ name: 'OutcomeUnknown' });
    network.fateOf = () => 'arrives';
    expect(await client.redeem(wallet, market, QUICK)).toMatchObject({ state: 'completed', onchain_funds: 5_000_000 });
  });

  it('places market orders by funds and by amount', async () => {
    const { client, wallet, openMarket } = await startPaper();
    const market = await openMarket();
    await client.split(wallet, { market_condition_id: market, amount: '20' }, QUICK);
    const head = { market_condition_id: market, is_yes: true, order_type: 'market' } as const;
    const sold = await client.place(wallet, { ...head, side: 'sell', amount: '3' }, QUICK);
    expect(sold).toMatchObject({ status: 'canceled', side: 'sell' });
    const bought = await client.place(wallet, { ...head, side: 'buy', funds: '3' }, QUICK);
    expect(bought).toMatchObject({ status: 'canceled', side: 'buy', funds: 3_000_000 });
  });

  it('resolves a cancel of an order that is over without another word', async () => {
    const { client, wallet, network, openMarket } = await startPaper();
    const { pubkey } = await client.place(wallet, buying(await openMarket()), QUICK);
    await client.cancel(wallet, pubkey ?? '', QUICK);
    const before = network.carried.length;
    expect(await client.cancel(wallet, pubkey ?? '', QUICK)).toMatchObject({ status: 'canceled' });
    expect(network.carried.length - before).toBe(1);
  });

  it('throws what the draft was refused with, and made nothing', async () => {
    const paper = await startPaper();
    const order = { ...buying(await paper.openMarket()), amount: '1000000' };
    const error = await thrownBy(paper.client.place(paper.wallet, order, QUICK));
    expect(error).toBeInstanceOf(ServiceRefused);
    expect(error).toMatchObject({ endpoint: 'orders.create' });
    expect(await ordersOf(paper)).toEqual([]);
  });

  it('throws before anything leaves for a number that is none', async () => {
    const paper = await startPaper();
    const order = { ...buying('m'), price: '0.1234567' };
    const before = paper.network.carried.length;
    expect(await thrownBy(paper.client.place(paper.wallet, order, QUICK))).toMatchObject({ code: 'usage' });
    expect(paper.network.carried).toHaveLength(before);
  });
});

it.each<[string, (text: string) => string, string]>([
  ['another price', (text) => text.replace('Price: 0.42', 'Price: 0.92'), 'price: the draft says 0.92'],
  ['another side', (text) => text.replace('Side: buy', 'Side: sell'), 'side: the draft says sell'],
  ['another action', (text) => text.replace('place-order', 'cancel-order'), 'readable draft'],
  ['a far expiry', (text) => text.replace(/Expires: \d+/, 'Expires: 99999999999'), 'expires in'],
])('a draft that says something else (%s) is not signed', async (_, change, reason) => {
  const paper = await startPaper();
  paper.network.answered = (message, attempt) => (isDraft(message) ? rewritten(attempt, change) : attempt);
  const error = await thrownBy(paper.client.place(paper.wallet, buying(await paper.openMarket()), QUICK));
  if (!(error instanceof NotDone)) throw new Error('it was done');
  expect(error).toMatchObject({ why: 'not_signed', pubkey: expect.any(String) });
  expect(error.reason).toContain(reason);
  expect(submitsIn(paper)).toBe(0);
});

describe('a submit whose answer is lost', () => {
  const OPEN = { resolved: { status: 'open' } };
  const UNKNOWN = { name: 'OutcomeUnknown', sent: true, mayHaveHappened: true, record: { status: 'waiting_to_sign' } };
  const REFUSED = { name: 'ServiceRefused', slug: 'invalid_request_params' };
  // The service executed it and then denies it: the record is right.
  const LIE = refusal('invalid_program_call_status', 'No.');

  /** The fates of submits, the last for all further ones. */
  const meeting =
    (...fates: Fate[]) =>
    (network: LossyNetwork) => {
      const next = () => (fates.length > 1 ? fates.shift() : fates[0]) ?? 'arrives';
      network.fateOf = (message) => (isSubmit(message) ? next() : 'arrives');
    };
  const denied = (network: LossyNetwork, text = LIE, behind = 0) => {
    let left = behind;
    network.answered = (message, attempt) => {
      if (isSubmit(message) && attempt.kind === 'answer') return { ...attempt, status: 400, text };
      if (message.method !== 'GET' || left-- <= 0) return attempt;
      return rewritten(attempt, (row) => row.replace('"open"', '"waiting_to_sign"'));
    };
  };
  const neverDone = (network: LossyNetwork) => {
    const { send } = network;
    network.send = async (message, headers, timeoutMs) =>
      isSubmit(message)
        ? { kind: 'answer', status: 400, header: () => null, text: NO }
        : send.call(network, message, headers, timeoutMs);
  };

  it.each<[string, (network: LossyNetwork) => void, object, number]>([
    ['is settled by the record, not by another submit', meeting('answer lost'), OPEN, 1],
    ['is sent again while the record waits, under the same draft', meeting('lost', 'never leaves', 'arrives'), OPEN, 2],
    ['ends as an OutcomeUnknown that names the record when every submit is lost', meeting('lost'), UNKNOWN, 3],
    ['is believed refused only as far as the record agrees', denied, OPEN, 1],
    ['is not believed refused while the record may be behind', (network) => denied(network, NO, 1), OPEN, 1],
    ['throws the refusal where the record waits, however often it is read', neverDone, REFUSED, 0],
  ])('%s', async (_, arrange, expected, submits) => {
    const paper = await startPaper();
    arrange(paper.network);
    const result = await thrownBy(paper.client.place(paper.wallet, buying(await paper.openMarket()), QUICK));
    expect(result).toMatchObject(expected);
    expect(submitsIn(paper)).toBe(submits);
    const [order, ...others] = await ordersOf(paper);
    expect(others).toEqual([]);
    if (result instanceof OutcomeUnknown) expect(order?.pubkey).toBe(result.pubkey);
  });

  it('is told to have done nothing once the draft is expired, and that was seen twice', async () => {
    const paper = await startPaper();
    const market = await paper.openMarket();
    let looks = 0;
    paper.network.fateOf = (message) => (isSubmit(message) ? 'lost' : 'arrives');
    paper.network.answered = async (message, attempt) => {
      if (isDraft(message)) await paper.control('/clock/', { advance_s: 120 });
      // The clock's step costs one more read, which the client retries.
      if (message.method === 'GET' && attempt.kind === 'answer' && attempt.status === 200) looks += 1;
      return attempt;
    };
    const error = await thrownBy(paper.client.place(paper.wallet, buying(market), QUICK));
    expect(error).toBeInstanceOf(NotDone);
    expect(error).toMatchObject({ why: 'expired', record: { status: 'expired' } });
    expect(looks).toBe(2);
  });

  it('is not settled by the row of another order', async () => {
    const { client, wallet, network, openMarket } = await startPaper();
    const market = await openMarket();
    const { pubkey } = await client.place(wallet, buying(market), QUICK);
    await client.cancel(wallet, pubkey ?? '', QUICK);
    const resting = await client.place(wallet, buying(market), QUICK);
    const name = resting.pubkey ?? '';
    // The canceled order's row for every request about the resting one.
    const other = JSON.stringify({ data: { ...resting, ...WIRE, pubkey, status: 'canceled' }, meta: {}, error: null });
    network.answered = (message, attempt) =>
      message.url.pathname.includes(name) && attempt.kind === 'answer' && attempt.status === 200
        ? { ...attempt, text: other }
        : attempt;
    expect(await thrownBy(client.cancel(wallet, name, QUICK))).toMatchObject({ name: 'OutcomeUnknown' });
    network.answered = (_, attempt) => attempt;
    expect(await client.orders.detail(name)).toMatchObject({ status: 'open' });
  });

  it('throws the refusal itself where the record says failed', async () => {
    const { client, wallet, network, control, openMarket } = await startPaper();
    const market = await openMarket();
    await client.split(wallet, { market_condition_id: market, amount: '10' }, QUICK);
    network.answered = async (message, attempt) => {
      if (isDraft(message)) await control(`/markets/${market}/state/`, { state: 'interrupted' });
      return attempt;
    };
    const error = await thrownBy(client.place(wallet, buying(market), QUICK));
    expect(error).toMatchObject({ name: 'ServiceRefused', slug: 'order_market_not_open' });
  });
});

it('a safe call whose clock is wrong signs its submit anew', async () => {
  const paper = await startPaper();
  const market = await paper.openMarket();
  let stepped = false;
  paper.network.answered = async (message, attempt) => {
    if (isDraft(message) && !stepped) await paper.control('/clock/', { advance_s: 50 });
    stepped = true;
    return attempt;
  };
  expect(await paper.client.place(paper.wallet, buying(market), QUICK)).toMatchObject({ status: 'open' });
  expect(submitsIn(paper)).toBe(2);
});

it('a clock that jumps by five minutes is followed: reads go through, writes are refused once', async () => {
  const notices: ClientNotice[] = [];
  const paper = await startPaper({}, { onNotice: (notice) => notices.push(notice) });
  const { client, wallet, control } = paper;
  const order = buying(await paper.openMarket());
  await control('/clock/', { advance_s: 300 });
  expect((await client.orders.list()).rows).toEqual([]);
  expect(notices).toMatchObject([{ kind: 'clock_offset' }]);
  expect(await client.place(wallet, order)).toMatchObject({ status: 'open' });
  await control('/clock/', { advance_s: 300 });
  const { outcome } = await client.call('orders.create', { body: order });
  expect(outcome).toMatchObject({ kind: 'refused', slug: 'authentication_failed' });
  expect(await client.place(wallet, order)).toMatchObject({ status: 'open' });
  expect(notices).toHaveLength(2);
  expect(Math.abs((client.clockOffset?.offsetMs ?? 0) - 600_000)).toBeLessThan(1_500);
});

describe('landing', () => {
  it('is waited for until the time is over, then the record is handed on as it was', async () => {
    let passedMs = 0;
    const clock = { nowMs: Date.now, monotonicMs: () => performance.now() + passedMs };
    const paper = await startPaper({ landingMs: 1_000_000 }, { clock });
    const sets = { market_condition_id: await paper.openMarket(), amount: '5' };
    // The deadline passes right after the record was read, at any speed.
    paper.network.answered = ({ method, url }, attempt) => {
      if (method === 'GET' && url.pathname.startsWith('/share-splits/')) passedMs = 1e9;
      return attempt;
    };
    const error = await thrownBy(paper.client.split(paper.wallet, sets, { pollMs: 5, withinMs: 1e9 }));
    expect(error).toBeInstanceOf(OutcomeUnknown);
    expect(error).toMatchObject({ sent: true, record: { state: 'in_process' }, pubkey: expect.any(String) });
  });

  it('ends at once when the client is closed', async () => {
    const paper = await startPaper({ landingMs: 1_000_000 });
    const sets = { market_condition_id: await paper.openMarket(), amount: '5' };
    const error = thrownBy(paper.client.split(paper.wallet, sets, { pollMs: 1, withinMs: 1e9 }));
    while (submitsIn(paper) === 0) await new Promise(setImmediate);
    await paper.client.close();
    expect(await error).toMatchObject({ name: 'OutcomeUnknown', pubkey: expect.any(String) });
  });
});

it('under any losses an order exists once if it resolves, never if it is told not to, and where it is said to be if nobody knows', async () => {
  const paper = await startPaper();
  const fates = fc.array(fc.constantFrom<Fate>('arrives', 'answer lost', 'lost', 'never leaves'), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(fates, async (script) => {
      const market = await paper.openMarket();
      const left = [...script];
      // Reads are retried and change nothing: only lost writes matter.
      paper.network.fateOf = ({ method }) => (method === 'POST' ? (left.shift() ?? 'arrives') : 'arrives');
      const result = await thrownBy(paper.client.place(paper.wallet, buying(market), QUICK));
      paper.network.fateOf = () => 'arrives';
      const { rows } = await paper.client.orders.list({ market_condition_id: market });
      const resting = rows.filter(({ status }) => status === 'open');
      expect(rows.length).toBeLessThanOrEqual(1);
      if (result instanceof OutcomeUnknown) {
        if (result.pubkey !== null) expect(rows[0]?.pubkey).toBe(result.pubkey);
        else expect(resting).toEqual([]);
      } else if (result instanceof Error) expect(resting).toEqual([]);
      else expect(result).toEqual({ resolved: resting[0] });
    }),
    { numRuns: 60 },
  );
});
