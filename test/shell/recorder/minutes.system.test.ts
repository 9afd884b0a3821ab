import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { readProfile } from '../../../src/shell/config/config.js';
import { record } from '../../../src/shell/recorder/record.js';
import { folderOf } from '../../support/folders.js';

test.each([
  ['a recording ends', 1 / 600, true],
  ['a recording does not end at once, although no timer can be set for the duration,', 40_000, false],
])('%s after %f minutes', async (_, minutes, isShort) => {
  const profile = readProfile('config/venues/paper.yaml', process.cwd());
  const stopping = new AbortController();
  const stopAsked = () => once(stopping.signal, 'abort').then(() => undefined);
  const options = { venue: 'paper', profile, baseUrl: 'http://127.0.0.1:9', folder: folderOf({}), minutes };
  const rest = { share: 1, marketIds: [], bookDepth: 100, credentials: null };
  const said: string[] = [];
  const ended = record({ ...options, ...rest }, { out: (text) => said.push(text), stopAsked });
  await vi.waitFor(() => expect(said.length).toBeGreaterThan(1), 10_000);
  const isOver = await Promise.race([ended.then(() => true), pause(isShort ? 10_000 : 500, false)]);
  stopping.abort();
  await ended;
  expect(isOver).toBe(isShort);
});
