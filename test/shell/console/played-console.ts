/** A console in this process beside a prepared trader: a ledger with trades, a history, several markets. */

import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MarketStatus, StatusLineOf } from '../../../src/shared/protocol/trader-status.js';
import { loadTraderConfig } from '../../../src/shell/config/load.js';
import { shownConfig } from '../../../src/shell/config/shown.js';
import { openConsole } from '../../../src/shell/console/console.js';
import { History, locateStore, StoreFile } from '../../../src/shell/console/store.js';
import type { ControlQuestion, ControlResponse } from '../../../src/shell/control/control-protocol.js';
import type { Ledger } from '../../../src/trader/ledger/contract.js';
import { openLedger } from '../../../src/trader/ledger/ledger.js';
import { MARKET } from '../../cli/ledger/written.js';
import { untilTrue } from '../../support/waiting.js';
import { fillOf, HOLDER, intentOf, m, ONE, orderOf } from '../../trader/ledger/books.js';
import { trader } from '../config/files.js';
import { bookTrades } from './booked-trades.js';
import { ACCOUNT, agreedAt, hello, market } from './state-of-markets.js';
import { OBEYED, serveTrader, WATCHING } from './told-trader.js';

/** Long, like generated ones: a short password costs each page a long derivation. */
export const SECRET = 'the secret of the page, a long one';
export const VIEW_SECRET = 'only to look, and for long as well';
/** A market's name with which an exchange could attack its viewers. */
export const HOSTILE = `<img src=x onerror="document.title='taken'">\u202e${'"><script>alert(1)</script>'.repeat(3)}`;
/** Why the hostile market is not quoted. */
export const UNQUOTED = 'waiting for request budget: 12 of 120 left, and moves of other markets come first';
const RECORDED = 'market=B9M4kCb2rA3QaKcxYkZWjvqkCnz7UEsjMJWPCTT7waHK';
const POINT_MS = 5_000;
const HISTORY_MS = 900_000;
/** A loss before every other fill, on another UTC day whenever the test runs. */
const LOST_MS = Date.now() - 129_600_000;
export const LOST_DAY = new Date(LOST_MS).toISOString().slice(0, 10);

/** Figures of a market that moves with time, as in telemetry. */
export function movingMarket(id: string, title: string, timeMs: number): MarketStatus {
  const fair = 600_000 + Math.round(20_000 * Math.sin(timeMs / 60_000));
  const still = market(id, title);
  const order = still.orders[0];
  if (order === undefined) throw new Error('that market has orders');
  const submittedMs = timeMs - 30_000;
  return {
    ...still,
    fairMicros: m(fair),
    markMicros: m(fair),
    eventId: 'the event',
    maxPositionMicros: m(500_000_000),
    bookSeenMs: timeMs - 800,
    resolvesMs: timeMs + 86_400_000,
    ...{ bestBidMicros: m(fair - 20_000), bestAskMicros: m(fair + 20_000) },
    ...{ bidMicros: m(fair - 10_000), askMicros: m(fair + 10_000) },
    bids: [1, 2, 3].map((i) => [m(fair - i * 20_000), m(i * 7_000_000)]),
    asks: [1, 2, 3].map((i) => [m(fair + i * 20_000), m(i * 8_000_000)]),
    trades: [1, 2, 3].map((i) => [timeMs - i * 10_000, m(fair), m(i * 2_000_000), i === 2 ? 'sell' : 'buy']),
    orders: [
      { ...order, priceMicros: m(fair - 10_000), submittedMs, queueAheadMicros: m(4_000_000) },
      { ...order, side: 'ask', priceMicros: m(fair + 10_000), submittedMs, queueAheadMicros: null },
    ],
    factors: { sigma: 0.0123456, inventory_skew: -0.004 },
    refusals: [{ name: 'max_order_shares', count: 3, text: 'order of 300 shares, the limit is 250' }],
  };
}

