/** A trader's folder with a hundred orders resting at a distant exchange, for kill and restart. */

import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { must, TwinbookError } from '../../src/shared/base/errors.js';
import { parseDecimal } from '../../src/shared/base/micros.js';
import type { OrderRow } from '../../src/shared/protocol/records.js';
import type { TraderStatus } from '../../src/shared/protocol/trader-status.js';
import { askTrader } from '../../src/shell/control/control-client.js';
import { openKeyFile } from '../../src/shell/wallet/key-file.js';
import type { Wallet } from '../../src/shell/wallet/wallet.js';
import { ladderOf } from '../support/folders.js';
import { type Running, twinbook } from '../support/processes.js';
import { allRows, asTrader, paper, profile } from '../support/venue.js';
import { sized } from './bench.js';
import { BENCH_PROFILE } from './bench-trader.js';
import type { FarExchange } from './far-exchange.js';

const MARKETS = sized(5, 1);
const LEVELS = sized(10, 5);
/** Both sides of every market. */
export const ORDERS = MARKETS * LEVELS * 2;

/** @param profile `paper`, or a file whose limits let a hundred orders be placed at once */
const traderFile = (url: string, profile: string) => `
venue: { profile: ${profile}, base_url: "${url}" }
wallet: { file: wallet.json }
ledger: { path: ledger.sqlite }
log: { file: trader.log }
guardian: { start: false }
capital: "1000"
risk: { max_open_orders: 120, max_actions_per_second: 1000, max_actions_per_minute: 1000 }
strategies: [ladder.yaml]
`;

/** The files of one trader and of the exchange. */
export class RestingTrader {
  readonly folder: string;
  readonly #exchange: FarExchange;
  #running: Running | null = null;
  #address: string | null = null;

  constructor(folder: string, exchange: FarExchange) {
    this.folder = folder;
    this.#exchange = exchange;
  }

  get exchangeDir(): string {
    return join(this.folder, 'exchange');
  }

  get ledgerPath(): string {
    return join(this.folder, 'ledger.sqlite');
  }

