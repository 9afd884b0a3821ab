import { describe, expect, it } from 'vitest';
import { OutcomeUnknown, ServiceRefused } from '../../../src/shell/client/client.js';
import { type Paper, startPaper } from './paper.js';

/** The real client against the paper exchange's rehearsed faults. */

const QUICK = { pollMs: 2, withinMs: 5_000 };
const faults = (paper: Paper, ...answers: object[]) => paper.control('/faults/', { answers });

describe('closing a margin position', () => {
  /** A position of 100 at leverage 2, in a market at 0.5. */
  async function opened(paper: Paper): Promise<string> {
    const made = await paper.control('/markets/', { config: { kind: 'polymarket' } });
    const { condition_id: market } = (made as { data: { condition_id: string } }).data;
    const request = { market_condition_id: market, type: 'market', funds: '100', leverage: 2 } as const;
    const { pubkey } = await paper.client.openMargin(paper.wallet, request, QUICK);
    for (;;) {
      const { rows } = await paper.client.positions.list();
      const position = rows.find((row) => row.position_request_pubkey === pubkey);
      if (position !== undefined) return position.pubkey;
    }
  }
  const asked = ({ network }: Paper) => network.carried.filter((message) => message.startsWith('DELETE')).length;

  it.each([0, 50])('that takes %d ms asks once and reads it until it is closed', async (closing_ms) => {
    const paper = await startPaper();
    const pubkey = await opened(paper);
    await paper.control('/faults/', { closing_ms });
    expect(await paper.client.closeMargin({ pubkey }, QUICK)).toMatchObject({ pubkey, is_closed: true });
    expect(asked(paper)).toBe(1);
  });

  it.each([
    ['an error', { answer: 'error' }],
    ['a refusal', { answer: 'error', slug: 'order_market_not_open' }],
    ['the page of a proxy', { answer: 'html', status: 502 }],
  ])('that acted although it was answered with %s is seen in the position', async (_, fault) => {
    const paper = await startPaper();
    const pubkey = await opened(paper);
    await faults(paper, { ...fault, acts: true, calls: ['DELETE /margin/positions/{pubkey}/'], count: 1 });
    expect(await paper.client.closeMargin({ pubkey }, QUICK)).toMatchObject({ is_closed: true });
    expect(asked(paper)).toBe(1);
  });

  it('that was refused says so after a second look, and is unknown while nobody says anything', async () => {
    const paper = await startPaper();
    const pubkey = await opened(paper);
    const calls = ['DELETE /margin/positions/{pubkey}/'];
    await faults(paper, { answer: 'error', slug: 'order_market_not_open', calls, count: 1 });
    await expect(paper.client.closeMargin({ pubkey }, QUICK)).rejects.toThrow(ServiceRefused);
    await faults(paper, { answer: 'html', calls, count: 1 });
    const lost = paper.client.closeMargin({ pubkey }, { pollMs: 100, withinMs: 3_000 });
    await expect(lost).rejects.toMatchObject({
      name: 'OutcomeUnknown',
      sent: true,
      mayHaveHappened: true,
      pubkey,
      record: { is_closed: false },
    });
    await expect(paper.client.closeMargin({ pubkey: 'nobody' }, QUICK)).rejects.toThrow(ServiceRefused);
    expect((await paper.client.positions.detail(pubkey)).is_closed).toBe(false);
    expect(asked(paper)).toBe(3);
  });

  it('that waits for its price is unknown when the time is over', async () => {
    const paper = await startPaper();
    const pubkey = await opened(paper);
    const waiting = paper.client.closeMargin({ pubkey, price: '0.9' }, { pollMs: 100, withinMs: 1_000 });
    await expect(waiting).rejects.toThrow(OutcomeUnknown);
  });
});
