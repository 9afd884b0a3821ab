/** Settings of one simulation: the venue's profile, the trader's limits and pace, its markets and its strategies. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type Micros, micros } from '../../src/shared/base/micros.js';
import type { Random } from '../../src/shared/base/random.js';
import type { VenueProfile } from '../../src/shared/protocol/profile.js';
import type { StrategySettings, TraderSettings } from '../../src/trader/engine/settings.js';
import { type RiskLimits, riskLimitsSchema } from '../../src/trader/risk/limits.js';
import type { Strategy } from '../../src/trader/strategy/contract.js';
import { USUAL_ECONOMICS } from '../../src/trader/strategy/economics.js';
import logOddsMaker from '../../strategies/log-odds-maker.js';
import { profile } from '../shell/client/hostile-server.js';
import { POLLING } from '../trader/scheduler/world.js';
import { paramsFor } from '../trader/strategy/fixtures.js';
import { withCore } from './core-maker.js';
import { meddler } from './meddler.js';

export const START_MS = 1_795_000_000_000;
/** The trader's key. */
export const KEY = Uint8Array.from({ length: 32 }, (_, i) => i + 1);
export const FUNDS = micros(1_000_000_000);

interface Maker {
  readonly name: string;
  readonly orderShares: number;
  readonly markets: number;
  /** The strategy's parameter. With two makers, one may buy what the other sells. */
  readonly riskAversion: number;
  readonly halfSpreadTicks: number;
  /** An order this many ticks off stays. */
  readonly repriceTicks: number;
  /** Number of wanted sets, during every second ten minutes; else 0. */
  readonly coreShares: number;
  /** Its strategy modifies its view and bids far too much: `meddler.ts`. */
  readonly meddles?: boolean;
}

/** As in the shipped file of the crowd's maker. */
const NEAR = { halfSpreadTicks: 2, repriceTicks: 1 };
const FAR = { halfSpreadTicks: 5, repriceTicks: 4 };

export interface Setting {
  readonly profile: VenueProfile;
  /** Requests that the exchange admits; absent: as in the profile. */
  readonly allowed?: VenueProfile['rate_limits'];
  readonly limits: RiskLimits;
  readonly polling: TraderSettings['polling'];
  readonly mergeFromMicros: Micros;
  /** Two on some of the same markets must not trade with each other. */
  readonly makers: readonly Maker[];
  /** Maximum rows of the exchange per page, whatever the request. */
  readonly mostRows: number;
  /** From the submit of a merge to its landing, ms. */
  readonly landingMs: number;
  /** Interval between beats of the trader's shell, ms: longer on a slow machine. */
  readonly beatMs: number;
  /** Every half minute all prunable rows are deleted from the ledger. */
  readonly prunes?: boolean;
}

const profileOf = (lifetimeS: number, publicPerMinute: number, signedPerMinute: number): VenueProfile => ({
  ...profile,
  draft_lifetime_s: lifetimeS,
  rate_limits: { public_per_minute: publicPerMinute, signed_per_minute: signedPerMinute, bootstrap_per_minute: 10 },
});

/** Tight enough to be reached; losses alone do not stop it, or a bad seed would soon test nothing. */
const limitsOf = (positionShares: number, openOrders: number, bookAgeMs = 8_000): RiskLimits =>
  riskLimitsSchema.parse({
    max_position_shares: `${positionShares}`,
    max_event_position_shares: `${Math.round(positionShares * 1.6)}`,
    max_open_orders: openOrders,
    max_book_age_ms: bookAgeMs,
    max_loss_day: '900',
    max_drawdown: '900',
  });

/** Like the paper venue, but with half a draft's lifetime: the calm after the faults is shorter accordingly. */
export const STANDARD: Setting = {
  profile: profileOf(30, 120, 300),
  limits: limitsOf(60, 10),
  polling: { ...POLLING, marks: 'auto' },
  mergeFromMicros: micros(10_000_000),
  makers: [
    { name: 'crowd-maker', orderShares: 25, markets: 4, riskAversion: 0.002, coreShares: 0, ...NEAR },
    { name: 'second-maker', orderShares: 10, markets: 2, riskAversion: 0.002, coreShares: 30, ...NEAR },
  ],
  mostRows: 100,
  landingMs: 700,
  beatMs: 250,
};

export const PROFILE = STANDARD.profile;

/** The trader's request rate: `busy` uses the venue's whole budget, `patient` some requests a minute. */
export type Pace = 'busy' | 'patient';

/** The setting of one seed: a realistic venue and trader. */
export function drawSetting(random: Random, pace: Pace = 'busy'): Setting {
  const busy = drawBusy(random);
  return pace === 'busy' ? busy : slowedDown(busy, random);
}

