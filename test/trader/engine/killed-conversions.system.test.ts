/** No merge or redeem leaves on a rung that lets none leave, whatever was under way; the whole trader, the whole exchange. */

import { describe, expect, it } from 'vitest';
import { micros } from '../../../src/shared/base/micros.js';
import type { OperatorCommand } from '../../../src/shared/protocol/seam.js';
import { LADDER, type Mode } from '../../../src/trader/engine/control/modes.js';
import { MINUTE_MS, play, type Scene, SECOND_MS } from '../../simulation/incidents/scene.js';
import { STANDARD } from '../../simulation/setting.js';

const reason = 'the key may be stolen';
/** Merges whatever pairs there are. */
const EAGER = { ...STANDARD, mergeFromMicros: micros(1_000_000) };
const LONG_MS = 10 * MINUTE_MS;

const conversionsOf = ({ sent }: Scene) =>
  sent
    .map(({ call: { endpoint } }) => endpoint)
    .filter((endpoint) => /^(merges|redeems)\.(create|submit)$/.test(endpoint));

it('the ladder lets merges and redeems leave where it lets orders leave, and nowhere else', () => {
  const modes = Object.keys(LADDER) as Mode[]; // the keys of a record of modes
  expect(modes.filter((mode) => LADDER[mode].conversions)).toEqual(
    modes.filter((mode) => LADDER[mode].orders !== 'none'),
  );
});

describe.each<[string, OperatorCommand, OperatorCommand]>([
  ['kill', { kind: 'kill', reason }, { kind: 'unkill', reason }],
  ['pause', { kind: 'pause', reason }, { kind: 'resume', reason }],
])('after a %s', (_name, hold, lift) => {
  it('a merge whose draft is under way is not signed, and none is begun until that is lifted', () => {
    play(
      51,
      (scene) => {
        // Slow enough that the word comes between the draft and its answer.
        scene.fates((call) => (call.endpoint === 'merges.create' ? { thereMs: 3 * SECOND_MS } : null));
        scene.until('a merge is drafted', () => conversionsOf(scene).length > 0, LONG_MS);
        const before = conversionsOf(scene).length;
        scene.world.command(hold);
        scene.pass(2 * MINUTE_MS);
        expect(conversionsOf(scene).slice(before)).toEqual([]);
        expect(scene.process.ledger.conversions()).toEqual([]);
        scene.world.command(lift);
        scene.until('it merges again', () => conversionsOf(scene).includes('merges.submit'), LONG_MS);
      },
      EAGER,
    );
  });
});
