import { afterEach, describe, expect, it } from 'vitest';
import { formatDecimal, parseDecimal } from '../../src/base/decimal.js';
import { type Micros, micros, sub } from '../../src/base/micros.js';
import { Random } from '../../src/base/random.js';
import { ServiceClient } from '../../src/client/client.js';
import { readProfile } from '../../src/config/venue.js';
import { openReadOnly } from '../../src/ledger/ledger.js';
import type { DataOf, EndpointName } from '../../src/protocol/endpoints.js';
import { loadCredentials } from '../../src/wallet/credentials.js';
import { openKeyFile } from '../../src/wallet/key-file.js';
import { Wallet } from '../../src/wallet/wallet.js';
import { type Place, type Running, traderPlace, twinbook } from '../support/processes.js';

const KILLS = 25;
const SEED = 20_261_121;
const UNLIMITED = {
  public: Number.POSITIVE_INFINITY,
  signed: Number.POSITIVE_INFINITY,
  bootstrap: Number.POSITIVE_INFINITY,
};
const profile = { ...readProfile('config/venues/paper.yaml', process.cwd()), draft_lifetime_s: 5 };

const trader = (url: string) => `
venue: { profile: paper, base_url: "${url}" }
wallet: { file: wallet.json }
ledger: { path: ledger.sqlite }
log: { file: trader.log }
capital: "1000"
polling: { own_interval_ms: 300, hot_interval_ms: 200, assets_interval_ms: 2000 }
merge: { min_shares: "5" }
strategies: [strategies/maker.yaml]
`;

const strategy = `
strategy: log-odds-maker
markets: { select: { state: open, kind: orderbook }, max: 4 }
params: { order_shares: "25" }
`;

const running: Running[] = [];
const places: Place[] = [];
const clients: ServiceClient[] = [];

afterEach(async () => {
  for (const one of running.splice(0)) {
    one.process.kill('SIGKILL');
    await one.exited;
  }
  for (const client of clients.splice(0)) await client.close();
  for (const place of places.splice(0)) place.remove();
});

const start = (args: readonly string[]): Running => {
  const one = twinbook(args);
  running.push(one);
  return one;
};

/** Somebody else, who takes what our trader offers, as fast as the exchange answers. */
class Taker {
  readonly #client: ServiceClient;
  readonly #wallet: Wallet;
  readonly #random = Random.seeded(SEED, 'taker');
  #going = true;
  #done: Promise<void> = Promise.resolve();

  constructor(client: ServiceClient, wallet: Wallet) {
    this.#client = client;
    this.#wallet = wallet;
  }

  go(markets: readonly string[]): void {
    this.#done = this.#take(markets);
  }

  async end(): Promise<void> {
    this.#going = false;
    await this.#done;
  }

