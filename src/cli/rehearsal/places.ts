/** The two places of a rehearsal: an embedded exchange with a wallet that is not kept, and the venue with the real one. */

import { existsSync } from 'node:fs';
import { PAPER_DEFAULTS, startExchange } from '../../exchange/exchange.js';
import { must, TwinbookError } from '../../shared/base/errors.js';
import { ServiceClient } from '../../shell/client/client.js';
import type { Config } from '../../shell/config/config.js';
import { VERSION } from '../../shell/config/shipped.js';
import { locateStopFile, readStopFile } from '../../shell/control/stop-file.js';
import { cancelUntilNothingRests } from '../../shell/daemon/direct-cancel.js';
import { signingRules } from '../../shell/wallet/draft-signer.js';
import { Wallet } from '../../shell/wallet/wallet.js';
import { Executor } from '../../trader/executor/executor.js';
import type { Ledger } from '../../trader/ledger/contract.js';
import { openLedger } from '../../trader/ledger/ledger.js';
import { Comparison } from '../../trader/reconcile/comparison.js';
import { inWords } from '../../trader/reconcile/confirmed-differences.js';
import type { Difference } from '../../trader/reconcile/differences.js';
import { reachTrader } from '../control/reach.js';
import { oneRound, restingOrders } from '../ledger/direct-reconciliation.js';
import type { CliIo } from '../output/io.js';
import { openKeys, openWallet } from '../venue-session.js';
import { chooseMarket, marketText } from './market-choice.js';
import { ExecutorShell, OrderLife } from './order-life.js';
import {
  ask,
  clockText,
  difference,
  failure,
  limitText,
  nothingRests,
  type Place,
  type StepLine,
  Stopped,
  step,
  timedOut,
} from './steps.js';

