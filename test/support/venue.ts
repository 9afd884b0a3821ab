/** An exchange's other users: a taker, the paper controls, and the exchange's expectation of a trader's ledger. */

import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { formatDecimal, type Micros, micros, parseDecimal, sub } from '../../src/shared/base/micros.js';
import { Random } from '../../src/shared/base/random.js';
import type { DataOf } from '../../src/shared/protocol/endpoints.js';
import type { OrderRow } from '../../src/shared/protocol/records.js';
import { RESTING_STATUSES } from '../../src/shared/protocol/states.js';
import { ServiceClient } from '../../src/shell/client/client.js';
import { readProfile } from '../../src/shell/config/config.js';
import { loadCredentials, openKeyFile } from '../../src/shell/wallet/key-file.js';
import { Wallet } from '../../src/shell/wallet/wallet.js';
import { openReadOnly } from '../../src/trader/ledger/ledger.js';

export const profile = readProfile('config/venues/paper.yaml', process.cwd());

/** For an exchange started with `--no-rate-limits`. */
export const UNLIMITED = {
  public: Number.POSITIVE_INFINITY,
  signed: Number.POSITIVE_INFINITY,
  bootstrap: Number.POSITIVE_INFINITY,
};

/** The funds that `twinbook exchange` gives a new account. */
const STARTING_FUNDS = micros(10_000_000_000);

/** Another account that buys alternately YES and NO, market by market. */
export class Taker {
  readonly #client: ServiceClient;
  readonly #wallet: Wallet;
  readonly #random: Random;
  #going = false;
  #done: Promise<void> = Promise.resolve();

  private constructor(client: ServiceClient, wallet: Wallet, seed: number) {
    this.#client = client;
    this.#wallet = wallet;
    this.#random = Random.fromSeed(seed, 'taker');
  }

  static async join(url: string, seed: number): Promise<Taker> {
    const wallet = new Wallet(new Uint8Array(32).fill(9));
    const client = new ServiceClient({ profile, baseUrl: url, budgets: UNLIMITED });
    await client.bootstrap(wallet);
    return new Taker(client, wallet, seed);
  }

  /** `everyMs` after each order: without a wait it would leave the trader no processor. */
  go(markets: readonly string[], everyMs: number): void {
    this.#going = true;
    this.#done = this.#take(markets, everyMs);
  }

  /** Waits until the next `go`. */
  async rest(): Promise<void> {
    this.#going = false;
    await this.#done;
  }

  async end(): Promise<void> {
    await this.rest();
    await this.#client.close();
  }

  async #take(markets: readonly string[], everyMs: number): Promise<void> {
    while (this.#going) {
      await this.#buy(markets[this.#random.below(markets.length)] ?? '');
      await pause(everyMs);
    }
  }

  async #buy(market: string): Promise<void> {
    const isYes = this.#random.chance(0.5);
    const funds = micros(1_000_000 * (1 + this.#random.below(6)));
    const order = { is_yes: isYes, side: 'buy', order_type: 'market', funds: formatDecimal(funds) } as const;
    const drafted = await this.#client.call('orders.create', { body: { market_condition_id: market, ...order } });
    if (drafted.outcome.kind !== 'answered') return;
    const { pubkey, message } = drafted.outcome.data;
    const terms = { action: 'place-order', isYes, side: 'buy', type: 'market', funds } as const;
    const stored = { intentId: 'x', marketConditionId: market, draftPubkey: pubkey, message, terms };
    const signer = { ...profile, allowBlindSigning: false, loadDraft: () => stored };
    const signed = this.#wallet.draftSigner(signer).sign('x');
    if (!signed.ok) throw new Error(signed.reason);
    await this.#client.call('orders.submit', { params: { pubkey }, body: { signature: signed.signature } });
  }
}

/** The ids of the exchange's markets, from its public list. */
export async function marketsOf(url: string): Promise<string[]> {
  const client = new ServiceClient({ profile, baseUrl: url, budgets: UNLIMITED });
  const { outcome } = await client.call('markets.list', {});
  await client.close();
  if (outcome.kind !== 'answered') throw new Error(JSON.stringify(outcome));
  return outcome.data.map(({ condition_id }) => condition_id);
}

