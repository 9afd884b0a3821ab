/** The two places of a rehearsal: an embedded exchange with a temporary wallet, and the venue with the real wallet. */

import { existsSync } from 'node:fs';
import { PAPER_DEFAULTS, startExchange } from '../../exchange/exchange.js';
import { ServiceClient } from '../../shell/client/client.js';
import type { Config } from '../../shell/config/config.js';
import { locateStopFile, readStopFile } from '../../shell/control/stop-file.js';
import { Wallet } from '../../shell/wallet/wallet.js';
import { openLedger } from '../../trader/ledger/ledger.js';
import { openKeys, openWallet, reachTrader } from '../reach.js';
import { OrderLife } from './order-life.js';
import { ask, clockText, failure, limitText, type Rehearsal, type RehearsalPlace, step } from './steps.js';

/** Rehearses on a new exchange without network or real account. The exchange is deleted afterwards. */
export async function onPaper(rehearsal: Rehearsal, ledgerPath: string): Promise<void> {
  const { profile } = rehearsal.config.venue;
  const draftLifetimeS = profile.draft_lifetime_s;
  const exchange = await startExchange({ ...PAPER_DEFAULTS, profile, port: 0, draftLifetimeS });
  const wallet = Wallet.makeUnkept();
  const client = new ServiceClient({ profile, baseUrl: exchange.url });
  const place: RehearsalPlace = { ...rehearsal, where: 'paper', client, wallet, ledgerPath };
  try {
    await step(place, 'keys', async () => {
      const file = await walletText(rehearsal);
      await client.bootstrap(wallet);
      return `${file}; this rehearsal uses ${wallet.address}, whose key is not stored, and credentials from the challenge`;
    });
    await liveThrough(place);
  } finally {
    await client.close();
    await exchange.close();
  }
}

/** Opens the real wallet early, so that a wrong passphrase fails before the live part. On paper it signs nothing. */
async function walletText({ config, io }: Rehearsal): Promise<string> {
  const { file } = config.wallet;
  if (!existsSync(file)) return `there is no wallet file ${file} yet`;
  return `the wallet file can be opened (${(await openWallet(config, io)).address})`;
}

/** Rehearses at the venue, with a real order. The live part runs only after success on paper. */
export async function atTheVenue(rehearsal: Rehearsal, ledgerPath: string): Promise<void> {
  const { config, io } = rehearsal;
  const { profile } = config.venue;
  const open = async () => {
    await checkNobodyTrades(config);
    return openKeys(config, io);
  };
  const live = { ...rehearsal, where: 'live' } as const;
  const describe = ({ wallet }: Awaited<ReturnType<typeof open>>) =>
    `wallet ${wallet.address}, credentials for ${profile.base_url}`;
  const { wallet, credentials } = await step(live, 'keys', open, describe);
  const client = new ServiceClient({ profile, credentials });
  await liveThrough({ ...live, client, wallet, ledgerPath }).finally(() => client.close());
}

/** Throws if a trader runs or is killed. A running trader would consider the rehearsal's order as foreign. */
async function checkNobodyTrades(config: Config): Promise<void> {
  if ((await reachTrader(config)) !== 'not running')
    throw failure('the trader of this configuration file is running', '`twinbook stop`, then rehearse again.');
  const killed = readStopFile(locateStopFile(config.ledger.path));
  if (killed !== null)
    throw failure(`the trader is killed: ${killed}`, '`twinbook unkill --reason TEXT`, then rehearse again.');
}

/** Performs all steps of a rehearsal, from the clock check to the ledger comparison. The client needs credentials. */
async function liveThrough(place: RehearsalPlace): Promise<void> {
  const { client, config, ledgerPath } = place;
  const { profile } = config.venue;
  const markets = () => ask(client, 'markets.list', { query: { limit: 1 } }, 'its markets');
  const { answer } = await step(place, 'clock', markets, () => clockText(client, profile));
  const own = () => ask(client, 'orders.list', { query: { limit: 1 } }, 'own orders');
  await step(place, 'rate limits and headers', own, ({ answer: signed }) => {
    const limits = [limitText(answer, 'public', profile), limitText(signed, 'signed', profile)];
    return `${limits.join('; ')}; the venue accepts the headers ${profile.header_prefix}-…`;
  });
  const ledger = openLedger(ledgerPath, { pid: process.pid, startedMs: Date.now() });
  try {
    await new OrderLife(place, ledger).perform();
  } finally {
    ledger.close();
  }
}
