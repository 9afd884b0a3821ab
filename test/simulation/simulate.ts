/** One simulation: faults, then calm, then everything must agree; then a pause or kill, and a stop, that must hold. */

import { Random } from '../../src/base/random.js';
import { isSettledMarket } from '../../src/protocol/states.js';
import { differences, unsettled } from '../executor/agreement.js';
import { drawFaults, type Faults, type Tally } from './faults.js';
import { FUNDS, PROFILE, START_MS } from './setting.js';
import { type Beats, World } from './world.js';

const LIFETIME_MS = PROFILE.draft_lifetime_s * 1000;
/** The slowest of the polls: details, which tell that a market is settled. */
const SLOWEST_POLL_MS = 60_000;
/** One draft lifetime, the slowest poll, and what follows from it: a redeem, a reconciliation. */
const CALM_MS = LIFETIME_MS + SLOWEST_POLL_MS + 60_000;
/** Under a pause or kill: cancels and the last fills. */
const PULL_MS = 30_000;
const AGAIN_MS = 60_000;
/** As the daemon waits for the proof. */
const STOP_MS = LIFETIME_MS + 30_000;

export interface Story {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly traceHash: string;
  readonly simulatedMs: number;
  /** Things that happened: deliveries, beats, trades of the crowd. */
  readonly events: number;
  readonly tally: Tally;
}

export interface SimulateOptions {
  readonly seed: number;
  /** How long faults last, ms. */
  readonly faultyMs: number;
  /** Default: drawn from the seed. */
  readonly faults?: Faults;
  /** Default: given. */
  readonly beats?: Beats;
  /** Called once before anything happens, e.g. to write a script for the network. */
  readonly begin?: (world: World) => void;
}

/** One story; it ends early, at its first violation. */
export function simulate({ seed, faultyMs, faults, beats, begin }: SimulateOptions): Story {
  const drawn = faults ?? drawFaults(Random.seeded(seed, 'faults'));
  const world = new World(seed, drawn, null, beats);
  try {
    begin?.(world);
    live(world, { seed, faultyMs }, drawn);
    if (world.process !== null) countOwn(world, world.process);
    return {
      seed,
      violations: world.invariants.violations,
      traceHash: world.traceHash,
      simulatedMs: world.timeline.nowMs - START_MS,
      events: world.timeline.count,
      tally: world.tally,
    };
  } finally {
    world.close();
  }
}

function live(world: World, { seed, faultyMs }: SimulateOptions, faults: Faults): void {
  const reason = 'the simulation';
  world.pass(faultyMs / 2);
  world.stepClock(faults.clockStepMs);
  world.resolveAny();
  world.pass(faultyMs / 2);

  world.calm();
  world.command({ kind: 'unkill', reason });
  world.command({ kind: 'resume', reason });
  world.pass(CALM_MS);
  check(world, 'after calm', ({ process, say }) => {
    world.invariants.knowsWhatRests(process);
    const { mode, reduceOnly } = process.trader.snapshot(world.ourMs);
    if (mode !== 'quoting') say(`the mode is ${mode}`);
    if (reduceOnly !== null) say(reduceOnly);
    for (const text of unredeemed(world)) say(text);
  });

  // Either leaves nothing resting; every other seed has the one, the rest the other.
  const [hold, lift] = seed % 2 === 0 ? (['pause', 'resume'] as const) : (['kill', 'unkill'] as const);
  world.command({ kind: hold, reason });
  world.pass(PULL_MS);
  check(world, `after ${hold}`, ({ say }) => {
    nothingRests(world, say);
    for (const text of disagreements(world)) say(text);
  });

  world.command({ kind: lift, reason });
  world.pass(AGAIN_MS);
  check(world, `after ${lift}`, ({ process, say }) => {
    if (world.exchange.resting().length === 0) say(`nothing rests: ${process.trader.snapshot(world.ourMs).reason}`);
  });

  world.command({ kind: 'stop' });
  world.pass(STOP_MS);
  check(world, 'stopped', ({ process, say }) => {
    const { mode, proven } = process.trader.snapshot(world.ourMs);
    if (mode !== 'stopped' || !proven) say(`the mode is ${mode}, proven: ${proven}`);
    nothingRests(world, say);
  });
  world.pass(LIFETIME_MS);
  check(world, 'long after the stop', ({ say }) => {
    nothingRests(world, say);
    for (const text of disagreements(world)) say(text);
  });
}

interface Checked {
  readonly process: NonNullable<World['process']>;
  readonly say: (violation: string) => void;
}

function check(world: World, when: string, work: (checked: Checked) => void): void {
  const { process, invariants } = world;
  if (invariants.violations.length > 0) return;
  const say = (violation: string) => invariants.say(`${when}: ${violation}`);
  if (process === null) say('no process runs');
  else work({ process, say });
}

function nothingRests({ exchange }: World, say: (violation: string) => void): void {
  const resting = exchange.resting().map(({ pubkey }) => pubkey);
  if (resting.length > 0) say(`${resting} rest`);
}

/** To the micro, trade by trade, order by order. */
function disagreements({ exchange, process }: World): readonly string[] {
  if (process === null) return [];
  const { core, account } = exchange;
  const parties = { core, account, ...process, markets: exchange.markets(), funds: FUNDS };
  return [...unsettled(parties), ...differences(parties)];
}

/** Shares in markets that are over. */
function unredeemed({ exchange: { core, account } }: World): string[] {
  return Array.from({ length: core.marketCount }, (_, index) => index)
    .filter((index) => isSettledMarket(core.marketFacts(index).state))
    .filter((index) => core.holdingOf(account, index).yes + core.holdingOf(account, index).no > 0)
    .map((index) => `shares of settled market ${core.marketFacts(index).conditionId} are not redeemed`);
}

function countOwn({ tally }: World, { ledger }: NonNullable<World['process']>): void {
  tally.add('fills', ledger.fills({ limit: 1e6 }).length);
  tally.add('orders', ledger.orders({ limit: 1e6 }).length);
  for (const { kind } of ledger.conversions({ limit: 1e6 })) tally.add(`${kind}s`);
}
