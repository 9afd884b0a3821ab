import { describe, expect, it } from 'vitest';
import type { Lane } from '../../../src/shared/protocol/seam.js';
import { Lanes } from '../../../src/shell/client/budget-line.js';

/** Tasks that end only on the test's command. */
function runner(lanes: Lanes) {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (name: string, lane: Lane, patienceMs = 60_000) =>
    lanes.run(lane, patienceMs, () => {
      started.push(name);
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    await new Promise(setImmediate);
  };
  return { started, run, end };
}

describe('the lanes', () => {
  it('start at once while there is room, then the urgent first and each lane in its order', async () => {
    const { started, run, end } = runner(new Lanes(1));
    const first = run('first', 'own');
    const rest = (['quiet', 'hot', 'draft', 'own'] as const).map((lane) => run(lane, lane));
    const second = run('own-2', 'own');
    expect(started).toEqual(['first']);
    for (const name of ['first', 'own', 'own-2', 'draft', 'hot', 'quiet']) await end(name);
    expect(started).toEqual(['first', 'own', 'own-2', 'draft', 'hot', 'quiet']);
    expect(await Promise.all([first, ...rest, second])).toEqual(['first', 'quiet', 'hot', 'draft', 'own', 'own-2']);
  });

  it('keep room for cancels and submits while everything else hangs', async () => {
    const { started, run, end } = runner(new Lanes(2));
    const all = [...[...'abc'].map((name) => run(name, 'quiet')), run('cancel', 'cancel'), run('submit', 'submit')];
    const later = [run('submit-2', 'submit'), run('cancel-2', 'cancel')];
    expect(started).toEqual(['a', 'b', 'cancel', 'submit']);
    await end('submit');
    expect(started.at(-1)).toBe('cancel-2');
    for (const name of ['a', 'b', 'c', 'cancel', 'cancel-2', 'submit-2']) await end(name);
    expect(await Promise.all([...all, ...later])).toHaveLength(7);
  });

  it('never start what ran out of patience', async () => {
    const { started, run, end } = runner(new Lanes(1));
    const first = run('first', 'own');
    expect(await run('late', 'own', 1)).toBeNull();
    await end('first');
    expect(await first).toBe('first');
    expect(started).toEqual(['first']);
  });
});
