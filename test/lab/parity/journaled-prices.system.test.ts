/** A ledger with the journals of its runs gives the same report as a replay and a reading of those journals. */

import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Journaled, readJournals, readRecordedRun } from '../../../src/lab/parity/read-recorded-run.js';
import { type Analysis, analyse } from '../../../src/lab/report/analysis/analyse.js';
import { BREAKDOWNS, computeBreakdown, sessionFromLedger } from '../../../src/lab/report/session-from-ledger.js';
import { must } from '../../../src/shared/base/errors.js';
import { storedMarks } from '../../../src/trader/engine/own/account.js';
import type { LedgerReader } from '../../../src/trader/ledger/contract.js';
import { openMemoryLedger } from '../../../src/trader/ledger/ledger.js';
import { CALM } from '../../simulation/faults.js';
import { World } from '../../simulation/world.js';
import { MemoryDiary, replayed } from '../replay/diary.js';
import { journalOf } from './simulated-journal.js';

/** Our clock minus the exchange's. */
const OFF_MS = 7_000;
const DAMAGED = () => {
  throw new Error('no journal here is damaged');
};

type Lived = Awaited<ReturnType<typeof live>>;

const everyMarket = (ledger: LedgerReader) => new Set(ledger.markets().map(({ conditionId }) => conditionId));

function tell(ledger: LedgerReader, journals: Journaled, fairMicros = storedMarks(ledger)) {
  const findPrices = (id: string) => journals.prices.get(id) ?? null;
  const options = { title: 'live', version: '1', nowMs: null, fairMicros, findPrices, journals };
  const session = sessionFromLedger(ledger, options);
  return { pnl: ledger.pnl(fairMicros), session, analysis: analyse(session) };
}

/** @param marks those that the ledger keeps; or none, so that shares are valued at the last middles */
async function live(act: (world: World) => void, marks: 'stored' | 'books' = 'stored') {
  const diary = new MemoryDiary();
  const world = new World(7, { ...CALM, clockOffMs: OFF_MS }, diary);
  try {
    act(world);
    const { ledger } = must(world.process, 'a running trader');
    const journals = await readJournals(diary.runs.map(journalOf), everyMarket(ledger), DAMAGED);
    const told = tell(ledger, journals, marks === 'stored' ? storedMarks(ledger) : new Map());
    return { told, journals, runs: diary.runs };
  } finally {
    world.close();
  }
}

const stopped = (world: World) => {
  world.pass(60_000);
  world.command({ kind: 'stop' });
  world.pass(10_000);
};

/** Floats to twelve digits. */
const rounded = (figures: object): object =>
  Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [
      name,
      typeof value === 'number' ? Number(value.toPrecision(12)) : value,
    ]),
  );

/**
 * Figures that the ledger takes at booking times, and the journal at the exchange's times or each second, with the
 * allowed relative difference. All others must be equal.
 */
const MEASURED_OTHERWISE: readonly (readonly [path: RegExp, share: number])[] = [
  [/^trading\.(rested|noticed)\./, 0.01],
  [/^quoting\./, 0.1],
  [/twoSidedShare$/, 0.1],
  [/^capital\.(meanLockedMicros|returnOnLockedShare)$/, 0.01],
  [/^requests\.(minutes|publicShare|signedShare)$/, 0.05],
];
/** Fields of the whole session that are not figures. */
const OTHER_WORDS = /^(title|fromMs|toMs|warnings|assumptions)\b/;

/** Paths at which two analyses differ by more than the order of float additions and the shares above explain. */
function differences(one: unknown, other: unknown, path = ''): readonly string[] {
  if (OTHER_WORDS.test(path)) return [];
  if (typeof one === 'object' && one !== null && typeof other === 'object' && other !== null) {
    const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
    const at = (from: object, key: string): unknown => Reflect.get(from, key);
    return [...keys].flatMap((key) => differences(at(one, key), at(other, key), path === '' ? key : `${path}.${key}`));
  }
  const allowed = MEASURED_OTHERWISE.find(([known]) => known.test(path))?.[1] ?? 1e-9;
  const isNear =
    typeof one === 'number' && typeof other === 'number' && Math.abs(one - other) <= allowed * Math.abs(one);
  return one === other || isNear ? [] : [`${path}: ${String(one)} and ${String(other)}`];
}

