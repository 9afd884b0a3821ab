/**
 * The modes of the whole trader: random commands, crashes and restarts, on the whole exchange. After every step, an
 * independent check with only orders, holdings and fair values compares the sent requests with the mode.
 */

import { expect, it, onTestFinished } from 'vitest';
import type { Wire } from '../../../src/exchange/core/contract.js';
import { must } from '../../../src/shared/base/errors.js';
import { complement, type Micros, parseDecimal } from '../../../src/shared/base/micros.js';
import { Random } from '../../../src/shared/base/random.js';
import type { Observation, OperatorCommand, Request } from '../../../src/shared/protocol/seam.js';
import { signToHex } from '../../../src/shell/wallet/wallet.js';
import { LADDER, type Mode } from '../../../src/trader/engine/control/modes.js';
import { CALM } from '../../simulation/faults.js';
import { type Setting, STANDARD } from '../../simulation/setting.js';
import { type Diary, World } from '../../simulation/world.js';
import { times } from '../../support/effort.js';

const SECOND_MS = 1_000;
const MINUTES = 3;
const reason = 'because';

/** Enough resumes to leave each mode again. */
const COMMANDS: readonly OperatorCommand[] = [
  { kind: 'widen', reason },
  { kind: 'widen', reason },
  { kind: 'reduce-only', reason },
  { kind: 'reduce-only', reason },
  { kind: 'pause', reason },
  { kind: 'cancel-all' },
  { kind: 'flatten' },
  { kind: 'kill', reason },
  { kind: 'resume', reason: '' },
  { kind: 'resume', reason },
  { kind: 'resume', reason },
  { kind: 'resume', reason },
  { kind: 'unkill', reason },
  { kind: 'unkill', reason },
];

/** In the service's format. */
interface WireOrder {
  readonly market_condition_id: string;
  readonly is_yes: boolean;
  readonly side: string;
  readonly price: string;
  readonly amount: string;
}

const read = (text: string): Micros => must(parseDecimal(text), text);

class Watcher implements Diary {
  /** Forbidden requests. */
  readonly offences: string[] = [];
  /** Sent orders, by mode. */
  readonly placed = new Map<Mode, number>();
  world: World | null = null;
  /** Orders sent by the newest step. */
  leaving = 0;
  #mode: Mode | null = null;
  /** Our clock, ms: start of the current mode. */
  #sinceMs = 0;

  begin() {
    return <T>(signer: T): T => signer;
  }

  step(observation: Observation, requests: readonly Request[]): void {
    const process = this.world?.process ?? null;
    if (process === null) return;
    const { mode } = process.trader.snapshot(observation.nowMs);
    if (mode !== this.#mode) this.#sinceMs = observation.nowMs;
    this.#mode = mode;
    this.leaving = requests.filter(({ call }) => call.endpoint === 'orders.create').length;
    for (const { call } of requests) {
      if (call.endpoint === 'orders.create') {
        this.placed.set(mode, (this.placed.get(mode) ?? 0) + 1);
        // The trader only places limit orders.
        const offence = this.#offence(mode, call.body as WireOrder, observation.nowMs);
        if (offence !== null) this.offences.push(`${mode}: ${offence}: ${JSON.stringify(call.body)}`);
      }
      if (call.endpoint === 'orders.submit') this.#submitted(mode, call.params.pubkey);
    }
  }

  #offence(mode: Mode, order: WireOrder, nowMs: number): string | null {
    const { orders, stance } = LADDER[mode];
    if (orders === 'none') return 'nothing may leave';
    if (orders === 'sales') return order.side === 'sell' ? null : 'only sales may leave';
    const market = this.world?.process?.trader
      .snapshot(nowMs)
      .markets.find(({ conditionId }) => conditionId === order.market_condition_id);
    if (market === undefined) return 'of a market that it does not know';
    const raises = (order.side === 'buy') === order.is_yes;
    if (stance === 'reduce-only') {
      const net = market.yesMicros - market.noMicros;
      return read(order.amount) <= (raises ? -net : net) ? null : `it does not reduce ${net}`;
    }
    if (stance !== 'widen') return null;
    const priceYes: Micros = order.is_yes ? read(order.price) : complement(read(order.price));
    const distance = raises ? (market.fairMicros ?? 0) - priceYes : priceYes - (market.fairMicros ?? 0);
    return distance >= SETTING.limits.widenDistanceMicros ? null : `it is ${distance} from the fair value`;
  }

  /** An order started in a milder mode must not be sent in a stricter one. */
  #submitted(mode: Mode, draftPubkey: string): void {
    const { orders, stance } = LADDER[mode];
    const intents = this.world?.process?.ledger.intents({ kind: 'place', limit: 100 }) ?? [];
    const intent = intents.find((row) => row.draftPubkey === draftPubkey);
    if (intent === undefined) return void this.offences.push(`${mode}: a submit of no intent`);
    if (orders === 'none') return void this.offences.push(`${mode}: a submit: ${intent.id}`);
    if (orders === 'sales' && intent.strategy !== 'flatten') this.offences.push(`${mode}: a submit of a quote`);
    const isNarrow = orders === 'quotes' && stance !== 'normal';
    if (isNarrow && intent.createdMs < this.#sinceMs) this.offences.push(`${mode}: a submit from before: ${intent.id}`);
  }
}

