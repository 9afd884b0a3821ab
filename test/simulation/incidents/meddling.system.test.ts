/** A strategy that modifies its view. */

import { expect, it } from 'vitest';
import { type Setting, STANDARD } from '../setting.js';
import { MINUTE_MS, playIn } from './scene.js';

const MEDDLING: Setting = { ...STANDARD, makers: STANDARD.makers.map((maker) => ({ ...maker, meddles: true })) };

it('a strategy that empties its view and bids far above what others ask gets no such order past the price collar, and quotes as any other does', () => {
  playIn(MEDDLING, 41, (scene) => {
    scene.until('orders rest', () => scene.resting.length > 0);
    scene.pass(3 * MINUTE_MS);
    const { markets } = scene.process.trader.snapshot(scene.world.ourMs);
    const refused = markets.flatMap(({ refusals }) => refusals).filter(({ name }) => name === 'price_collar_book');
    expect(refused.length, 'it has bid too much').toBeGreaterThan(0);
    expect(scene.loud).not.toContain('strategy_failed');
    scene.agrees();
  });
});