/** A call of the exchange's controls; null as body reads. */
export async function paper(url: string, path: string, body: object | null = null): Promise<unknown> {
  const write = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(`${url}/paper${path}`, body === null ? {} : write);
  const answer = (await response.json()) as { data: unknown };
  if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`);
  return answer.data;
}

/** A client with this folder's keys; `filed` is the address under which the trader stored them. */
export function asTrader(folder: string, url: string, filed = url): ServiceClient {
  const { address: wallet } = openKeyFile({ path: `${folder}/wallet.json`, passphrase: null });
  const credentials = loadCredentials(`${folder}/credentials.json`, { baseUrl: filed, wallet }, {});
  if (credentials === null) throw new Error(`no credentials for ${wallet} at ${url}`);
  return new ServiceClient({ profile, baseUrl: url, credentials, budgets: UNLIMITED });
}

type ListEndpoint = 'trades.list' | 'account.assets' | 'orders.list';

export async function allRows<N extends ListEndpoint>(client: ServiceClient, list: N): Promise<DataOf<N>[number][]> {
  const all: DataOf<N>[number][] = [];
  for (let cursor: string | undefined, more = true; more; ) {
    // The three lists have the same paging, which TypeScript cannot infer from the name.
    const { outcome } = await client.call(list, { query: { limit: 100, cursor } } as never);
    if (outcome.kind !== 'answered') throw new Error(JSON.stringify(outcome));
    all.push(...(outcome.data as unknown as DataOf<N>[number][]));
    more = outcome.nextCursor !== null;
    cursor = outcome.nextCursor ?? undefined;
  }
  return all;
}

/** An order that rests at the exchange: a row without a status does not. */
export const isResting = ({ status }: Pick<OrderRow, 'status'>): boolean =>
  status !== null && RESTING_STATUSES.includes(status);

/** The resting orders, as the exchange lists them. */
export const restingOrders = async (client: ServiceClient): Promise<OrderRow[]> =>
  (await allRows(client, 'orders.list')).filter(isResting);

/** The same, read once with the keys of this folder's trader. */
export async function restingAt(folder: string, url: string): Promise<OrderRow[]> {
  const client = asTrader(folder, url);
  const orders = await restingOrders(client);
  await client.close();
  return orders;
}

/**
 * Fills, shares and currency of a stopped trader's ledger equal the exchange's to the micro, and no order rests. The
 * exchange must serve its controls; `capital` is the trader's configured one. Returns the number of fills.
 */
export async function expectAgreement(folder: string, url: string, capital: Micros, filed = url): Promise<number> {
  const client = asTrader(folder, url, filed);
  const ledger = openReadOnly(`${folder}/ledger.sqlite`);
  try {
    const theirs = await allRows(client, 'trades.list');
    const ours = ledger.fills({ limit: 100_000 });
    const line = (pubkey: string, amount: Micros, price: Micros, fee: Micros | null) => [pubkey, amount, price, fee];
    expect(ours.map((fill) => line(fill.pubkey, fill.amountMicros, fill.priceMicros, fill.feeMicros)).sort()).toEqual(
      theirs.map((trade) => line(trade.pubkey, trade.amount, trade.price, trade.fee)).sort(),
    );
    const shares = (await allRows(client, 'account.assets')).filter((asset) => asset.amounts.total > 0);
    expect(
      ledger
        .positions()
        .map((held) => [held.marketConditionId, held.isYes, held.sharesMicros])
        .sort(),
    ).toEqual(
      shares.map((asset) => [asset.position.market.condition_id, asset.position.is_yes, asset.amounts.total]).sort(),
    );
    expect(await restingOrders(client)).toEqual([]);
    // An unsigned draft locks funds until it expires.
    await paper(url, '/clock/', { advance_s: profile.draft_lifetime_s + 1 });
    const { address } = openKeyFile({ path: `${folder}/wallet.json`, passphrase: null });
    const { funds } = (await paper(url, `/accounts/${address}/`)) as { funds: { total: string; locked: string } };
    expect(funds.locked).toBe('0');
    expect(sub(ledger.cash(), capital)).toBe(sub(parseDecimal(funds.total) ?? micros(Number.NaN), STARTING_FUNDS));
    expect(ledger.verify()).toEqual([]);
    return theirs.length;
  } finally {
    ledger.close();
    await client.close();
  }
}