/** The same venue, with a trader that polls few markets rarely, and quotes on older books. */
function slowedDown({ makers, limits, ...setting }: Setting, random: Random): Setting {
  return {
    ...setting,
    limits: limitsOf(Number(limits.maxPositionSharesMicros) / 1e6, limits.maxOpenOrders, 90_000),
    makers: makers.map((maker) => ({ ...maker, ...FAR, markets: Math.min(maker.markets, 1 + random.below(2)) })),
    polling: {
      ownIntervalMs: oneOf(random, 15_000, 20_000, 30_000),
      hotIntervalMs: oneOf(random, 20_000, 30_000, 40_000),
      quietIntervalMs: 60_000,
      catalogIntervalMs: oneOf(random, 120_000, 300_000),
      assetsIntervalMs: oneOf(random, 120_000, 180_000),
    },
    beatMs: 1000,
  };
}

const oneOf = <T>(random: Random, ...values: readonly [T, ...T[]]): T =>
  values[random.below(values.length)] ?? values[0];

function drawBusy(random: Random): Setting {
  const meddles = random.chance(1 / 8);
  const drawMaker = (name: string, shares: number, markets: number, riskAversion: number) => ({
    name,
    orderShares: shares + random.below(2 * shares),
    markets: 1 + random.below(markets),
    ...NEAR,
    riskAversion,
  });
  const [first, second] = [drawMaker('crowd-maker', 10, 4, 0.002), drawMaker('second-maker', 5, 2, 0.02)];
  return {
    profile: profileOf(oneOf(random, 10, 20, 30, 60), oneOf(random, 30, 45, 60), oneOf(random, 150, 200, 300)),
    limits: limitsOf(oneOf(random, 40, 60, 90), oneOf(random, 6, 10, 16)),
    polling: {
      ownIntervalMs: oneOf(random, 3000, 6000, 12_000),
      hotIntervalMs: oneOf(random, 1000, 3000, 6000),
      quietIntervalMs: oneOf(random, 20_000, 30_000),
      catalogIntervalMs: oneOf(random, 60_000, 120_000),
      assetsIntervalMs: oneOf(random, 30_000, 45_000, 60_000),
    },
    mergeFromMicros: micros(oneOf(random, 5_000_000, 10_000_000)),
    makers: (random.chance(0.5) ? [first] : [first, second]).map((maker) => ({
      ...maker,
      meddles,
      // Derived from an earlier draw: a third of the makers sell out of complete sets.
      coreShares: maker.orderShares % 3 === 0 ? 2 * maker.orderShares : 0,
    })),
    mostRows: oneOf(random, 15, 25, 40),
    landingMs: oneOf(random, 200, 700, 3000),
    beatMs: oneOf(random, 250, 500, 1000),
    // Derived as above: half of the traders.
    prunes: first.orderShares % 2 === 0,
  };
}

const FILE = join(import.meta.dirname, '../../config/strategies/crowd-maker.yaml');
// The file is our own and has parameters.
const { params } = parse(readFileSync(FILE, 'utf8')) as { params: Record<string, unknown> };

function strategies({ makers, limits }: Setting): readonly StrategySettings[] {
  return makers.map(
    ({ name, orderShares, markets, riskAversion, halfSpreadTicks, repriceTicks, meddles, coreShares }) => ({
      name,
      moduleKey: name,
      module: withCore(meddles === true ? meddler : logOddsMaker, micros(coreShares * 1_000_000)),
      params: paramsFor(logOddsMaker, {
        ...params,
        // Behind others too: more orders give faults more targets.
        behind_ticks: 500_000,
        order_shares: `${orderShares}`,
        risk_aversion: riskAversion,
        half_spread_ticks: halfSpreadTicks,
        reprice_ticks: repriceTicks,
      }),
      markets: { ids: [], state: 'open', categories: [], max: markets },
      quoteHours: null,
      risk: limits,
    }),
  );
}

function fails(): never {
  throw new Error('it is broken');
}

/** Strategies to which a trader may be switched. */
const OTHER_MODULES: Readonly<Record<string, Strategy>> = {
  plain: logOddsMaker,
  broken: { ...logOddsMaker, create: () => ({ quote: fails }) },
};

export function traderSettings(runId: string, setting: Setting = STANDARD): TraderSettings {
  const made = strategies(setting);
  return {
    runId,
    configHash: 'simulation',
    version: '0',
    profile: setting.profile,
    capitalMicros: FUNDS,
    risk: setting.limits,
    polling: setting.polling,
    merge: { enabled: true, minSharesMicros: setting.mergeFromMicros },
    economics: USUAL_ECONOMICS,
    events: [],
    strategies: made,
    boundedCall: (call) => call(),
    findModule: (key) => OTHER_MODULES[key] ?? made.find(({ moduleKey }) => moduleKey === key)?.module ?? null,
  };
}
