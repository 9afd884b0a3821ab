/** A whole trader on a venue whose drafts differ from the trader's intents. */

import { expect, it, onTestFinished } from 'vitest';
import { openReadOnly } from '../../../src/trader/ledger/ledger.js';
import { alteringProxy } from '../../support/altering-proxy.js';
import { endInOrder, exchangeHere, folderOf, makerYaml, ran, started, traderYaml } from '../../support/cases.js';

interface Status {
  readonly signing_refused: number;
  readonly markets: readonly { readonly state: string }[];
}

it('signs nothing, says so loudly, counts it, and stays out of the market, also after a restart', async () => {
  const url = await exchangeHere('--seed', '3', '--no-rate-limits');
  const proxy = await alteringProxy(url);
  // Every draft costs one share more than requested.
  proxy.answer = (body, { method, path }) =>
    method === 'POST' && path === '/orders/'
      ? body.replace(/Amount: (\d+)/, (_, amount) => `Amount: ${Number(amount) + 1}`)
      : body;
  const submits: string[] = [];
  proxy.alter = ({ method, path }) => {
    if (method === 'POST' && path.endsWith('/submit/')) submits.push(path);
    return {};
  };
  const folder = folderOf({ 'trader.yaml': traderYaml(proxy.url), 'maker.yaml': makerYaml('{ max: 2 }') });
  const file = `${folder}/trader.yaml`;
  const status = async (): Promise<Status> => JSON.parse((await ran(['status', '-c', file, '--json'])).output);

  for (let run = 1; run <= 2; run++) {
    const trader = started(['start', '-c', file]);
    await trader.waitFor(/quoting \| markets 0 of 2 quoted/);
    if (run === 1)
      await trader.waitFor(/amount: the draft says 26, the intent says 25[\s\S]*amount: the draft says 26/);
    const running = await status();
    expect(running.signing_refused).toBeGreaterThanOrEqual(2);
    for (const { state } of running.markets)
      expect(state).toContain('the signer refused a draft: amount: the draft says 26');
    await endInOrder(trader);
  }

  const ledger = openReadOnly(`${folder}/ledger.sqlite`);
  onTestFinished(() => ledger.close());
  const refused = ledger.events(1_000).filter(({ kind }) => kind === 'signing_refused');
  expect(refused.every(({ severity }) => severity === 'loud')).toBe(true);
  const drafts = ledger.intents({ limit: 1_000 }).filter(({ draftPubkey }) => draftPubkey !== null);
  expect(drafts.every(({ signature }) => signature === null)).toBe(true);
  // One event for each draft that the signer saw (others were withdrawn before), and none by the second run.
  const shown = drafts.filter(({ lastReason }) => lastReason.includes('the draft says 26'));
  expect([refused.length, ledger.eventCount('signing_refused')]).toEqual([shown.length, shown.length]);
  expect(await status()).toMatchObject({ running: false, signing_refused: shown.length });
  expect(submits).toEqual([]);
});
