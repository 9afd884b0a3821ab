import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { MarketReplay } from '../../../src/shell/console/own-commands.js';
import { folderOf } from '../../support/folders.js';
import { until } from '../../support/waiting.js';

/** Records its requests, is wrong about `bad`, and never ends for `slow`. */
const PROGRAM = `
const subject = process.argv.at(-1);
if (subject === 'slow') setInterval(() => undefined, 1000);
else if (subject === 'bad') { console.error('no run had begun by then'); process.exitCode = 2; }
else console.log(process.argv.slice(2).join(' '));
`;
const AT_MS = Date.UTC(2026, 10, 25, 21, 3, 10);

test('a moment is worked out by the command, one at a time, and kept', async () => {
  let steadyMs = 0;
  const program = join(folderOf({ 'program.mjs': PROGRAM }), 'program.mjs');
  const past = new MarketReplay('trader.yaml', program, () => steadyMs);
  onTestFinished(() => past.close());
  const answer = (subject: string) =>
    until(
      () => past.ask(subject, AT_MS),
      ({ state }) => state === 'done' || state === 'failed',
    );
  expect(past.ask('m1', AT_MS)).toMatchObject({ state: 'working', subject: 'm1', at: AT_MS });
  expect(past.ask('bad', AT_MS).state).toBe('waiting');
  const done = {
    ...{ state: 'done', subject: 'm1', at: AT_MS },
    text: 'explain -c trader.yaml --at 2026-11-25T21:03:10.000Z -- m1',
  };
  expect(await answer('m1')).toEqual(done);
  expect(await answer('bad')).toMatchObject({ state: 'failed', text: 'no run had begun by then' });
  expect(past.ask('slow', AT_MS).state).toBe('working');
  // Cached, whatever is in progress.
  expect(past.ask('m1', AT_MS)).toEqual(done);
  steadyMs = 9_000;
  expect(past.ask('slow', AT_MS).state).toBe('working');
  steadyMs = 18_000;
  expect(past.ask('--help', AT_MS).state).toBe('waiting');
  // The other one was not requested for ten seconds.
  steadyMs = 20_000;
  expect((await answer('--help')).text).toMatch(/-- --help$/);
});
