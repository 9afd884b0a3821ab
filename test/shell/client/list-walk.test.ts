import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type WalkOptions, walkList } from '../../../src/shell/client/calls.js';
import { BrokenList } from '../../../src/shell/client/errors.js';

interface Row {
  readonly id: string | null;
}
type Answer = { readonly rows: readonly string[]; readonly next: string | null; readonly limit?: number };

/** Walks scripted pages, one for each cursor: its results, its requests, and its end. */
async function walk(
  pages: (cursor: string | undefined) => Answer,
  options: Partial<WalkOptions<Row>> = {},
  most = 1e9,
) {
  const asked: (string | undefined)[] = [];
  const came: (string | null)[] = [];
  let fault: string | null = null;
  const rows = walkList<Row>({
    getKey: ({ id }) => id,
    fullPages: true,
    limit: 2,
    fetch: async (cursor) => {
      asked.push(cursor);
      const { rows: ids, next, limit = null } = pages(cursor);
      return { rows: ids.map((id) => ({ id })), nextCursor: next, limit };
    },
    makeError: (what, text) => new BrokenList('orders.list', what, text),
    ...options,
  });
  try {
    for await (const { id } of rows) {
      came.push(id);
      if (came.length >= most) break;
    }
  } catch (error) {
    if (!(error instanceof BrokenList)) throw error;
    fault = error.fault;
  }
  return { asked, came, fault };
}

const script =
  (answers: Readonly<Record<string, Answer>>) =>
  (cursor = 'start'): Answer =>
    answers[cursor] ?? { rows: [], next: null };

describe('walking a list', () => {
  it('hands out every row once, whatever the pages, against the list itself', async () => {
    const list = fc.uniqueArray(fc.nat().map(String), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(list, fc.integer({ min: 1, max: 7 }), async (ids, size) => {
        const pages = (cursor = '0') => {
          const end = Number(cursor) + size;
          return { rows: ids.slice(Number(cursor), end), next: end < ids.length ? String(end) : null };
        };
        const { came, fault, asked } = await walk(pages, { limit: size });
        expect([came, fault]).toEqual([ids, null]);
        expect(asked).toHaveLength(Math.max(1, Math.ceil(ids.length / size)));
      }),
      { numRuns: 100 },
    );
  });

  it.each<[string, Readonly<Record<string, Answer>>, string, readonly string[]]>([
    [
      'a cursor that names its own page',
      { start: { rows: ['a', 'b'], next: 'x' }, x: { rows: ['c', 'd'], next: 'x' } },
      'cursor_repeated',
      ['a', 'b'],
    ],
    [
      'cursors that go round in a circle',
      {
        start: { rows: ['a', 'b'], next: 'x' },
        x: { rows: ['c', 'd'], next: 'y' },
        y: { rows: ['e', 'f'], next: 'x' },
      },
      'cursor_repeated',
      ['a', 'b', 'c', 'd'],
    ],
    [
      'a row that moved to the next page',
      { start: { rows: ['a', 'b'], next: 'x' }, x: { rows: ['b', 'c'], next: null } },
      'row_repeated',
      ['a', 'b'],
    ],
    ['a row twice on one page', { start: { rows: ['a', 'a'], next: null } }, 'row_repeated', []],
    ['a page that was cut', { start: { rows: ['a'], next: 'x' } }, 'page_cut', []],
    ['a page cut below the size that it tells', { start: { rows: ['a', 'b'], next: 'x', limit: 3 } }, 'page_cut', []],
    ['an empty page before others', { start: { rows: [], next: 'x' } }, 'page_cut', []],
    ['more rows than the page holds', { start: { rows: ['a', 'b', 'c'], next: null } }, 'page_overfull', []],
  ])('ends at %s, before anything of that page', async (_, answers, fault, came) => {
    expect(await walk(script(answers))).toMatchObject({ fault, came });
  });

  it('takes a smaller page for whole where the service says that pages are smaller', async () => {
    const answers = { start: { rows: ['a'], next: 'x', limit: 1 }, x: { rows: ['b'], next: null, limit: 1 } };
    expect(await walk(script(answers))).toMatchObject({ fault: null, came: ['a', 'b'] });
  });

  it('takes short pages where the list may skip rows, and still finds repeats', async () => {
    const short = { start: { rows: ['a'], next: 'x' }, x: { rows: [], next: 'y' }, y: { rows: ['b'], next: null } };
    expect(await walk(script(short), { fullPages: false })).toMatchObject({ fault: null, came: ['a', 'b'] });
    const again = { start: { rows: ['a'], next: 'x' }, x: { rows: ['a'], next: null } };
    expect(await walk(script(again), { fullPages: false })).toMatchObject({ fault: 'row_repeated' });
  });

  it('asks for nothing that nobody wanted', async () => {
    const endless = (cursor = '0') => ({ rows: [`${cursor}a`, `${cursor}b`], next: String(Number(cursor) + 1) });
    expect((await walk(endless, {}, 2)).asked).toHaveLength(1);
    expect((await walk(endless, {}, 3)).asked).toHaveLength(2);
  });

  it('finds a circle of three thousand cursors at once', async () => {
    const round = (cursor = '0') => ({ rows: ['x', 'y'], next: String((Number(cursor) + 1) % 3_000) });
    const { fault, asked } = await walk(round, { getKey: null });
    expect([fault, asked.length]).toEqual(['cursor_repeated', 3_001]);
  });

  it.each([
    [10_000, 'row_repeated'],
    [10_001, null],
  ])('knows a row again that came %i rows before: %s', async (distance, expected) => {
    // The second page's first row; those of the first page stay known.
    const again = 2 + distance;
    const name = (at: number) => String(at === again ? 2 : at);
    const pages = (cursor = '0') => {
      const at = Number(cursor);
      return { rows: [name(at), name(at + 1)], next: at > again ? null : String(at + 2) };
    };
    expect((await walk(pages)).fault).toBe(expected);
  });

  it('finds a list that begins anew under other cursors, however long it is', async () => {
    const length = 8_000;
    const anew = (cursor = '0') => {
      const page = Number(cursor) % length;
      return { rows: [`${page}a`, `${page}b`], next: String(Number(cursor) + 1) };
    };
    const { fault, asked } = await walk(anew);
    expect([fault, asked.length]).toEqual(['row_repeated', length + 1]);
  });

  it('lets rows without a name pass', async () => {
    const unnamed = { getKey: () => null };
    const answers = { start: { rows: ['a', 'a'], next: 'x' }, x: { rows: ['a'], next: null } };
    expect(await walk(script(answers), unnamed)).toMatchObject({ fault: null, came: ['a', 'a', 'a'] });
  });

  it('ends when a thousand pages in a row are empty under ever new cursors, and not while rows come in between', async () => {
    const page =
      (rows: (at: number) => string[]) =>
      (cursor: string = '0') => ({
        rows: rows(Number(cursor)),
        next: cursor === '5000' ? null : String(Number(cursor) + 1),
      });
    const empty = await walk(
      page(() => []),
      { fullPages: false },
    );
    expect([empty.fault, empty.asked.length]).toEqual(['pages_empty', 1_000]);
    const sparse = await walk(
      page((at) => (at % 999 === 0 ? [String(at)] : [])),
      { fullPages: false },
    );
    expect([sparse.fault, sparse.came.length]).toEqual([null, 6]);
  });
});
