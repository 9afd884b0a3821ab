/** What is the same in every simulation: the venue's profile, the trader's limits, what it trades and how. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { micros } from '../../src/base/micros.js';
import type { StrategySettings, TraderSettings } from '../../src/engine/settings.js';
import type { VenueProfile } from '../../src/protocol/profile.js';
import { riskLimitsSchema } from '../../src/risk/limits.js';
import logOddsMaker from '../../strategies/log-odds-maker.js';
import { paramsFor } from '../strategy/fixtures.js';

export const START_MS = 1_795_000_000_000;
export const FUNDS = micros(1_000_000_000);

/** As the paper venue, but that a draft lives half as long: the calm after the faults is as much shorter. */
export const PROFILE: VenueProfile = {
  service_name: 'SVC',
  header_prefix: 'SVC',
  base_url: 'http://127.0.0.1:1',
  draft_message: 'utf8',
  draft_lifetime_s: 30,
  clock_tolerance_s: 30,
  rate_limits: { public_per_minute: 120, signed_per_minute: 300, bootstrap_per_minute: 10 },
  own_trades: true,
};

/** Tight enough to be reached; losses alone do not stop it, or a bad seed would test nothing after its first minutes. */
export const LIMITS = riskLimitsSchema.parse({
  max_position_shares: '60',
  max_event_position_shares: '100',
  max_open_orders: 10,
  max_loss_day: '900',
  max_drawdown: '900',
});

const FILE = join(import.meta.dirname, '../../config/strategies/crowd-maker.yaml');

function strategies(): readonly StrategySettings[] {
  const { params } = parse(readFileSync(FILE, 'utf8')) as { params: Record<string, unknown> };
  const maker = (name: string, order_shares: string, max: number): StrategySettings => ({
    name,
    module: logOddsMaker,
    params: paramsFor(logOddsMaker, { ...params, order_shares }),
    markets: { ids: [], state: 'open', categories: [], max },
    quoteHours: null,
    risk: LIMITS,
  });
  // Two on some of the same markets: they must not trade with each other.
  return [maker('crowd-maker', '25', 4), maker('second-maker', '10', 2)];
}

export const traderSettings = (runId: string): TraderSettings => ({
  runId,
  configHash: 'simulation',
  version: '0',
  profile: PROFILE,
  capitalMicros: FUNDS,
  risk: LIMITS,
  polling: {
    ownIntervalMs: 1000,
    hotIntervalMs: 500,
    quietIntervalMs: 10_000,
    catalogIntervalMs: 60_000,
    assetsIntervalMs: 20_000,
  },
  merge: { enabled: true, minSharesMicros: micros(10_000_000) },
  strategies: strategies(),
  boundedCall: (call) => call(),
});
