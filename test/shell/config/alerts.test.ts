import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isConsoleWanted } from '../../../src/shell/config/config.js';
import { loadTraderConfig } from '../../../src/shell/config/load.js';
import { folderOf } from '../../support/folders.js';
import { trader } from './files.js';

function load(alerts: string) {
  const cwd = folderOf({ 'trader.yaml': trader(`alerts: ${alerts}\ndashboard: { enabled: false }\n`) });
  return { cwd, config: () => loadTraderConfig('trader.yaml', { cwd, env: {} }) };
}

test('reads channels and heartbeat, with paths beside the file', () => {
  const { cwd, config } = load(
    '{ channels: { chat: { kind: telegram, address_file: s/tg, to: "1" } }, heartbeat: { url_file: s/hc } }',
  );
  const usual = { from: null, min: 'warning', summary: true, detail: 'full' };
  expect(config().alerts).toEqual({
    channels: [
      { name: 'chat', kind: 'telegram', addressFile: join(cwd, 's/tg'), to: '1', ...usual, commands: [], users: [] },
    ],
    heartbeat: { urlFile: join(cwd, 's/hc') },
  });
  expect([isConsoleWanted(config()), isConsoleWanted(load('{}').config())]).toEqual([true, false]);
});

test.each([
  ['{ channels: { chat: { kind: telegram, address_file: s } } }', "a channel of kind telegram needs the key 'to'"],
  ['{ channels: { post: { kind: mail, address_file: s, to: me } } }', "a channel of kind mail needs the key 'from'"],
  ['{ channels: { hook: { kind: slack, address_file: s, to: me } } }', "of kind slack has no key 'to'; remove it"],
  ['{ channels: { chat: { kind: telegram, address_file: s, to: "1", commands: [kill] } } }', 'requires `users`'],
  ['{ channels: { chat: { kind: telegram, address_file: s, to: "1", commands: [resume], users: [1] } } }', 'status'],
  ['{ channels: { hook: { kind: slack, address_file: s, users: [1] } } }', "of kind slack has no key 'users'"],
])('refuses %s', (alerts, why) => {
  expect(load(alerts).config).toThrow(expect.objectContaining({ message: expect.stringContaining(why) }));
});
