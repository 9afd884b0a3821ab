import { expect, it } from 'vitest';
import { makeReplayNotices } from '../../../src/exchange/http/ticker.js';

type ReplayNotes = ReturnType<Parameters<typeof makeReplayNotices>[0]['notes']>;
const NONE: ReplayNotes = { markets: 2, unresolved: 0, notes: [], failures: [] };
const note = (message: string) => ({ path: '/data/A', message });

/** Output of a driver, as `level: message`, for each observation. */
function look(...looks: readonly Partial<ReplayNotes>[]): readonly string[] {
  const printed: string[] = [];
  let found: ReplayNotes = NONE;
  const notices = makeReplayNotices(
    { notes: () => found },
    {
      info: (_, message) => printed.push(`info: ${message}`),
      warn: (_, message) => printed.push(`warn: ${message}`),
    },
  );
  for (const [index, facts] of looks.entries()) {
    found = { ...NONE, ...facts };
    notices.tick(index * 5_000);
  }
  return printed;
}

it('prints one line of warning for all notes, and each note once in the log', () => {
  const first = { unresolved: 2, notes: [note('3 rows disagree'), note('no snapshot')] };
  const later = { unresolved: 2, notes: [note('4 rows disagree'), note('no snapshot'), note('2 events skipped')] };
  expect(look({}, first, later)).toEqual([
    'warn: 2 of 2 recorded markets will end unresolved: the outcome is unknown; 2 notes on the quality of the recordings: -v prints them',
    'info: /data/A: 3 rows disagree',
    'info: /data/A: no snapshot',
    'info: /data/A: 2 events skipped',
  ]);
});

it('warns of a recording that cannot be read to its end, once', () => {
  const failures = [note('the disk broke')];
  expect(look({ failures }, { failures })).toEqual(['warn: /data/A: the disk broke']);
});

it('is silent about complete recordings', () => expect(look({}, {})).toEqual([]));
