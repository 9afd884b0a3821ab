/** The two places of a rehearsal: an embedded exchange with a wallet that is not kept, and the venue with the real one. */

import { existsSync } from 'node:fs';
import { PAPER_DEFAULTS, startExchange } from '../../exchange/exchange.js';
import { ServiceClient } from '../../shell/client/client.js';
import type { Config } from '../../shell/config/types.js';
import { locateStopFile, readStopFile } from '../../shell/control/stop-file.js';
import { Wallet } from '../../shell/wallet/wallet.js';
import { reachTrader } from '../control/reach.js';
import type { CliIo } from '../output/io.js';
import { openKeys, openWallet } from '../venue-session.js';
import { liveThrough } from './life.js';
import { failure, type Place, runForResult, type StepLine, step } from './steps.js';

export type Rehearsal = Pick<Place, 'config' | 'note' | 'isStopped' | 'withinMs' | 'market'> & { readonly io: CliIo };

/** No network and no account: the exchange is new, and gone afterwards. */
export async function onPaper(rehearsal: Rehearsal, ledgerPath: string): Promise<StepLine['result']> {
  const { config, io } = rehearsal;
  const { profile } = config.venue;
  const exchange = await startExchange({
    ...PAPER_DEFAULTS,
    profile,
    port: 0,
    draftLifetimeS: profile.draft_lifetime_s,
  });
  const wallet = Wallet.makeUnkept();
  const client = new ServiceClient({ profile, baseUrl: exchange.url });
  const place: Place = { ...rehearsal, where: 'paper', profile, client, wallet, ledgerPath };
  try {
    return await runForResult(async () => {
      const prepare = async () => {
        const file = await walletText(rehearsal, io);
        await client.bootstrap(wallet);
        return `${file}; this rehearsal uses ${wallet.address}, whose key nobody keeps, and credentials made by the challenge`;
      };
      await step(place, 'keys', prepare);
      return liveThrough(place);
    });
  } finally {
    await client.close();
    await exchange.close();
  }
}

/** Opened so that a wrong passphrase shows before anything is live; it signs nothing here. */
async function walletText({ config }: Rehearsal, io: CliIo): Promise<string> {
  const { file } = config.wallet;
  if (!existsSync(file)) return `there is no wallet file ${file} yet`;
  return `the wallet file opens (${(await openWallet(config, io)).address})`;
}

/** Trades. Only after success on paper. */
export async function atTheVenue(rehearsal: Rehearsal, ledgerPath: string): Promise<StepLine['result']> {
  const { profile } = rehearsal.config.venue;
  const where = 'live';
  return runForResult(async () => {
    const open = () => connect(rehearsal);
    const opened = await step({ ...rehearsal, where }, 'keys', open, ({ wallet }) => {
      return `wallet ${wallet.address}, credentials for ${profile.base_url}`;
    });
    try {
      return await liveThrough({ ...rehearsal, where, profile, ...opened, ledgerPath });
    } finally {
      await opened.client.close();
    }
  });
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
