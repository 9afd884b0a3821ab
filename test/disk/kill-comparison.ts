/** Compares a stopped trader's ledger with the exchange's record of the same account. */

import { parseDecimal } from '../../src/shared/base/micros.js';
import type { ServiceClient } from '../../src/shell/client/client.js';
import { openKeyFile } from '../../src/shell/wallet/key-file.js';
import type { LedgerReader } from '../../src/trader/ledger/contract.js';
import { openReadOnly } from '../../src/trader/ledger/ledger.js';
import { allRows, asTrader, isResting, paper } from '../support/venue.js';

export interface Comparison {
  /** Events at the exchange that are missing in the ledger. */
  readonly lost: readonly string[];
  /** Ledger entries that never happened, or happened twice for one intent. */
  readonly doubled: readonly string[];
  /** All other differences. */
  readonly different: readonly string[];
}

/** Sets that another program split with this account, in millionths of shares and of currency, per market. */
export type Foreign = ReadonlyMap<string, number>;

/** `capital`: millionths, as configured; `funds`: what the exchange gave a new account. */
export interface Account {
  readonly folder: string;
  readonly url: string;
  readonly capital: number;
  readonly funds: number;
  readonly foreign: Foreign;
}

/** Statuses of orders that never took effect. */
export const EFFECTLESS = ['waiting_to_sign', 'expired', 'failed'];

export async function compared(account: Account): Promise<Comparison> {
  const client = asTrader(account.folder, account.url);
  const ledger = openReadOnly(`${account.folder}/ledger.sqlite`);
  try {
    const [fills, orders] = [await differentFills(client, ledger), await differentOrders(client, ledger)];
    const holdings = await differentHoldings(client, ledger, account);
    return {
      lost: fills.lost,
      doubled: [...fills.doubled, ...orders.doubled],
      different: [...fills.different, ...orders.different, ...holdings, ...ledger.verify()],
    };
  } finally {
    ledger.close();
    await client.close();
  }
}

async function differentFills(client: ServiceClient, ledger: LedgerReader): Promise<Comparison> {
  const theirs = new Map((await allRows(client, 'trades.list')).map((trade) => [trade.pubkey, trade]));
  const ours = new Map(ledger.fills({ limit: 1e6 }).map((fill) => [fill.pubkey, fill]));
  const both = [...theirs].flatMap(([pubkey, trade]) => {
    const fill = ours.get(pubkey);
    return fill === undefined ? [] : [{ pubkey, trade, fill }];
  });
  const differ = both.filter(
    ({ trade, fill }) =>
      fill.amountMicros !== trade.amount || fill.priceMicros !== trade.price || fill.feeMicros !== trade.fee,
  );
  return {
    lost: [...theirs.keys()].filter((pubkey) => !ours.has(pubkey)).map((pubkey) => `trade ${pubkey} is not booked`),
    doubled: [...ours.keys()].filter((pubkey) => !theirs.has(pubkey)).map((pubkey) => `fill ${pubkey} never happened`),
    different: differ.map(({ pubkey }) => `fill ${pubkey} is booked with other numbers`),
  };
}

async function differentOrders(
  client: ServiceClient,
  ledger: LedgerReader,
): Promise<Pick<Comparison, 'doubled' | 'different'>> {
  const [doubled, different]: [string[], string[]] = [[], []];
  const intents = new Set<string>();
  for (const { pubkey, status } of await allRows(client, 'orders.list')) {
    if (isResting({ status })) different.push(`order ${pubkey} still rests`);
    if (EFFECTLESS.includes(status ?? '')) continue;
    const order = ledger.order(pubkey ?? '');
    if (order === null) doubled.push(`order ${pubkey} took effect and is unknown`);
    else if (intents.has(order.intentId)) doubled.push(`intent ${order.intentId} has two orders`);
    else intents.add(order.intentId);
    if (order !== null && order.status !== status) different.push(`order ${pubkey} is ${status}, not ${order.status}`);
  }
  return { doubled, different };
}

async function differentHoldings(client: ServiceClient, ledger: LedgerReader, account: Account): Promise<string[]> {
  const found: string[] = [];
  const { address } = openKeyFile({ path: `${account.folder}/wallet.json`, passphrase: null });
  const { funds } = (await paper(account.url, `/accounts/${address}/`)) as { funds: { total: string } };
  const split = [...account.foreign.values()].reduce((sum, amount) => sum + amount, 0);
  const theirCash = Number(parseDecimal(funds.total)) - account.funds + account.capital + split;
  if (ledger.cash() !== theirCash) found.push(`cash is ${ledger.cash()} in the ledger, ${theirCash} at the exchange`);
  const theirs = new Map(
    (await allRows(client, 'account.assets')).map(({ position, amounts }) => {
      const market = position.market.condition_id;
      return [`${market} ${position.is_yes}`, amounts.total - (account.foreign.get(market) ?? 0)];
    }),
  );
  const ours = new Map(
    ledger.positions().map((held) => [`${held.marketConditionId} ${held.isYes}`, held.sharesMicros]),
  );
  for (const name of new Set([...theirs.keys(), ...ours.keys()])) {
    const [their, our] = [theirs.get(name) ?? 0, ours.get(name) ?? 0];
    if (their !== our) found.push(`shares of ${name} are ${our} in the ledger, ${their} at the exchange`);
  }
  return found;
}
