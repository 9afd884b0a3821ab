import { describe, expect, it } from 'vitest';
import { ExchangeCore } from '../../../src/exchange/core/core.js';
import { Crowd } from '../../../src/exchange/crowd/crowd.js';
import { micros } from '../../../src/shared/base/micros.js';

const settings = {
  serviceName: 'SVC',
  draftLifetimeMs: 60_000,
  landingMs: 400,
  startingFunds: micros(10_000_000_000),
  challengeLifetimeMs: 600_000,
  seed: 1,
};

describe('a crowd that comes back to an exchange that was killed', () => {
  it('takes down what it left resting, so that no order stays without an owner', () => {
    const core = new ExchangeCore(settings);
    const crowd = Crowd.attach(core, { seed: 1 }, 1_000);
    for (let nowMs = 1_000; nowMs <= 30_000; nowMs += 100) crowd.tick(nowMs);
    const maker = core.at(30_000).identity.openInternal('crowd-maker', { unlimited: true });
    const left = core.pool.internalHandles(maker);
    expect(left.length).toBeGreaterThan(4);

    const restored = new ExchangeCore(settings, JSON.parse(JSON.stringify(core.snapshot())));
    expect(restored.pool.internalHandles(maker)).toEqual(left);
    Crowd.attach(restored, { seed: 1 }, 31_000);
    expect(restored.pool.internalHandles(maker)).toEqual([]);
  });
});
