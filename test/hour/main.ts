/**
 * `npm run lab -- hour [--minutes N --markets N --strategy FILE]`: the compiled program quotes many markets of the paper
 * exchange's crowd over loopback HTTP for an hour of real time. Its journal gives the results: rejections by rate
 * limits, the age of books, and the duration of the trader's steps.
 */

import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { AccountStatus } from '../../src/shared/protocol/trader-status.js';
import { askTrader } from '../../src/shell/control/control-client.js';
import { STEP_BUCKETS } from '../../src/shell/control/telemetry/histogram.js';
import { Subscription } from '../../src/shell/control/telemetry/subscription.js';
import { readRun } from '../../src/shell/journal/read-run.js';
import build from '../support/build.js';
import { twinbook } from '../support/processes.js';
import '../support/tied.js';
import { RequestTally } from './request-tally.js';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    markets: { type: 'string', default: '150' },
    keep: { type: 'boolean', default: false },
  },
});
const minutes = Number(values.minutes);
const markets = Number(values.markets);
if (!(minutes > 0 && Number.isSafeInteger(markets) && markets >= 1 && markets <= 1000)) {
  console.error('--minutes is above 0, --markets from 1 to 1000');
  process.exit(2);
}

/** Maximum loss of each market: its own capital. */
const CAPITAL_A_MARKET = 1000;
const capital = CAPITAL_A_MARKET * markets;

const TRADER = (url: string) => `
venue: { profile: paper, base_url: "${url}" }
wallet: { file: wallet.json }
ledger: { path: ledger.sqlite }
log: { file: trader.log }
journal: { enabled: true, max_mb: 4000 }
dashboard: { start: false }
capital: "${capital}"
risk: { max_open_orders: 1000, max_total_cost: "${capital}", max_loss_day: "${capital}", max_drawdown: "${capital}", max_fills: 10000 }
strategies: [maker.yaml]
`;

const MAKER = `
strategy: log-odds-maker
markets: { select: { state: open, kind: orderbook }, max: ${markets} }
params: { half_spread_ticks: 2, improve_ticks: 1, order_shares: "25", risk_aversion: 0.002, reprice_ticks: 1 }
`;

async function main(): Promise<void> {
  await build();
  const folder = mkdtempSync(join(tmpdir(), 'twinbook-hour-'));
  const exchange = twinbook([
    'exchange',
    '--port',
    '0',
    '--crowd-markets',
    String(markets),
    '--starting-funds',
    String(2 * capital),
  ]);
  const url = (await exchange.waitFor(/listening on (http:\S+)/))[1] ?? '';
  const config = resolve(folder, 'trader.yaml');
  writeFileSync(config, TRADER(url));
  writeFileSync(join(folder, 'maker.yaml'), MAKER);
  const trader = twinbook(['start', '-c', config]);
  await trader.waitFor(/trades on/);
  const socket = join(folder, 'ledger.sqlite.sock');
  const health = await watch(socket);
  await askTrader({ command: 'stop' }, { socket, timeoutMs: 60_000, untilGone: true }).catch((error: unknown) => {
    console.error(`it was not stopped by its socket: ${String(error)}`);
    trader.process.kill('SIGTERM');
  });
  await trader.exited;
  exchange.process.kill('SIGTERM');
  await exchange.exited;
  await tell(folder, health);
  if (values.keep) console.log(`kept: ${folder}`);
  else rmSync(folder, { recursive: true });
}

/** The trader's health report at the end; a line a minute goes to standard error. */
async function watch(socket: string): Promise<AccountStatus['health'] | null> {
  let health: AccountStatus['health'] | null = null;
  const subscription = new Subscription(socket, {
    line: (line) => {
      if (line.type === 'frame') health = line.account.health;
    },
    onLost: (why) => console.error(why),
  });
  const endsMs = Date.now() + minutes * 60_000;
  while (Date.now() < endsMs) {
    await new Promise((later) => setTimeout(later, Math.min(60_000, endsMs - Date.now())));
    const left = Math.max(0, Math.round((endsMs - Date.now()) / 60_000));
    console.error(`${left} minutes left, load ${loadavg()[0]?.toFixed(1)}`);
  }
  subscription.close();
  return health;
}

async function tell(folder: string, health: AccountStatus['health'] | null): Promise<void> {
  const runs = join(folder, 'runs');
  // A machine that stalls the trader for eight seconds makes its guardian cancel and kill: no quotes follow.
  const kill = statSync(join(folder, 'ledger.sqlite.kill'), { throwIfNoEntry: false });
  const untilMs = kill?.mtimeMs ?? Number.POSITIVE_INFINITY;
  const [run] = readdirSync(runs);
  if (run === undefined) throw new Error(`no run in ${runs}`);
  const tally = new RequestTally();
  for await (const step of readRun(join(runs, run)).steps()) {
    if (step.observation.nowMs > untilMs) break;
    tally.take(step);
  }
  if (kill !== undefined)
    console.log(
      `the guardian stopped the trader at ${kill.mtime.toISOString()}, for it stood still; figures are of the time before`,
    );
  const { requests, throttled, unknown, quoted, seen, gapsS, peaks } = tally.end();
  const at = (part: number) => (gapsS[Math.min(gapsS.length - 1, Math.floor(gapsS.length * part))] ?? 0).toFixed(1);
  console.log(
    `${markets} markets, ${minutes} minutes over HTTP, load average at the end ${loadavg()
      .map((load) => load.toFixed(1))
      .join(' ')}`,
  );
  console.log(`requests        ${requests}; refused for their number ${throttled}; without a known outcome ${unknown}`);
  console.log(`fullest minute  public ${peaks.public} of 120, signed ${peaks.signed} of 300`);
  console.log(`markets         ${seen} seen, ${quoted} quoted`);
  console.log(`book unseen     longest ${at(1)} s, p50 ${at(0.5)}, p99 ${at(0.99)}, ${gapsS.length} looks`);
  if (health !== null) console.log(`steps           ${health.steps}: ${describeSteps(health)}`);
}

/** Number of steps by duration, within the bounds of the metrics. */
function describeSteps({ stepSeconds: { counts, sum }, steps }: AccountStatus['health']): string {
  const below = (part: number) => {
    const passed = counts.map((_, place) => counts.slice(0, place + 1).reduce((sum, count) => sum + count, 0));
    const place = passed.findIndex((count) => count >= part * steps);
    return place < 0 || place >= STEP_BUCKETS.length ? 'above 1 s' : `<= ${1000 * (STEP_BUCKETS[place] ?? 0)} ms`;
  };
  return `mean ${((1000 * sum) / steps).toFixed(2)} ms, p50 ${below(0.5)}, p99 ${below(0.99)}, longest ${below(1)}`;
}

await main();
