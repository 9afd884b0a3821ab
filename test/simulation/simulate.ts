/** One simulation: faults, then calm with final agreement; then a pause or kill, and a stop, which must hold. */

import { Random } from '../../src/shared/base/random.js';
import { isSettledMarket } from '../../src/shared/protocol/states.js';
import { differences, unsettled } from '../trader/executor/agreement.js';
import { check } from './check.js';
import { CLOCK_BACK_PART, sufferClockBack } from './clock-back.js';
import { drawFaults, type Faults, type Tally } from './faults.js';
import { wrongLocks } from './locks.js';
import { LYING_PART, sufferLies } from './lying.js';
import { QUOTER_PART, sufferQuoter } from './lying-quoter.js';
import { drawMisjudgment, spoilNextRead } from './misjudging.js';
import { drawSetting, FUNDS, type Pace, type Setting, START_MS } from './setting.js';
import { STOLEN_PART, sufferThief } from './stolen-key.js';
import { type Beats, World } from './world.js';

const MINUTE_MS = 60_000;
/** Faults come in phases; each ends in calm with an agreement. */
const PHASE_MS = 20 * MINUTE_MS;
/** Requests sent in the last moment of the faults may arrive this late, and until then the faults last. */
const TAIL_MS = 60_000;
/** After a pause or kill: cancels and the last fills, so at least two reads of own records. */
const PULL_MS = 30_000;
const LAST_CANCELS_MS = 5_000;
/** While the exchange answers, no order may rest this long after a pause or kill, whatever one answer said. */
const GONE_MS = 10_000;
/** After it an order must rest again within this time's request budget. */
const AGAIN_MS = 120_000;
const LOOK_MS = 1_000;
/** A tenth of the public requests reads details, which show that a market is settled. */
const DETAIL_PART = 0.1;
/** Four open markets, and the settled ones that are not redeemed yet. */
const MOST_MARKETS = 6;

export interface Story {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly traceHash: string;
  readonly simulatedMs: number;
  /** Number of events: deliveries, beats, trades of the crowd. */
  readonly events: number;
  readonly tally: Tally;
}

export interface SimulateOptions {
  readonly seed: number;
  /** Duration of faults, ms, all phases together. */
  readonly faultyMs: number;
  /** Default: drawn from the seed for each phase. */
  readonly faults?: Faults;
  /** Default: drawn from the seed, at this pace. */
  readonly setting?: Setting;
  /** Default: busy. */
  readonly pace?: Pace;
  /** Default: given. */
  readonly beats?: Beats;
  /** Called once at the start, e.g. to set a script for the network. */
  readonly begin?: (world: World) => void;
}

/** One story; it ends early, at its first violation. */
export function simulate(options: SimulateOptions): Story {
  const { seed, beats, begin } = options;
  const random = Random.fromSeed(seed, 'faults');
  const setting = options.setting ?? drawSetting(Random.fromSeed(seed, 'setting'), options.pace);
  const world = new World(seed, options.faults ?? drawFaults(random), null, beats, setting);
  if (setting.makers.some(({ meddles }) => meddles)) world.tally.add('traders: of a strategy that meddles');
  try {
    begin?.(world);
    live(world, setting, options, random);
    // A ledger that broke an invariant may be unreadable.
    if (world.process !== null && world.invariants.violations.length === 0) countOwn(world, world.process);
  } finally {
    world.close();
  }
  return {
    seed,
    violations: world.invariants.violations,
    traceHash: world.traceHash,
    simulatedMs: world.timeline.nowMs - START_MS,
    events: world.timeline.count,
    tally: world.tally,
  };
}