  async #take(markets: readonly string[]): Promise<void> {
    while (this.#going) {
      const market_condition_id = markets[this.#random.below(markets.length)] ?? '';
      const is_yes = this.#random.chance(0.5);
      const funds = formatDecimal(micros(1_000_000 * (1 + this.#random.below(6))));
      const body = { market_condition_id, is_yes, side: 'buy', order_type: 'market', funds };
      const drafted = await this.#client.call('orders.create', { body });
      if (drafted.outcome.kind !== 'answered') continue;
      const { pubkey, message } = drafted.outcome.data;
      const amount = parseDecimal(funds) ?? micros(0);
      const terms = { action: 'place-order', isYes: is_yes, side: 'buy', type: 'market', funds: amount } as const;
      const stored = { intentId: 'x', marketConditionId: market_condition_id, draftPubkey: pubkey, message, terms };
      const signed = this.#wallet
        .draftSigner({
          serviceName: profile.service_name,
          draftMessage: 'utf8',
          allowBlindSigning: false,
          loadDraft: () => stored,
        })
        .sign('x');
      if (signed.ok)
        await this.#client.call('orders.submit', { params: { pubkey }, body: { signature: signed.signature } });
    }
  }
}

async function rows<N extends Extract<EndpointName, 'trades.list' | 'account.assets' | 'orders.list'>>(
  client: ServiceClient,
  endpoint: N,
): Promise<DataOf<N>[number][]> {
  const all: DataOf<N>[number][] = [];
  for (let cursor: string | undefined, more = true; more; ) {
    const { outcome } = await client.call(endpoint, { query: { limit: 100, cursor } } as never);
    if (outcome.kind !== 'answered') throw new Error(JSON.stringify(outcome));
    all.push(...(outcome.data as unknown as DataOf<N>[number][]));
    more = outcome.nextCursor !== null;
    cursor = outcome.nextCursor ?? undefined;
  }
  return all;
}

/** Currency of a wallet at the exchange, which only the paper controls tell. */
async function funds(url: string, wallet: string): Promise<Micros> {
  const answer = (await (await fetch(`${url}/paper/accounts/${wallet}/`)).json()) as {
    data: { funds: { total: string; locked: string } };
  };
  expect(answer.data.funds.locked).toBe('0');
  return parseDecimal(answer.data.funds.total) ?? micros(Number.NaN);
}

describe('a trader that is killed', () => {
  it(`adopts, books and goes on: after ${KILLS} kills its ledger is the exchange's to the last micro`, async () => {
    const exchange = start([
      'exchange',
      '--port',
      '0',
      '--seed',
      '7',
      '--controls',
      '--no-rate-limits',
      '--draft-lifetime-s',
      '5',
    ]);
    const url = (await exchange.waitFor(/listening on (http:\S+)/))[1] ?? '';
    const place = traderPlace(trader(url), strategy);
    places.push(place);

    const markets = await new ServiceClient({ profile, baseUrl: url, budgets: UNLIMITED }).call('markets.list', {});
    if (markets.outcome.kind !== 'answered') throw new Error('no markets');
    const takerWallet = new Wallet(new Uint8Array(32).fill(9));
    const takerClient = new ServiceClient({ profile, baseUrl: url, budgets: UNLIMITED });
    clients.push(takerClient);
    await takerClient.bootstrap(takerWallet);
    const taker = new Taker(takerClient, takerWallet);
    taker.go(markets.outcome.data.map((row) => row.condition_id));

    const random = Random.seeded(SEED, 'kills');
    for (let kill = 0; kill < KILLS; kill++) {
      const killed = start(['start', '-c', place.config]);
      await killed.waitFor(/trades on/);
      // From the first request of recovery to the middle of quoting.
      await new Promise((resolve) => setTimeout(resolve, 20 + random.below(1500)));
      killed.process.kill('SIGKILL');
      await killed.exited;
    }

    const last = start(['start', '-c', place.config]);
    await last.waitFor(/quoting \|/);
    last.process.kill('SIGTERM');
    expect(await last.exited, last.output()).toBe(0);
    expect(last.output()).toContain('nothing rests at the exchange (read twice)');
    await taker.end();

    const wallet = openKeyFile({ path: `${place.folder}/wallet.json`, passphrase: null });
    const owner = { baseUrl: url, wallet: wallet.address };
    const credentials = loadCredentials(`${place.folder}/credentials.json`, owner, {});
    if (credentials === null) throw new Error('no credentials were stored');
    const client = new ServiceClient({ profile, baseUrl: url, credentials, budgets: UNLIMITED });
    clients.push(client);
    const ledger = openReadOnly(`${place.folder}/ledger.sqlite`);
    try {
      const theirs = await rows(client, 'trades.list');
      const ours = ledger.fills({ limit: 100_000 });
      expect(theirs.length).toBeGreaterThan(10);
      const line = (pubkey: string, amount: Micros, price: Micros, fee: Micros | null) => [pubkey, amount, price, fee];
      expect(ours.map((fill) => line(fill.pubkey, fill.amountMicros, fill.priceMicros, fill.feeMicros)).sort()).toEqual(
        theirs.map((trade) => line(trade.pubkey, trade.amount, trade.price, trade.fee)).sort(),
      );
      const shares = (await rows(client, 'account.assets')).filter((asset) => asset.amounts.total > 0);
      expect(
        ledger
          .positions()
          .map((held) => [held.marketConditionId, held.isYes, held.sharesMicros])
          .sort(),
      ).toEqual(
        shares.map((asset) => [asset.position.market.condition_id, asset.position.is_yes, asset.amounts.total]).sort(),
      );
      const moved = sub(await funds(url, wallet.address), micros(10_000_000_000));
      expect(sub(ledger.cash(), micros(1_000_000_000))).toBe(moved);
      expect(ledger.verify()).toEqual([]);
      const resting = (await rows(client, 'orders.list')).filter(
        ({ status }) => status === 'open' || status === 'partially_filled',
      );
      expect(resting).toEqual([]);
    } finally {
      ledger.close();
    }
  }, 170_000);
});