/** One strategy, so that a market has one fair value. */
const SETTING: Setting = { ...STANDARD, makers: STANDARD.makers.slice(0, 1) };
const SEEDS = times([1, 2], [1, 2, 3]);

/** A world that ends with its test. */
function begin(seed: number, faults = CALM, watcher: Watcher | null = null): World {
  const world = new World(seed, faults, watcher, 'given', SETTING);
  onTestFinished(() => world.close());
  if (watcher !== null) watcher.world = world;
  return world;
}

/** Some minutes of commands, crashes and restarts, and at the end a kill with an immediate crash. */
function live(seed: number): Watcher {
  const watcher = new Watcher();
  const random = Random.fromSeed(seed, 'ladder');
  const world = begin(seed, CALM, watcher);
  world.pass(10 * SECOND_MS);
  const endMs = world.timeline.nowMs + MINUTES * 60 * SECOND_MS;
  while (world.timeline.nowMs < endMs) {
    const command = COMMANDS[random.below(COMMANDS.length)];
    if (command !== undefined) world.command(command);
    if (random.chance(0.15)) world.kill();
    world.pass(200 + random.below(8 * SECOND_MS));
    // Ideally the command meets orders in flight.
    for (let i = 0; i < 40 && watcher.leaving === 0; i++) world.pass(SETTING.beatMs / 5);
  }
  world.command({ kind: 'kill', reason });
  world.kill();
  world.pass(60 * SECOND_MS);
  expect(world.process?.trader.snapshot(world.ourMs)).toMatchObject({ mode: 'killed', openOrders: 0 });
  expect(world.exchange.resting()).toEqual([]);
  expect(world.invariants.violations).toEqual([]);
  return watcher;
}

it('only requests that the ladder allows leave, through commands, crashes and restarts', () => {
  const placed = new Map<Mode, number>();
  for (const seed of SEEDS) {
    const watcher = live(seed);
    expect(watcher.offences, `seed ${seed}`).toEqual([]);
    for (const [mode, count] of watcher.placed) placed.set(mode, (placed.get(mode) ?? 0) + count);
  }
  // Otherwise the test would prove nothing about them.
  for (const mode of ['quoting', 'widened', 'reducing', 'flattening'] as const)
    expect(placed.get(mode) ?? 0, mode).toBeGreaterThan(0);
});

it('a cancel-all whose process died before it was proven is proven by the next', () => {
  const world = begin(1);
  const modeNow = () => world.process?.trader.snapshot(world.ourMs).mode;
  world.pass(30 * SECOND_MS);
  const before = new Set(world.exchange.resting().map(({ pubkey }) => pubkey));
  expect(before.size).toBeGreaterThan(0);
  world.command({ kind: 'cancel-all' });
  world.kill();
  while (world.process === null) world.pass(SETTING.beatMs);
  expect(modeNow()).toBe('canceling');
  world.pass(30 * SECOND_MS);
  expect(modeNow()).toBe('quoting');
  expect(world.exchange.resting().filter(({ pubkey }) => before.has(pubkey))).toEqual([]);
});

it.each(SEEDS.slice(0, times(1, 3)))('seed %i: a difference holds back any earlier decision, signed or not', (seed) => {
  const watcher = new Watcher();
  const world = begin(seed, { ...CALM, delayMs: 600 }, watcher);
  const rung = () => world.process?.trader.snapshot(world.ourMs).mode;
  world.pass(30 * SECOND_MS);
  const split = otherHostSplits(world);
  for (let i = 0; i < 3 * 60 && rung() !== 'reducing'; i++) world.pass(SECOND_MS);
  expect(world.process?.trader.snapshot(world.ourMs).reduceOnly).toContain(split);
  world.pass(60 * SECOND_MS);
  expect(watcher.offences).toEqual([]);
  expect(watcher.placed.get('quoting')).toBeGreaterThan(0);
});

/** The simulated trader's own key. */
const KEY = Uint8Array.from({ length: 32 }, (_, i) => i + 1);

/** Another program with the same key splits sets of shares; returns the pubkey of the split. */
function otherHostSplits({ exchange, timeline: { nowMs } }: World): string {
  const body = { market_condition_id: must(exchange.markets()[0], 'market'), amount: '5' };
  const draft = exchange.serve({ endpoint: 'splits.create', params: {}, query: {}, body }, nowMs);
  // The envelope of a draft, as the exchange writes it.
  const { pubkey, message } = (JSON.parse(draft.text) as { data: Wire<'draft'> }).data;
  const signature = signToHex(Buffer.from(message, 'utf8'), KEY);
  const call = { endpoint: 'splits.submit', params: { pubkey }, query: {}, body: { signature } } as const;
  expect(exchange.serve(call, nowMs).status).toBe(200);
  return pubkey;
}
