/** No conversion is sent in a mode that allows none, whatever is in flight; the whole trader, the whole exchange. */

import { expect, it } from 'vitest';
import { micros } from '../../../src/shared/base/micros.js';
import type { OperatorCommand } from '../../../src/shared/protocol/seam.js';
import { LADDER, type Mode } from '../../../src/trader/engine/control/modes.js';
import { MINUTE_MS, play, type Scene, SECOND_MS } from '../../simulation/incidents/scene.js';
import { STANDARD } from '../../simulation/setting.js';

const reason = 'the key may be stolen';
const LONG_MS = 10 * MINUTE_MS;

const KILL: OperatorCommand = { kind: 'kill', reason };
const PAUSE: OperatorCommand = { kind: 'pause', reason };

const conversionsOf = ({ sent }: Scene) =>
  sent
    .map(({ call: { endpoint } }) => endpoint)
    .filter((endpoint) => /^(merges|splits|redeems)\.(create|submit)$/.test(endpoint));

const modes = Object.keys(LADDER) as Mode[]; // The keys of a record of modes.

it('the ladder lets merges and redeems leave where it lets orders leave, and nowhere else', () =>
  expect(modes.filter((mode) => LADDER[mode].conversions !== 'none')).toEqual(
    modes.filter((mode) => LADDER[mode].orders !== 'none'),
  ));

it('the ladder lets splits leave where orders may add to a position, and nowhere else', () => {
  const adds = modes.filter((mode) => ['normal', 'widen'].includes(LADDER[mode].stance));
  expect(modes.filter((mode) => LADDER[mode].conversions === 'all')).toEqual(adds);
});

/** Wants sets during the first ten minutes of every twenty. */
const HOARDER = { ...STANDARD, makers: STANDARD.makers.map((maker) => ({ ...maker, coreShares: 30 })) };
const EAGER = { ...STANDARD, mergeFromMicros: micros(1_000_000) };

it.each<['split' | 'merge', OperatorCommand, OperatorCommand | null]>([
  ['split', KILL, null],
  ['split', PAUSE, null],
  ['split', { kind: 'reduce-only', reason }, null],
  ['split', { kind: 'flatten' }, null],
  ['merge', KILL, { kind: 'unkill', reason }],
  ['merge', PAUSE, { kind: 'resume', reason }],
])('a drafted %s is neither signed nor followed by another after %o', (kind, hold, lift) => {
  play(
    kind === 'split' ? 52 : 51,
    (scene) => {
      const sent = () => conversionsOf(scene).filter((endpoint) => endpoint.startsWith(kind));
      // Slow enough for a command between the draft and its answer.
      scene.fates((call) => (call.endpoint === `${kind}s.create` ? { thereMs: 3 * SECOND_MS } : null));
      scene.until('one is drafted', () => sent().length > 0, 2 * LONG_MS);
      const before = sent().length;
      scene.world.command(hold);
      scene.pass(2 * MINUTE_MS);
      expect(sent().slice(before)).toEqual([]);
      expect(scene.process.ledger.conversions().filter((conversion) => conversion.kind === kind)).toEqual([]);
      if (lift === null) return;
      scene.world.command(lift);
      scene.until('one is submitted', () => sent().includes(`${kind}s.submit`), LONG_MS);
    },
    kind === 'split' ? HOARDER : EAGER,
  );
});

it('a split whose submit gets no answer is done once, and its sets are still wanted after a restart', () =>
  play(
    52,
    (scene) => {
      let silent = 3;
      scene.fates((call) => (call.endpoint === 'splits.submit' && silent-- > 0 ? { answerLost: true } : null));
      const splits = () => scene.process.ledger.conversions().filter(({ kind }) => kind === 'split');
      scene.until('a split is booked', () => splits().length > 0, 2 * LONG_MS);
      const note = scene.process.ledger.note('core_sets');
      scene.world.kill();
      scene.until('the next process runs', () => scene.world.process !== null);
      expect(scene.process.ledger.note('core_sets')).toBe(note);
      expect(JSON.parse(note ?? '[]')).not.toEqual([]);
      scene.pass(MINUTE_MS);
      expect(scene.process.ledger.verify()).toEqual([]);
    },
    HOARDER,
  ));