function live(world: World, setting: Setting, { seed, faultyMs, faults }: SimulateOptions, random: Random): void {
  const misjudges = faults === undefined || faults.misjudged > 0;
  const misjudging = misjudges ? Random.fromSeed(seed, 'misjudging') : null;
  const phases = Math.max(1, Math.round(faultyMs / PHASE_MS));
  for (let phase = 0; phase < phases && world.invariants.violations.length === 0; phase++) {
    if (phase > 0) world.suffer(faults ?? drawFaults(random));
    world.pass(faultyMs / phases / 2);
    world.resolveAny();
    world.pass(faultyMs / phases / 2);
    heal(world, setting);
    // After either no order rests.
    hold(world, setting, (seed + phase) % 2 === 0 ? ['pause', 'resume'] : ['kill', 'unkill'], misjudging);
  }
  if (Random.fromSeed(seed, 'clock back').chance(CLOCK_BACK_PART)) sufferClockBack(world);
  const others = Random.fromSeed(seed, 'others');
  const lies = others.chance(LYING_PART);
  if (others.chance(STOLEN_PART)) sufferThief(world, setting);
  const isQuoted = !lies && Random.fromSeed(seed, 'lying quoter').chance(QUOTER_PART);
  if (isQuoted && world.invariants.violations.length === 0) sufferQuoter(world);
  if (lies && world.invariants.violations.length === 0) sufferLies(world);
  stop(world, setting, lies);
}

/** One draft lifetime and two of the slowest poll after the last fault, everything agrees. */
function heal(world: World, { profile, polling }: Setting): void {
  const reason = 'the simulation';
  world.calm();
  // A difference may come from two lists that lacked the same row. After its acceptance, the trader asks again.
  const asks = () => (world.process?.trader.snapshot(world.ourMs).reduceOnly ?? null) !== null;
  let isAccepted = asks();
  world.command({ kind: 'unkill', reason });
  world.command({ kind: 'resume', reason });
  world.pass(TAIL_MS);
  // Failed trades may be reported late.
  isAccepted ||= world.exchange.trades.failed.size > 0;
  for (let times = 0; isAccepted && times < 2; times++) {
    if (times > 0) world.pass(TAIL_MS);
    isAccepted = asks();
    world.command({ kind: 'resume', reason });
  }
  const detailMs = (MOST_MARKETS * 60_000) / (DETAIL_PART * profile.rate_limits.public_per_minute);
  world.pass(profile.draft_lifetime_s * 1000 + 2 * Math.max(60_000, detailMs, polling.assetsIntervalMs));
  check(world, 'after calm', ({ process, say }) => {
    world.invariants.knowsWhatRests();
    const { mode, reduceOnly } = process.trader.snapshot(world.ourMs);
    if (mode !== 'quoting') say(`the mode is ${mode}`);
    if (reduceOnly !== null) say(reduceOnly);
    for (const text of [...unredeemed(world), ...locks(world, process)]) say(text);
  });
}

/** Controls 5, 6 and 7: a position in a market, in an event, in all. */
const POSITION_CONTROLS: ReadonlySet<string> = new Set([
  'max_position_shares',
  'max_event_position_shares',
  'max_event_loss',
  'max_total_cost',
]);

/** Near 0 or 1 the strategy does not quote if its other side would be beyond the valid prices. */
const EDGE_MICROS = 100_000;
const isAtTheEdge = (fairMicros: number | null): boolean =>
  fairMicros !== null && (fairMicros < EDGE_MICROS || fairMicros > 1_000_000 - EDGE_MICROS);

type Hold = readonly ['pause', 'resume'] | readonly ['kill', 'unkill'];

