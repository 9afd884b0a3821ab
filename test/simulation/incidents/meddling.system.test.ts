/** A strategy that modifies its view. */

import { expect } from 'vitest';
import { type Setting, STANDARD } from '../setting.js';
import { incidentIn, MINUTE_MS } from './scene.js';

const MEDDLING: Setting = { ...STANDARD, makers: STANDARD.makers.map((maker) => ({ ...maker, meddles: true })) };

incidentIn(MEDDLING, 'a strategy that empties its view, and bids too much, meets the price collar', 41, (scene) => {
  scene.until('orders rest', () => scene.resting.length > 0);
  scene.pass(3 * MINUTE_MS);
  const { markets } = scene.process.trader.snapshot(scene.world.ourMs);
  const refused = markets.flatMap(({ refusals }) => refusals).filter(({ name }) => name === 'price_collar_book');
  expect(refused.length, 'it has bid too much').toBeGreaterThan(0);
  expect(scene.loud).not.toContain('strategy_failed');
  scene.agrees();
});
