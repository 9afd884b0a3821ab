import { tmpdir } from 'node:os';
import { expect, it, onTestFinished, vi } from 'vitest';
import { putBack, readState } from './left-behind.js';

const NAME = 'TWINBOOK_LEFT_BEHIND';
const ignore = () => undefined;

const WAYS: readonly (readonly [string, () => void])[] = [
  ['timers are fake', () => void vi.useFakeTimers()],
  [`${NAME} is set`, () => (process.env[NAME] = '1')],
  ['the working folder is', () => process.chdir(tmpdir())],
  ['the umask is another', () => void process.umask(0o123)],
  ['the exit code is 3', () => (process.exitCode = 3)],
  [
    'another listener of warning',
    () => {
      process.on('warning', ignore);
      onTestFinished(() => void process.off('warning', ignore));
    },
  ],
];

it.each(WAYS)('%s: the test names it, and restores everything except a listener', (text, alter) => {
  const before = readState();
  alter();
  const told = [expect.stringContaining(text)];
  expect([putBack(before), putBack(before)]).toEqual([told, text.includes('listener') ? told : []]);
});

it('a spy is ended, and an unaltered process is left alone', () => {
  const before = readState();
  vi.spyOn(Math, 'random').mockReturnValue(7);
  expect(putBack(before)).toEqual([]);
  expect(Math.random()).toBeLessThan(1);
});
