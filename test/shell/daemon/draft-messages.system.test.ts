/** Whole traders on exchanges whose drafts are transactions: with the worm profile, and with a trader's setting. */

import { describe, expect, it } from 'vitest';
import { endInOrder, exchangeHere, folderOf, makerYaml, ran, started, traderYaml } from '../../support/cases.js';

const PROOF = 'orders      nothing rests at the exchange (read twice)';

/** A folder with a trader whose `venue` starts with this text. */
function traderWith(venue: string, url: string | null): string {
  const yaml = traderYaml(url).replace('profile: paper', venue);
  return folderOf({ 'trader.yaml': yaml, 'maker.yaml': makerYaml() });
}

/** Trades until a fill, stops on a signal, and leaves no order. */
async function session(file: string): Promise<void> {
  const trader = started(['start', '-c', file]);
  await trader.waitFor(/quoting \| markets 4 of 4 quoted/);
  await trader.waitFor(/fill: (buy|sell) [\d.]+ (YES|NO) at 0\.\d+/);
  await endInOrder(trader);
  expect(trader.output()).toContain(PROOF);
  expect(trader.output()).not.toContain('refused to sign');
}

describe('a trader', () => {
  it('trades on an exchange that speaks as the worm profile says, and their books agree', async () => {
    const url = await exchangeHere('--profile', 'worm', '--seed', '3');
    const folder = traderWith('profile: worm', url);
    const file = `${folder}/trader.yaml`;
    // Only the paper profile creates a wallet or credentials.
    expect((await ran(['keys', 'create', '--plain-text-key', '--file', `${folder}/wallet.json`])).code).toBe(0);
    expect((await ran(['keys', 'bootstrap', '-c', file])).code).toBe(0);
    await session(file);
    const agreed = await ran(['reconcile', '-c', file]);
    expect(agreed.output).toContain('ledger and exchange agree');
    const doctor = await ran(['doctor', '-c', file]);
    expect(doctor.output).toMatch(/^ok {4}signed request: all \d+ bytes/m);
    expect(doctor.code, doctor.output).toBe(0);
  });

  it('starts its own exchange with the kind of draft that it asks for', async () => {
    const file = `${traderWith('profile: paper, draft_message: solana_tx', null)}/trader.yaml`;
    await session(file);
    // The same while nothing runs: the doctor opens the stored exchange itself.
    expect((await ran(['doctor', '-c', file])).output).toMatch(/^ok {4}signed request: all \d+ bytes/m);
  });
});