type Rehearsal = Pick<Place, 'config' | 'note' | 'isStopped' | 'withinMs' | 'market'> & { readonly io: CliIo };

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
    const prepare = async () => {
      const file = await walletText(rehearsal, io);
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
async function walletText({ config }: Rehearsal, io: CliIo): Promise<string> {
  const { file } = config.wallet;
  if (!existsSync(file)) return `there is no wallet file ${file} yet`;
  return `the wallet file opens (${(await openWallet(config, io)).address})`;
}

/** Trades. Only after success on paper. */
export async function atTheVenue(rehearsal: Rehearsal, ledgerPath: string): Promise<StepLine['result']> {
  const { profile } = rehearsal.config.venue;
  const where = 'live';
  const open = () => connect(rehearsal);
  const describe = ({ wallet }: Pick<Place, 'wallet'>) =>
    `wallet ${wallet.address}, credentials for ${profile.base_url}`;
  const opened = await step({ ...rehearsal, where }, 'keys', open, describe);
  try {
    return await liveThrough({ ...rehearsal, where, profile, ...opened, ledgerPath });
  } finally {
    await opened.client.close();
  }
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

/** Time to cancel its orders, ms; a venue that is down for longer needs an operator. */
const TAKE_BACK_MS = 60_000;
const TAKE_BACK_PAUSE_MS = 1_000;
/** Rounds of comparison until a difference counts; lists may lag. */
const MOST_ROUNDS = 4;
const ROUND_PAUSE_MS = 3_000;

/** From the clock to the ledger. The client has credentials. */
async function liveThrough(place: Place): Promise<StepLine['result']> {
  await greet(place);
  const ledger = openLedger(place.ledgerPath, { pid: process.pid, startedMs: Date.now() });
  try {
    return await withLedger(place, ledger);
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

async function withLedger(place: Place, ledger: Ledger): Promise<StepLine['result']> {
  const { client, config, profile, wallet } = place;
  const runId = `rehearsal${Date.now().toString(36)}`;
  const { configHash } = config;
  const signer = wallet.draftSigner({
    ...signingRules(profile, config.venue.allowBlindSigning),
    loadDraft: (intentId) => ledger.storedDraft(intentId),
  });
  ledger.transaction(() => {
    ledger.startRun({ id: runId, version: VERSION, configHash, startedMs: Date.now() });
    ledger.setCapital(config.capitalMicros, Date.now());
  });
  const executor = new Executor(ledger, signer, profile, {
    runId,
    configHash,
    ownPollMs: config.polling.ownIntervalMs,
  });
  const shell = new ExecutorShell(ledger, executor, client);
  shell.recover();
  const comparison = new Comparison(ledger, executor, profile.own_trades);
  const compare = () => oneRound(comparison, client, (work) => ledger.transaction(work));
  await step(place, 'account', () => opening(place, compare));
  const choose = () => chooseMarket(client, config, { where: place.where, wanted: place.market });
  const market = await step(place, 'market', choose, (chosen) => marketText(chosen, profile));
  ledger.transaction(() => ledger.saveMarket(market.record));
  const life = new OrderLife(place, shell, ledger, market, runId);
  try {
    await step(place, 'draft', () => life.draft());
    await step(place, 'signed', () => life.sign());
    await step(place, 'submitted', () => life.submit());
    await step(place, 'seen', () => life.awaitShown());
    await step(place, 'canceled', () => life.cancel());
    await step(place, 'gone', () => life.awaitGone());
    await step(place, 'ledger', () => compareLedger(place, shell, ledger, compare));
    return 'ok';
  } catch (error) {
    return await takeBack(error, { place, life, shell, executor, ledger });
  }
}

type Compare = () => Promise<readonly Difference[] | string>;

/** Marks of the lists are set behind everything that was there before the rehearsal. */
async function opening({ client }: Place, compare: Compare): Promise<string> {
  const resting = await restingOrders(client);
  if (typeof resting === 'string') throw failure(resting, 'The list of own orders must come whole: rehearse again.');
  nothingRests(resting.rows);
  const found = await compare();
  if (typeof found === 'string') throw failure(`its lists did not come whole: ${found}`, 'Rehearse again.');
  return 'its lists came whole, and no order rests';
}

/** Books the venue's listed fills; then its lists and the ledger must agree. */
async function compareLedger(
  { client, profile, ledgerPath }: Place,
  shell: ExecutorShell,
  ledger: Ledger,
  compare: Compare,
): Promise<string> {
  if (profile.own_trades)
    shell.tellTrades((await ask(client, 'trades.list', { query: { limit: 50 } }, 'own trades')).data);
  const inside = ledger.verify();
  if (inside.length > 0)
    throw failure(`the ledger's own books do not add up: ${inside.join('; ')}`, `Keep ${ledgerPath}.`);
  let found: readonly Difference[] | string = 'no round was made';
  for (let rounds = 0; rounds < MOST_ROUNDS; rounds++) {
    if (rounds > 0) await new Promise((resolve) => setTimeout(resolve, ROUND_PAUSE_MS));
    found = await compare();
    if (found.length === 0)
      return `ledger and venue agree: orders, trades, conversions, shares (${ledger.newestSeq('fills')} fills)`;
  }
  if (typeof found === 'string')
    throw timedOut(`the lists of the venue did not come whole: ${found}`, 'Rehearse again.');
  const first = must(found[0], 'a difference');
  throw difference(
    'ledger and venue differ',
    `the ledger has: ${first.ledger}`,
    inWords(first),
    `Keep ${ledgerPath}, and ask the venue.`,
  );
}

interface Left {
  readonly place: Place;
  readonly life: OrderLife;
  readonly shell: ExecutorShell;
  readonly executor: Executor;
  readonly ledger: Ledger;
}

/** Ensures that nothing rests, whatever ended the rehearsal. Its result stands unless something may still rest. */
async function takeBack(error: unknown, left: Left): Promise<StepLine['result']> {
  const { place, life, shell, executor, ledger } = left;
  if (!life.isSigned) {
    if (error instanceof Stopped) return error.trouble.result;
    throw error;
  }
  ledger.transaction(() => executor.withdraw(null, Date.now()));
  shell.drop();
  let isGone = await nothingLeft(place);
  if (!life.isSettled) {
    // A signature left without an answer: only the record shows the result, at the latest when the draft is over.
    const endMs = performance.now() + 2_000 * place.profile.draft_lifetime_s + TAKE_BACK_MS;
    const isKnown = await shell.goOnUntil(() => life.isSettled, endMs);
    isGone = (await nothingLeft(place)) && isKnown;
  }
  const line = { where: place.where, step: 'taken back' };
  const todo = `Cancel it by hand at the venue, or \`twinbook cancel-all --verify\`; its record is ${life.pubkey}.`;
  if (isGone) place.note({ ...line, result: 'ok', text: 'nothing rests (read twice)', todo: '' });
  else place.note({ ...line, result: 'failed', text: 'THE ORDER MAY STILL REST', todo });
  if (!(error instanceof Stopped)) throw error;
  return isGone ? error.trouble.result : 'failed';
}

async function nothingLeft({ client, wallet, profile, config }: Place): Promise<boolean> {
  const options = { client, wallet, profile, allowBlindSigning: config.venue.allowBlindSigning };
  try {
    const within = { withinMs: TAKE_BACK_MS, pauseMs: TAKE_BACK_PAUSE_MS };
    return (await cancelUntilNothingRests(options, within)).verified;
  } catch (error) {
    if (error instanceof TwinbookError) return false;
    throw error;
  }
}
