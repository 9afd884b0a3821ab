import { describe, expect, it } from 'vitest';
import type { Outcome, PlannedRequest, RequestResult } from '../../../src/shared/protocol/seam.js';
import { PageWalk } from '../../../src/trader/reconcile/list-cursor.js';

const request: PlannedRequest = {
  lane: 'own',
  call: { endpoint: 'markets.list', params: {}, query: { limit: 2 }, body: undefined },
  latestMs: 10_000,
  owner: { kind: 'poll', target: { kind: 'catalog' } },
};
const TIMES = { nowMs: 50, sentMs: 40, venueTimeMs: null };
const report = (outcome: Outcome, asked = request): RequestResult => ({ request: asked, outcome, ...TIMES });
const row = (condition_id: string) => ({ condition_id, title: '', state: 'open' }) as never;
const page = (ids: string[], nextCursor: string | null): Outcome => ({
  kind: 'answered',
  data: ids.map(row) as never,
  nextCursor,
});
const walk = () => new PageWalk<'markets.list'>((one) => one.condition_id);

describe('a walk over a list', () => {
  it('asks for page after page with the cursor of the one before, and keeps all rows', () => {
    const one = walk();
    const first = one.onReport(report(page(['a', 'b'], 'c1')));
    expect(first).toMatchObject({ kind: 'page', next: { call: { query: { limit: 2, cursor: 'c1' } } } });
    expect(one.onReport(report(page(['c'], null)))).toMatchObject({ kind: 'page', next: null });
    expect(one.rows.map((seen) => seen.condition_id)).toEqual(['a', 'b', 'c']);
    expect(one.startedMs).toBe(40);
  });

  it.each([
    ['a page with more rows than were asked for', [page(['a', 'b', 'c'], null)]],
    ['a row that comes twice', [page(['a'], 'c1'), page(['a'], null)]],
    ['a cursor that repeats', [page(['a'], 'c1'), page(['b'], 'c1')]],
    ['a page that is lost', [page(['a'], 'c1'), { kind: 'unknown', reason: 'timed out', sent: true } as Outcome]],
    [
      'a page that is refused',
      [{ kind: 'refused', status: 429, slug: 'throttled', message: '', details: [] } as Outcome],
    ],
  ])('is void after %s', (_, outcomes) => {
    const one = walk();
    expect(outcomes.map((outcome) => one.onReport(report(outcome))).at(-1)?.kind).toBe('void');
  });

  it('ends with a list whose cursor never does', () => {
    const one = walk();
    let steps = 0;
    for (let kind = 'page'; kind === 'page' && steps < 1000; steps++)
      kind = one.onReport(report(page([`r${steps}`], `c${steps}`))).kind;
    expect(steps).toBeLessThan(100);
  });
});
