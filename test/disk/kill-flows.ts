/** Eight operations that a kill must not tear: each is killed at a system call, killed in recovery, and completed. */

import type { Comparison } from './kill-comparison.js';
import { KeyFlow } from './kill-key.js';
import { PruneFlow } from './kill-prune.js';
import { ALL_REST, type Ending, KillWorld } from './kill-world.js';
import type { Tracing } from './traced.js';

export interface Flow {
  /** Creates the initial state of the flow. */
  prepare(): Promise<void>;
  /** Runs the flow once under strace, until it is killed or complete. */
  run(how: Tracing): Promise<Ending>;
  /** The start after a kill, under strace. */
  recover(how: Tracing): Promise<Ending>;
  /** Completes the flow on a working machine, and compares. */
  finish(): Promise<Comparison>;
  close(): Promise<void>;
}

export const FLOWS: Readonly<Record<string, { readonly about: string; open(): Promise<Flow> }>> = {
  place: { about: '`twinbook start` that places eight orders', open: () => traderFlow(placing) },
  cancel: { about: '`twinbook start` that is stopped while eight orders rest', open: () => traderFlow(canceling) },
  merge: { about: '`twinbook start` that merges pairs of shares', open: () => traderFlow(merging) },
  split: { about: '`twinbook start` after a set was split past it', open: () => traderFlow(splitting) },
  redeem: { about: '`twinbook start` that redeems a resolved market', open: () => traderFlow(redeeming) },
  key: { about: '`twinbook keys create`', open: async () => new KeyFlow() },
  kill: { about: '`twinbook kill` while eight orders rest', open: () => traderFlow(killSwitch) },
  prune: { about: 'a ledger whose finished orders are pruned', open: async () => new PruneFlow() },
};

/** The first status line that does not say `starting`. */
const RECOVERED = /\d\d:\d\d:\d\d (?!starting)[^|\n]* \| markets/;

/** The parts in which the flows of a whole trader differ. */
type TraderFlow = (world: KillWorld) => Omit<Flow, 'recover' | 'close'>;

async function traderFlow(make: TraderFlow): Promise<Flow> {
  const world = await KillWorld.open();
  const recover = (how: Tracing) => world.startTraced(how, RECOVERED);
  return { ...make(world), recover, close: () => world.close() };
}

/** Starts once more until the output matches, stops the trader, and compares. */
async function lastRun(world: KillWorld, until: RegExp): Promise<Comparison> {
  const trader = world.start();
  await world.heard(trader, until);
  await world.stop(trader);
  return world.compared();
}

const nothing = async () => undefined;

const placing: TraderFlow = (world) => ({
  prepare: nothing,
  run: (how) => world.startTraced(how, ALL_REST),
  finish: () => lastRun(world, ALL_REST),
});

const canceling: TraderFlow = (world) => ({
  prepare: nothing,
  run: async (how) => {
    const trader = world.start();
    await world.heard(trader, ALL_REST);
    const stop = async () => trader.process.kill('SIGTERM');
    return world.during(trader, how, stop, /nothing rests at the exchange/);
  },
  finish: () => lastRun(world, ALL_REST),
});

const merging: TraderFlow = (world) => ({
  prepare: () => world.holdUntil((shares) => shares('m1', true) > 0 && shares('m1', false) > 0, ['m1']),
  run: (how) => world.startTraced(how, /merged complete sets/),
  finish: () => lastRun(world, ALL_REST),
});

const redeeming: TraderFlow = (world) => {
  let market = '';
  return {
    prepare: async () => {
      market = await world.newMarket();
      world.quote([market, 'm1']);
      await world.holdUntil((shares) => shares(market, true) > 0 || shares(market, false) > 0, [market]);
      await world.resolve(market);
    },
    run: (how) => world.startTraced(how, /redeemed in/),
    finish: () => lastRun(world, /orders [4-9] \|/),
  };
};

/** The trader never splits. It ignores a set that another program split with its key, and continues. */
const splitting: TraderFlow = (world) => {
  let isFirst = true;
  return {
    prepare: async () => {
      if (isFirst) await world.stop(await started(world));
      isFirst = false;
      await world.split('m1', 3);
    },
    run: (how) => world.startTraced(how, RECOVERED),
    finish: () => lastRun(world, RECOVERED),
  };
};

async function started(world: KillWorld) {
  const trader = world.start();
  await world.heard(trader, ALL_REST);
  return trader;
}

/** An acknowledged kill is in force at every later start, until a user revokes it. */
const killSwitch: TraderFlow = (world) => {
  let isAcknowledged = false;
  return {
    prepare: nothing,
    run: async (how) => {
      const trader = await started(world);
      const order = async () => (isAcknowledged = (await world.command('kill', '--reason', 'drill')).code === 0);
      return world.during(trader, how, order, /killed.*orders 0 \|/);
    },
    finish: async () => {
      const trader = world.start();
      await world.heard(trader, RECOVERED);
      const { output } = await world.command('status', '--json');
      const { mode } = JSON.parse(output) as { readonly mode: string };
      const different =
        isAcknowledged && mode !== 'killed' ? [`a kill was acknowledged, and the trader is ${mode}`] : [];
      const { code } = await world.command('cancel-all', '--verify');
      if (mode === 'killed' && code !== 0) different.push('orders rest though it is killed');
      if (mode === 'killed') await world.command('unkill', '--reason', 'the drill is over');
      await world.heard(trader, ALL_REST);
      await world.stop(trader);
      const found = await world.compared();
      return { ...found, different: [...different, ...found.different] };
    },
  };
};