  /** Opens markets and lets a trader without request limits fill them; kills both when all orders rest. */
  async fill(): Promise<void> {
    mkdirSync(this.exchangeDir, { recursive: true });
    writeFileSync(join(this.folder, 'ladder.js'), ladderOf(LEVELS));
    mkdirSync(join(this.folder, 'generous'));
    // A profile has the name of its file, and only `paper` creates a wallet.
    writeFileSync(join(this.folder, 'generous/paper.yaml'), JSON.stringify(BENCH_PROFILE));
    writeFileSync(join(this.folder, 'setup.yaml'), traderFile(this.#exchange.farUrl, './generous/paper.yaml'));
    writeFileSync(join(this.folder, 'trader.yaml'), traderFile(this.#exchange.farUrl, 'paper'));
    await this.#exchange.begin(this.exchangeDir);
    const ids: string[] = [];
    for (let n = 0; n < MARKETS; n++) {
      const made = await paper(this.#exchange.nearUrl, '/markets/', { title: `Market ${n}` });
      ids.push((made as { condition_id: string }).condition_id);
    }
    const strategy = `strategy: ./ladder.js\nmarkets: { ids: ${JSON.stringify(ids)} }\n`;
    writeFileSync(join(this.folder, 'ladder.yaml'), strategy);
    await this.start('setup.yaml');
    await this.untilAllRest();
    await this.kill();
  }

  /** Copies the folder; no process may run in it. */
  copy(folder: string): RestingTrader {
    rmSync(folder, { recursive: true, force: true });
    // The socket of a killed process cannot be copied, and its console, which outlives it briefly, still removes files.
    const isKept = (path: string) => !path.endsWith('.sock') && !path.includes('.console');
    cpSync(this.folder, folder, { recursive: true, filter: isKept });
    return new RestingTrader(folder, this.#exchange);
  }

  /** Resolves when the process says that it trades; it has sent no request yet. */
  async start(file = 'trader.yaml'): Promise<void> {
    this.#running = twinbook(['start', '-c', join(this.folder, file)]);
    await this.#running.waitFor(/trades on/);
  }

  async kill(): Promise<void> {
    this.#running?.process.kill('SIGKILL');
    await this.#running?.exited;
    this.#running = null;
  }

  order(command: 'kill', reason: string): Promise<unknown> {
    return askTrader({ command, reason }, this.#call);
  }

  /** Polls the trader's status until the condition holds. */
  async until(isSo: (status: TraderStatus) => boolean): Promise<TraderStatus> {
    return within(async () => {
      const status = await askTrader({ command: 'status' }, this.#call).catch(notYet);
      return status !== null && isSo(status) ? status : null;
    });
  }

  untilAllRest(): Promise<true> {
    return within(async () => ((await this.resting()).length >= ORDERS ? true : null));
  }

  /** Our orders at the exchange. */
  async resting(): Promise<readonly OrderRow[]> {
    const client = asTrader(this.folder, this.#exchange.nearUrl, this.#exchange.farUrl);
    const rows = await allRows(client, 'orders.list');
    await client.close();
    return rows.filter(({ status }) => status === 'open');
  }

  /** Cancels one of our orders with the trader's key but without the trader. */
  async cancelOne(): Promise<void> {
    const order = must((await this.resting())[0], 'a resting order');
    const pubkey = order.pubkey ?? '';
    const marketConditionId = order.market.condition_id;
    const client = asTrader(this.folder, this.#exchange.nearUrl, this.#exchange.farUrl);
    const drafted = await client.call('orders.cancel', { params: { pubkey } });
    if (drafted.outcome.kind !== 'answered') throw new Error(JSON.stringify(drafted.outcome));
    const { pubkey: draftPubkey, message } = drafted.outcome.data;
    const terms = { action: 'cancel-order', orderPubkey: pubkey } as const;
    const loadDraft = () => ({ intentId: pubkey, marketConditionId, draftPubkey, message, terms });
    const signed = this.#wallet.draftSigner({ ...profile, allowBlindSigning: false, loadDraft }).sign(pubkey);
    if (!signed.ok) throw new Error(signed.reason);
    await client.call('orders.cancelSubmit', { params: { pubkey }, body: { signature: signed.signature } });
    await client.close();
  }

  get #wallet(): Wallet {
    return openKeyFile({ path: join(this.folder, 'wallet.json'), passphrase: null });
  }

  /** Currency that our orders lock at the exchange, in millionths. */
  async locked(): Promise<number> {
    this.#address ??= this.#wallet.address;
    const answer = await paper(this.#exchange.nearUrl, `/accounts/${this.#address}/`);
    const { funds } = answer as { readonly funds: { readonly locked: string } };
    return Number(parseDecimal(funds.locked));
  }

  untilLocked(isSo: (micros: number) => boolean): Promise<true> {
    return within(async () => (isSo(await this.locked()) ? true : null));
  }

  get #call() {
    return { socket: `${this.ledgerPath}.sock`, timeoutMs: 10_000 };
  }
}

/** The socket opens a moment after the first line of output. */
const notYet = (error: unknown): null => {
  if (error instanceof TwinbookError && error.code === 'not_running') return null;
  throw error;
};

const LOOK_MS = sized(10, 100);
/** A machine that needs longer is too busy to measure on. */
const PATIENCE_MS = 120_000;

/** Retries until there is an answer. Throws at the timeout. */
async function within<T>(look: () => Promise<T | null>): Promise<T> {
  for (const endMs = performance.now() + PATIENCE_MS; performance.now() <= endMs; await pause(LOOK_MS)) {
    const answer = await look();
    if (answer !== null) return answer;
  }
  throw new Error(`nothing came of it within ${PATIENCE_MS / 1000} s: is the machine busy?`);
}