/** Markets by their id: a ledger lists them in another order. */
const byMarket = (analysis: Analysis): object => ({
  ...analysis,
  markets: Object.fromEntries(analysis.markets.map((market) => [market.conditionId, market])),
});

describe('one run', () => {
  let lived: Lived;
  beforeAll(async () => (lived = await live(stopped, 'books')));

  it('has the figures of the session that its journal alone tells, as a backtest is told, to the micro', async () => {
    const { session } = await readRecordedRun(journalOf(must(lived.runs[0], 'a run')));
    const fromJournal = analyse(session);
    const { analysis } = lived.told;
    // Both use the same times, or only one of them would contain a drop of a second.
    expect(lived.told.session.account.timeMs[0]).toBe(session.account.timeMs[0]);
    expect(analysis.trading.fills).toBeGreaterThan(10);
    expect(analysis.result).toEqual(fromJournal.result);
    expect(analysis.result.spreadMicros).not.toBeNull();
    expect([analysis.result.undividedMicros, analysis.equity]).toEqual([0, fromJournal.equity]);
    // Sums of floats, which both add up in another order.
    expect(analysis.markouts.map(rounded)).toEqual(fromJournal.markouts.map(rounded));
    expect(differences(byMarket(analysis), byMarket(fromJournal))).toEqual([]);
    expect(analysis.markets.map(({ category }) => category)).not.toContain('');
    expect(analysis.drawdown.maxMicros).not.toBeNull();
    expect(analysis.warnings.filter(({ level }) => level === 'wrong')).toEqual([]);
  });
});

describe('a run that was killed, and the next one', () => {
  let lived: Lived;
  beforeAll(async () => {
    lived = await live((world) => {
      world.pass(40_000);
      world.kill(5_000);
      stopped(world);
    });
  });

  it('agree with pnl, and with the ledger that their replay makes, to the micro', async () => {
    const { told, journals, runs } = lived;
    expect(runs.length).toBe(2);
    const read = await Promise.all(runs.map((run) => readRecordedRun(journalOf(run))));
    // An order that outlived the first run is none of the second.
    const placed = read.reduce((total, { session }) => total + analyse(session).trading.ordersPlaced, 0);
    expect(placed).toBe(told.analysis.trading.ordersPlaced);
    expect(told.analysis.equity.resultMicros).toBe(told.pnl.totalMicros);
    const last = must(runs.at(-1), 'the last run');
    const ledger = openMemoryLedger(last.ledger);
    onTestFinished(() => ledger.close());
    await replayed(last, { ledger });
    const again = tell(ledger, journals);
    expect([again.pnl, again.analysis.result]).toEqual([told.pnl, told.analysis.result]);
    expect(again.analysis.markets).toEqual(told.analysis.markets);
  });

  it('know the equity over the restart, but for the time in which nobody looked', () => {
    const { account, fromMs, toMs } = lived.told.session;
    expect(account.equityMicros.every((equity) => equity !== null)).toBe(true);
    expect(lived.told.analysis.drawdown.maxMicros).not.toBeNull();
    const sampledMs = (account.timeMs.length - 1) * account.stepMs;
    expect(sampledMs).toBeLessThan(toMs - fromMs - 4_000);
    expect(sampledMs).toBeGreaterThan(toMs - fromMs - 12_000);
  });

  it.each(BREAKDOWNS)('add up by %s, to the micro', (by) => {
    const { session, analysis } = lived.told;
    const standing = (id: string, timeMs: number) => lived.journals.prices.get(id)?.standing(timeMs) ?? null;
    const rows = computeBreakdown(session, analysis, by, standing);
    const sum = (figure: (row: (typeof rows)[number]) => number) => rows.reduce((total, row) => total + figure(row), 0);
    expect(sum(({ resultMicros }) => resultMicros)).toBe(analysis.equity.resultMicros);
    expect(sum(({ fills }) => fills)).toBe(analysis.trading.fills);
    expect(sum(({ feesMicros }) => feesMicros)).toBe(analysis.result.feesMicros);
  });
});
