import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../../src/shared/protocol/seam.js';
import { openMemoryLedger } from '../../../../src/trader/ledger/ledger.js';
import { detail, snapshot } from '../../market/fixtures.js';
import { NOTHING, PlayedTrader, settingsOf, strategyOf, strategyWith, traderOf, wish } from '../played-trader.js';

const quiet = strategyWith(() => wish(0.5, null));
const answered = (data: unknown): Outcome => ({ kind: 'answered', data: data as never, nextCursor: null });
const bookOf = (market: string) => answered({ ...snapshot([[0.4, 100]], [[0.6, 100]]), market });

/** The result after 300 s of a trader that lists one market; the first `answers` details show `wrong`. */
function lookAfter(answers: number, wrong: object) {
  let wrongAnswers = 0;
  const settings = settingsOf({ runId: 'r', strategies: [strategyOf(['mkt'], quiet)] });
  const played = new PlayedTrader(traderOf(openMemoryLedger(), settings), ({ call }) => {
    if (call.endpoint === 'markets.book') return bookOf('mkt');
    if (call.endpoint !== 'markets.detail') return NOTHING;
    return answered(detail({ condition_id: 'mkt', ...(wrongAnswers-- > 0 ? wrong : {}) }));
  });
  played.pass(20);
  wrongAnswers = answers;
  played.pass(300);
  const alerts = played.trader.takeNotices().filter(({ severity }) => severity === 'loud');
  return { tracked: [...played.trader.watchMarkets(played.nowMs)].length, alerts: alerts.map(({ kind }) => kind) };
}

describe.each([[{ state: 'resolved' }], [{ margin_enabled: true }]])('a listed market whose detail is %o', (wrong) => {
  it('stays tracked after one such answer', () => expect(lookAfter(1, wrong)).toEqual({ tracked: 1, alerts: [] }));

  it('is dropped after several such answers, and an alert says that it cannot be quoted', () => {
    const alerts = 'state' in wrong ? [] : ['market_unsuitable'];
    expect(lookAfter(Number.POSITIVE_INFINITY, wrong)).toEqual({ tracked: 0, alerts });
  });
});

const UNREAD: Outcome = { kind: 'unknown', sent: true, reason: 'HTTP 200, data.config.kind: unknown' };

/** A trader with one place, whose exchange lists market M; details of `unread` cannot be read. */
function selecting(unread: Set<string>, shown = {}) {
  const { markets, ...strategy } = strategyOf([], quiet);
  const settings = settingsOf({ runId: 'r', strategies: [{ ...strategy, markets: { ...markets, max: 1 } }] });
  return new PlayedTrader(traderOf(openMemoryLedger(), settings), ({ call }) => {
    const { condition_id: id = '' }: Readonly<Partial<Record<string, string>>> = call.params as never;
    if (call.endpoint === 'markets.list') return answered([detail({ condition_id: 'M' })]);
    if (call.endpoint === 'markets.book') return bookOf(id);
    if (call.endpoint !== 'markets.detail') return NOTHING;
    return unread.has(id) ? UNREAD : answered(detail({ condition_id: id, ...shown }));
  });
}

const tracked = ({ trader, nowMs }: PlayedTrader) =>
  [...trader.watchMarkets(nowMs)].map(({ conditionId }) => conditionId);
const loud = ({ trader }: PlayedTrader) =>
  trader.takeNotices().flatMap(({ kind }) => (kind.startsWith('market_') ? [kind] : []));

describe('a market whose detail cannot be read', () => {
  it('is excluded three minutes after its last read detail, until its detail can be read again', () => {
    const unread = new Set<string>();
    const played = selecting(unread);
    played.pass(20);
    unread.add('M');
    played.pass(170);
    expect(loud(played)).toEqual([]);
    played.pass(200);
    expect(loud(played)).toEqual(['market_unread']);
    expect(played.trader.snapshot(played.nowMs).markets[0]?.note).toContain('cannot be read: HTTP 200');
    unread.delete('M');
    played.pass(120);
    expect(loud(played)).toEqual(['market_read']);
  });

  it('takes no place of a strategy if its detail was never read, and is tried again after ten minutes', () => {
    const unread = new Set(['M']);
    const played = selecting(unread);
    played.pass(400);
    expect(tracked(played)).toEqual([]);
    unread.clear();
    played.pass(700);
    expect(tracked(played)).toEqual(['M']);
    expect(loud(played)).toEqual(['market_unread', 'market_read']);
  });

  it('is not excluded once it is settled, so that its shares can be redeemed', () => {
    const unread = new Set<string>();
    const played = selecting(unread, { state: 'resolved' });
    played.pass(5);
    unread.add('M');
    played.pass(400);
    expect(loud(played)).toEqual([]);
  });
});