function hold(world: World, { polling }: Setting, [hold, lift]: Hold, random: Random | null): void {
  const reason = 'the simulation';
  const endMisjudging = random === null ? null : misjudgeOnce(world, random);
  world.command({ kind: hold, reason });
  world.pass(GONE_MS);
  check(world, `ten seconds after ${hold}`, ({ say }) => nothingRests(world, say));
  endMisjudging?.();
  world.pass(Math.max(PULL_MS, 2 * polling.ownIntervalMs + LAST_CANCELS_MS) - GONE_MS);
  check(world, `after ${hold}`, ({ process, say }) => {
    nothingRests(world, say);
    for (const text of [...disagreements(world), ...locks(world, process)]) say(text);
  });
  world.command({ kind: lift, reason });
  for (let waitedMs = 0; waitedMs < AGAIN_MS && world.exchange.resting().length === 0; waitedMs += LOOK_MS)
    world.pass(LOOK_MS);
  check(world, `after ${lift}`, ({ process, say }) => {
    const { reason, markets: all, pausedMarkets } = process.trader.snapshot(world.ourMs);
    // A resume of the trader does not lift the flatten of a market.
    const paused = pausedMarkets.filter((pause) => pause.reason.endsWith('flattened by the operator'));
    const markets = all.filter(({ conditionId }) => !paused.some((pause) => pause.conditionId === conditionId));
    // Its holdings may have reached the position limits of all quoted markets.
    const isFull = markets.some(({ refusals }) => refusals.some(({ name }) => POSITION_CONTROLS.has(name)));
    const quoted = markets.filter(({ strategies }) => strategies.length > 0);
    const isHeldBack = paused.length > 0 && quoted.length === 0;
    const wantsNothing = isHeldBack || (quoted.length > 0 && quoted.every(({ fairMicros }) => isAtTheEdge(fairMicros)));
    if (world.exchange.resting().length === 0 && !isFull && !wantsNothing) say(`nothing rests: ${reason}`);
  });
}

/** In a calm world the next signed read gets this answer, before or after the stop. Returns a function that ends it. */
function misjudgeOnce(world: World, random: Random): () => void {
  const { network, tally } = world;
  if (network.script !== null) return () => undefined;
  const misjudgment = drawMisjudgment(random);
  network.script = spoilNextRead(misjudgment, () => tally.add(`fault: ${misjudgment[0]}`));
  if (random.chance(0.5)) world.pass(random.below(GONE_MS));
  return () => (network.script = null);
}

/** @param lied the ledger holds the exchange's false reports */
function stop(world: World, { profile }: Setting, lied: boolean): void {
  const lifetimeMs = profile.draft_lifetime_s * 1000;
  world.stop();
  // The daemon's wait for the proof.
  world.pass(lifetimeMs + 30_000);
  check(world, 'stopped', ({ process, say }) => {
    const { mode, proven } = process.trader.snapshot(world.ourMs);
    if (mode !== 'stopped' || !proven) say(`the mode is ${mode}, proven: ${proven}`);
    nothingRests(world, say);
  });
  world.pass(lifetimeMs);
  check(world, 'long after the stop', ({ say }) => {
    nothingRests(world, say);
    if (!lied) for (const text of disagreements(world)) say(text);
  });
}

function nothingRests({ exchange }: World, say: (violation: string) => void): void {
  const resting = exchange.resting().map(({ pubkey }) => pubkey);
  if (resting.length > 0) say(`${resting} rest`);
}

function locks({ exchange, tally }: World, process: NonNullable<World['process']>): readonly string[] {
  const wrong = wrongLocks(exchange, process);
  if (wrong !== null) tally.add('locks compared');
  return wrong ?? [];
}

/** To the micro, trade by trade, order by order. */
function disagreements({ exchange, process }: World): readonly string[] {
  if (process === null) return [];
  const { core, account } = exchange;
  const parties = { core, account, ...process, markets: exchange.markets(), funds: FUNDS };
  return [...unsettled(parties), ...differences(parties)];
}

/** Shares in finished markets. */
function unredeemed({ exchange: { core, account } }: World): string[] {
  const found: string[] = [];
  for (const { state, card, shares } of core.catalog.markets) {
    const { yes, no } = shares.read(account);
    if (isSettledMarket(state) && yes + no > 0)
      found.push(`shares of settled market ${card.conditionId} are not redeemed`);
  }
  return found;
}

function countOwn({ tally }: World, { ledger }: NonNullable<World['process']>): void {
  tally.add('fills', ledger.fills({ limit: 1e6 }).length);
  tally.add('orders', ledger.orders({ limit: 1e6 }).length);
  for (const { kind } of ledger.conversions({ limit: 1e6 })) tally.add(`${kind}s`);
}
