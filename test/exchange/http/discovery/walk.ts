/** Shared by the tests of discovery: walking lists, and trades at chosen times. */

import { expect } from 'vitest';
import { type Answered, control, send, type TestTrader } from '../harness.js';

/** All rows of a list, page by page; `between` is called after each page. */
export async function walk(
  base: string,
  path: string,
  limit: number,
  between: () => Promise<unknown> = async () => undefined,
): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  let cursor: string | null = null;
  do {
    const next: string = cursor === null ? '' : `&cursor=${cursor}`;
    const page: Answered = await send(base, 'GET', `${path}${path.includes('?') ? '&' : '?'}limit=${limit}${next}`);
    expect([page.status, page.error]).toEqual([200, null]);
    cursor = (page.meta as { next_cursor: string | null }).next_cursor;
    // A page that is not the last is full, and the last is empty only if it is the only one.
    expect(page.rows.length).toBe(cursor === null ? page.rows.length : limit);
    expect(page.rows.length > 0 || rows.length === 0).toBe(true);
    rows.push(...page.rows);
    await between();
  } while (cursor !== null);
  return rows;
}

export const read = (base: string, path: string): Promise<Answered> => send(base, 'GET', path);

/** Moves the exchange's clock and the callers' clocks. */
export async function pass(base: string, seconds: number, ...traders: readonly TestTrader[]): Promise<void> {
  await control(base, '/clock/', { advance_s: seconds });
  for (const trader of traders) trader.clockShiftS += seconds;
}

/** The slug and the field of an error, e.g. `invalid_request_params q`. */
export const refusal = ({ status, error }: Answered): string =>
  `${status} ${error?.slug} ${Object.keys(error?.details[0] ?? {}).join()}`.trim();

/** Work that runs only twice, however often it is called: lists must stay bounded. */
export function twice(work: () => Promise<unknown>): () => Promise<unknown> {
  let left = 2;
  return async () => (left-- > 0 ? work() : undefined);
}
