import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatDecimal } from '../../src/base/decimal.js';
import { type Micros, micros } from '../../src/base/micros.js';
import { readProfile } from '../../src/config/venue.js';
import { Reconciler } from '../../src/engine/reconciler.js';
import { Executor } from '../../src/executor/executor.js';
import type { Ledger } from '../../src/ledger/contract.js';
import { openLedger } from '../../src/ledger/ledger.js';
import { ENDPOINTS, type EndpointName } from '../../src/protocol/endpoints.js';
import type { AnyCall, Report } from '../../src/protocol/seam.js';
import { pollTag } from '../../src/scheduler/tags.js';
import { Wallet } from '../../src/wallet/wallet.js';

const profile = readProfile('config/venues/paper.yaml', process.cwd());
const folder = mkdtempSync(join(tmpdir(), 'twinbook-reconciler-'));
let ledger: Ledger;
let reconciler: Reconciler;
let nowMs = 1_700_000_000_000;

beforeEach(() => {
  ledger = openLedger(join(folder, `${nowMs}.sqlite`), { pid: process.pid, startedMs: nowMs });
  const signer = new Wallet(new Uint8Array(32).fill(1)).draftSigner({
    serviceName: profile.service_name,
    draftMessage: 'utf8',
    allowBlindSigning: false,
    loadDraft: (id) => ledger.storedDraft(id),
  });
  ledger.transaction(() => {
    ledger.startRun({ id: 'run', version: '0', configHash: 'h', startedMs: nowMs });
    // Not the first start: what the wallet holds is to be explained by this ledger.
    ledger.setNote('opening_shares', '[]');
    ledger.setNote('trades_baseline', '-');
  });
  const executor = new Executor(ledger, signer, profile, { runId: 'run', configHash: 'h', ownPollMs: 1000 });
  reconciler = new Reconciler(ledger, executor, true);
});

afterEach(() => {
  ledger.close();
  nowMs += 1_000_000;
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** One list answered, as the wire spells it and the client reads it. */
function answer(kind: 'orders' | 'fills' | 'assets', endpoint: EndpointName, wire: unknown): void {
  nowMs += 1000;
  const data = ENDPOINTS[endpoint].data.parse(wire);
  const call = { endpoint, params: {}, query: {}, body: undefined } as AnyCall;
  const report: Report = {
    ask: { lane: 'own', call, latestMs: nowMs, tag: pollTag({ kind }) },
    outcome: { kind: 'answered', data: data as never, nextCursor: null },
    sentMs: nowMs - 10,
    nowMs,
    venueTimeMs: nowMs,
  };
  ledger.transaction(() => reconciler.onReport(kind, report));
}

const asset = (market: string, total: Micros) => ({
  asset_kind: 'share',
  amounts: { total: formatDecimal(total), locked: '0', available: formatDecimal(total) },
  token: { symbol: `${market}-LPT`, address: null },
  value: { usdt: '0', basis: 'mark_to_market' },
  position: { market: { condition_id: market }, is_yes: true },
  created: null,
});

function compare(held: Readonly<Record<string, Micros>>): void {
  answer(
    'assets',
    'account.assets',
    Object.entries(held).map(([market, total]) => asset(market, total)),
  );
  answer('fills', 'trades.list', []);
}

describe('the reconciler', () => {
  it('lets nobody begin while a difference is neither gone nor believed', () => {
    answer('orders', 'orders.list', []);
    compare({ A: micros(5_000_000) });
    expect([reconciler.isComplete, reconciler.verdict, reconciler.wantsAnotherLook]).toEqual([false, null, true]);
    compare({ A: micros(5_000_000) });
    expect(reconciler.isComplete).toBe(true);
    expect(reconciler.verdict).toContain('A YES: ledger 0, exchange 5');
  });

  it('believes a difference whose figures move with every look', () => {
    answer('orders', 'orders.list', []);
    for (const shares of [5, 7]) compare({ A: micros(shares * 1_000_000) });
    expect(reconciler.verdict).toContain('exchange 7');
  });

  it('holds each difference until that one agrees, whatever comes and goes elsewhere', () => {
    for (const other of [1, 0, 2, 0]) compare({ A: micros(5_000_000), B: micros(other * 1_000_000) });
    expect(reconciler.verdict).toContain('A YES');
    expect(reconciler.verdict).not.toContain('B YES');
    compare({});
    expect(reconciler.verdict).toBeNull();
  });

  it('says nothing about shares that were seen before the newest look at our fills was begun', () => {
    answer('fills', 'trades.list', []);
    answer('assets', 'account.assets', [asset('A', micros(1))]);
    expect(reconciler.newest).toBeNull();
  });

  it('reports an order that rests under our wallet and that this ledger never made', () => {
    const foreign = {
      pubkey: 'F1',
      status: 'open',
      side: 'buy',
      price: '0.4',
      amount: '10',
      remaining_amount: '10',
      filled_amount: '0',
      market: { condition_id: 'A', title: 'A' },
      outcome: { is_yes: true, text: 'Yes' },
    };
    answer('orders', 'orders.list', [foreign]);
    compare({});
    compare({});
    expect(reconciler.newest?.differences).toEqual([
      { what: 'order', subject: 'F1', ledger: 'unknown', exchange: 'open' },
    ]);
    expect(reconciler.verdict).toContain('F1');
  });
});