export const frameAt = (timeMs: number): StatusLineOf<'frame'> => ({
  type: 'frame',
  time: timeMs,
  account: {
    ...ACCOUNT,
    reconciled: agreedAt(timeMs - 20_000),
    feeds: [{ name: 'model', current: 1, values: 80, ageMs: 1_200, problems: 0, trouble: null }],
    risk: {
      ...ACCOUNT.risk,
      events: [{ eventKey: 'the event', positionMicros: m(3_000_000), lossMicros: m(850_000_000) }],
    },
  },
  markets: [
    movingMarket('m1', 'Will it rain in Reykjavík on Friday?', timeMs),
    { ...movingMarket('m2', HOSTILE, timeMs), orders: [], note: UNQUOTED },
  ],
  known: ['m1', 'm2'],
});

const DIFF = {
  ok: true,
  data: { lines: ['risk.max_loss_day: 50 → 60 (looser) [wants a reason]'], applied: false, hash: 'h' },
} as const;

const answerOf = (question: ControlQuestion): ControlResponse => {
  if (question.command !== 'config') return OBEYED;
  return question.action === 'apply' && question.reason === '' ? { ok: false, error: 'all need a reason' } : DIFF;
};

/** @param isSeveral adds another trader, which does not run */
export async function playConsole(isSeveral = false) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'twinbook-page-')));
  writeFileSync(join(folder, 'view'), VIEW_SECRET, { mode: 0o600 });
  const lines = 'dashboard: { port: 0, start: false, view_password_file: view }\nrecording: { dir: recordings }';
  const load = (name: string) => loadTraderConfig(name, { cwd: folder, env: {} });
  cpSync('config/strategies/touch-maker.yaml', join(folder, 'touch.yaml'));
  cpSync(join('data/sample', RECORDED), join(folder, 'recordings', RECORDED), { recursive: true });
  writeFileSync(join(folder, 'trader.yaml'), trader(lines, '[touch.yaml]'));
  const config = load('trader.yaml');
  mkdirSync(join(folder, 'gone'));
  writeFileSync(join(folder, 'gone', 'second.yaml'), trader('dashboard: { start: false }'));
  const second = load('gone/second.yaml');
  const ledger = openLedger(config.ledger.path, HOLDER);
  fillLedger(ledger);
  fillHistory(config.ledger.path);
  const server = await serveTrader(config.control.socket, answerOf);
  const { asked, readers, tell } = server;
  // The console starts our command from its sources.
  const { execArgv } = process;
  process.execArgv = [...execArgv, '--import', 'tsx'];
  const opened = await openConsole({
    config,
    secret: SECRET,
    guardian: WATCHING,
    others: isSeveral ? [{ config: second, guardian: WATCHING }] : [],
    note: () => undefined,
  });
  await untilTrue(() => readers.length > 0);
  tell(
    hello({
      run: 'run',
      startedMs: Date.now() - 3_600_000,
      config: {
        ...shownConfig({ ...config, strategies: [], configHash: '', texts: new Map() }),
        strategies: [{ name: 'maker', risk: { max_order_shares: '100' } }],
      },
    }),
  );
  tell({ type: 'notice', time: Date.now(), severity: 'loud', kind: 'throttled', text: 'the exchange asks to wait' });
  const telling = setInterval(() => tell(frameAt(Date.now())), 500);
  tell(frameAt(Date.now()));
  return {
    url: opened.url ?? '',
    asked,
    /** Whether the stop file killed the other trader, which does not run. */
    isOtherStopped: () => existsSync(`${second.ledger.path}.kill`),
    /** The trader hangs: its socket is open but it sends nothing by its own schedule. */
    hang: () => clearInterval(telling),
    tell,
    async close() {
      clearInterval(telling);
      process.execArgv = execArgv;
      await opened.close();
      server.close();
      ledger.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Two orders, one of them filled in two parts, a sale, an older loss, and the operator's notices. */
function fillLedger(ledger: Ledger): void {
  const nowMs = Date.now();
  const reason = JSON.stringify({ note: 'as usual', fair: '0.6', book_age_ms: 700, factors: { sigma: 0.0123 } });
  const of = { marketConditionId: 'm1', createdMs: nowMs - 800_000, updatedMs: nowMs - 100_000 };
  const fill = (pubkey: string, order: string, agoMs: number) => ({
    pubkey,
    orderPubkey: order,
    marketConditionId: 'm1',
    timestampS: Math.floor((nowMs - agoMs) / 1000),
    seenMs: nowMs - agoMs + 900,
    isMaker: true,
  });
  const run = { id: 'run', version: '9.8.7', configHash: 'ab'.repeat(32), startedMs: nowMs - 3_600_000 };
  ledger.transaction(() => ledger.startRun(run));
  const lost = { market: 'm2', shares: 20, timeS: Math.floor(LOST_MS / 1000) };
  bookTrades(ledger, [
    { ...lost, id: 'a', price: 600_000 },
    { ...lost, id: 'b', side: 'sell', price: 100_000 },
  ]);
  ledger.transaction(() => {
    for (const [id, title] of [
      ['m1', 'Will it rain in Reykjavík on Friday?'],
      ['m2', HOSTILE],
    ] as const)
      ledger.saveMarket({ ...EVENT_MARKET, conditionId: id, title, seenMs: nowMs });
    ledger.addIntent(intentOf({ ...of, id: 'intent-1', reason, state: 'done', draftPubkey: 'order-1' }));
    ledger.addOrder(orderOf({ ...of, intentId: 'intent-1', status: 'filled', closedMs: nowMs - 100_000 }));
    ledger.addIntent(intentOf({ ...of, id: 'intent-2', reason, state: 'live', draftPubkey: 'order-2', side: 'sell' }));
    ledger.addOrder(orderOf({ ...of, pubkey: 'order-2', intentId: 'intent-2', side: 'sell', priceMicros: m(620_000) }));
    ledger.bookFill(fillOf({ ...fill('fill-1', 'order-1', 700_000), amountMicros: m(4 * ONE) }));
    ledger.bookFill(fillOf({ ...fill('fill-2', 'order-1', 240_000), amountMicros: m(6 * ONE) }));
    const sold = { ...fill('fill-3', 'order-2', 120_000), side: 'sell', priceMicros: m(620_000) } as const;
    ledger.bookFill(fillOf({ ...sold, amountMicros: m(5 * ONE) }));
    for (const [kind, text] of [
      ['started', 'the trader was started'],
      ['kill', HOSTILE],
    ] as const)
      ledger.addEvent({ timeMs: nowMs - 60_000, severity: 'loud', kind, text });
  });
}

const EVENT_MARKET = { ...MARKET, eventConditionId: 'the event', resolutionS: null };

/** The last quarter of an hour, with a minute without data. */
function fillHistory(ledgerPath: string): void {
  const nowMs = Date.now();
  const clocks = { nowMs: () => nowMs, steadyMs: () => 0 };
  const file = new StoreFile({ path: locateStore(ledgerPath), note: () => undefined, ...clocks });
  const history = new History(file);
  for (let agoMs = HISTORY_MS; agoMs > 0; agoMs -= POINT_MS) {
    if (agoMs > 180_000 && agoMs <= 240_000) continue;
    const timeMs = nowMs - agoMs;
    const { fairMicros: fair } = movingMarket('m1', '', timeMs);
    if (fair === null) continue;
    history.add({
      account: { timeMs, equityMicros: 1_001_000_000 + fair, resultMicros: 1_000_000 + fair, lossDayMicros: 0 },
      markets: ['m1', 'm2'].map((id) => ({
        id,
        ...{ bestBidMicros: fair - 20_000, bestAskMicros: fair + 20_000, fairMicros: fair },
        ...{ bidMicros: fair - 10_000, askMicros: fair + 10_000 },
        netMicros: Math.round((5_000_000 * (HISTORY_MS - agoMs)) / HISTORY_MS),
      })),
    });
  }
  file.close();
}
