/** Use of shares: pairs are merged back into currency, the rest is redeemed when the market is resolved. */

import { describe, expect, it } from 'vitest';
import type { StatusData } from '../../../src/cli/ledger/status.js';
import { micros } from '../../../src/shared/base/micros.js';
import { endInOrder, exchangeHere, folderOf, makerYaml, ran, started, traderYaml } from '../../support/cases.js';
import { expectAgreement, marketsOf, paper, Taker } from '../../support/venue.js';

describe('a trader in several markets', () => {
  it('merges what pairs up, redeems what resolves or is canceled, and books all of it', async () => {
    const url = await exchangeHere('--no-rate-limits');
    const folder = folderOf({
      'trader.yaml': traderYaml(url).replace('min_shares: "5"', 'min_shares: "1"'),
      'maker.yaml': makerYaml(),
    });
    const file = `${folder}/trader.yaml`;
    const trader = started(['start', '-c', file]);
    const taker = await Taker.join(url, 1);
    // Slow enough that the trader's own request budget lasts.
    taker.go(
      (await marketsOf(url)).map((row) => row.condition_id),
      250,
    );
    await trader.waitFor(/merged complete sets in "[^"]+" for [\d.]+[\s\S]*merged complete sets in/);
    await taker.end();

    // Two markets with shares, even after a merge in progress: one is resolved, one canceled.
    const { markets } = JSON.parse((await ran(['status', '--json', '-c', file])).output) as StatusData;
    const held = markets.filter(({ yes, no }) => yes !== no);
    expect(held.length).toBeGreaterThanOrEqual(2);
    for (const [index, { market_condition_id: id, title }] of held.slice(0, 2).entries()) {
      await paper(url, `/markets/${id}/resolve/`, { is_yes: index === 0 ? true : null });
      await trader.waitFor(new RegExp(`redeemed in "${title.replaceAll(/[.*+?^$()[\]{}|]/g, '\\$&')}" for [\\d.]+`));
    }
    await endInOrder(trader);
    await expectAgreement(folder, url, micros(1_000_000_000));
  });
});
