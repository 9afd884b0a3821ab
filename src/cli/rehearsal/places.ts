/** The two places of a rehearsal: an embedded exchange with a wallet that is not kept, and the venue with the real one. */

import { existsSync } from 'node:fs';
import { PAPER_DEFAULTS, startExchange } from '../../exchange/exchange.js';
import { ServiceClient } from '../../shell/client/client.js';
import type { Config } from '../../shell/config/config.js';
import { locateStopFile, readStopFile } from '../../shell/control/stop-file.js';
import { Wallet } from '../../shell/wallet/wallet.js';
import { openLedger } from '../../trader/ledger/ledger.js';
import type { CliIo } from '../io.js';
import { openKeys, openWallet, reachTrader } from '../reach.js';
import { OrderLife } from './order-life.js';
import { ask, clockText, failure, limitText, type Place, type StepLine, step } from './steps.js';

type Rehearsal = Pick<Place, 'config' | 'note' | 'isStopped' | 'withinMs' | 'market'> & { readonly io: CliIo };

/** No network and no account: the exchange is new, and gone afterwards. */
export async function onPaper(rehearsal: Rehearsal, ledgerPath: string): Promise<StepLine['result']> {
  const { profile } = rehearsal.config.venue;
  const draftLifetimeS = profile.draft_lifetime_s;
  const exchange = await startExchange({ ...PAPER_DEFAULTS, profile, port: 0, draftLifetimeS });
  const wallet = Wallet.makeUnkept();
  const client = new ServiceClient({ profile, baseUrl: exchange.url });
  const place: Place = { ...rehearsal, where: 'paper', profile, client, wallet, ledgerPath };
  try {
    const prepare = async () => {
      const file = await walletText(rehearsal);
      await client.bootstrap(wallet);
      return `${file}; this rehearsal uses ${wallet.address}, whose key is not stored, and credentials from the challenge`;
    };
    await step(place, 'keys', prepare);
    return await liveThrough(place);
  } finally {
    await client.close();
    await exchange.close();
  }
}

/** Opened so that a wrong passphrase shows before anything is live; it signs nothing here. */
async function walletText({ config, io }: Rehearsal): Promise<string> {
  const { file } = config.wallet;
  if (!existsSync(file)) return `there is no wallet file ${file} yet`;
  return `the wallet file opens (${(await openWallet(config, io)).address})`;
}

/** Trades. Only after success on paper. */
export async function atTheVenue(rehearsal: Rehearsal, ledgerPath: string): Promise<StepLine['result']> {
  const { profile } = rehearsal.config.venue;
  const live = { ...rehearsal, where: 'live', profile } as const;
  const open = () => connect(rehearsal);
  const describe = ({ wallet }: Pick<Place, 'wallet'>) =>
    `wallet ${wallet.address}, credentials for ${profile.base_url}`;
  const opened = await step(live, 'keys', open, describe);
  return liveThrough({ ...live, ...opened, ledgerPath }).finally(() => opened.client.close());
}

async function connect({ config, io }: Rehearsal): Promise<Pick<Place, 'wallet' | 'client'>> {
  await checkNobodyTrades(config);
  const { wallet, credentials } = await openKeys(config, io);
  return { wallet, client: new ServiceClient({ profile: config.venue.profile, credentials }) };
}

/** A trader would take the rehearsal's order for a foreign one, and a killed trader must not place any order. */
async function checkNobodyTrades(config: Config): Promise<void> {
  if ((await reachTrader(config)) !== 'not running') {
    throw failure('the trader of this file runs', '`twinbook stop`, then rehearse again.');
  }
  const killed = readStopFile(locateStopFile(config.ledger.path));
  if (killed !== null)
    throw failure(`it is killed: ${killed}`, '`twinbook unkill --reason TEXT`, then rehearse again.');
}

/** From the clock to the ledger. The client has credentials. */
async function liveThrough(place: Place): Promise<StepLine['result']> {
  await greet(place);
  const ledger = openLedger(place.ledgerPath, { pid: process.pid, startedMs: Date.now() });
  try {
    return await new OrderLife(place, ledger).perform();
  } finally {
    ledger.close();
  }
}

async function greet(place: Place): Promise<void> {
  const { client, profile } = place;
  const markets = () => ask(client, 'markets.list', { query: { limit: 1 } }, 'its markets');
  const { answer } = await step(place, 'clock', markets, () => clockText(client, profile));
  const own = () => ask(client, 'orders.list', { query: { limit: 1 } }, 'own orders');
  await step(place, 'rate limits and headers', own, ({ answer: signed }) => {
    const limits = [limitText(answer, 'public', profile), limitText(signed, 'signed', profile)];
    return `${limits.join('; ')}; the venue takes the headers ${profile.header_prefix}-…`;
  });
}
