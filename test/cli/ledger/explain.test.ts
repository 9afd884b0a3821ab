import { expect, test } from 'vitest';
import beliefMaker from '../../../strategies/belief-maker.js';
import { FACTS, paramsFor, VIEW } from '../../trader/strategy/fixtures.js';
import { run } from '../run.js';
import { folderWith } from './written.js';

test('explain shows what strategies saved of a market, from the ledger alone', async () => {
  const maker = beliefMaker.create(paramsFor(beliefMaker), FACTS);
  maker.quote(VIEW);
  const row = { marketConditionId: 'market-1', version: 1, savedMs: 1_700_000_000_000 };
  const cwd = folderWith((ledger) => {
    ledger.saveStrategyState({ ...row, strategy: 'belief-maker', text: JSON.stringify(maker.save?.()) });
    ledger.saveStrategyState({ ...row, strategy: 'other', text: '{"asked":1}' });
  });
  const { code, out } = await run(['explain', 'market-1', '-c', 'trader.yaml'], { cwd });
  expect(code).toBe(0);
  expect(out).toMatch(/^values saved by belief-maker at 2023-11-14 .* UTC:\n {2}believed_price: 0\.\d+/);
  expect(out).toMatch(/low_wall_price: 0\.45\n.*high_wall_price: 0\.55/s);
  for (const name of ['deviation_price', 'takers_per_s', 'buyer_shares', 'jumps_per_s']) expect(out).toContain(name);
  expect(out).not.toContain('other');
  expect((await run(['explain', 'nowhere', '-c', 'trader.yaml'], { cwd })).code).toBe(2);
});
