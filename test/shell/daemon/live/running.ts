/** A trader's configuration in force, with the files and ledger notes that change it. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import type { ConfigureCommand } from '../../../../src/shared/protocol/seam.js';
import { loadConfig } from '../../../../src/shell/config/load.js';
import { LiveConfig, saveCopy } from '../../../../src/shell/daemon/live-config.js';
import { configHistory, rememberConfig, rememberStart } from '../../../../src/trader/engine/control/commands.js';
import type { Strategy } from '../../../../src/trader/strategy/contract.js';
import { folderOf } from '../../../support/folders.js';
import { trader } from '../../config/files.js';

const module = (width: number) => `import { defineStrategy, NO_QUOTES } from 'twinbook/strategy';
import { WORD } from './word.js';
export default defineStrategy({
  name: 'own', summary: 'Never quotes.',
  params: { width: { kind: 'integer', unit: 'ticks', min: 1, max: 9, default: ${width}, help: 'Width.' } },
  create: () => ({ quote: () => NO_QUOTES(WORD) }),
});
`;

const FILES = {
  'trader.yaml': trader('risk: { max_open_orders: 10, max_position_shares: "50" }', '[maker.yaml, own.yaml]'),
  'maker.yaml': 'strategy: log-odds-maker\nparams: { half_spread_ticks: 2 }\n',
  'own.yaml': 'strategy: ./own.ts\n',
  'own.ts': module(3),
  'word.ts': "export const WORD: string = 'never';\n",
};

export async function running() {
  const folder = folderOf(FILES);
  const config = await loadConfig('trader.yaml', { env: {}, cwd: folder });
  const notes = new Map<string, string>();
  const ledger = {
    note: (key: string) => notes.get(key) ?? null,
    setNote: (key: string, text: string) => void notes.set(key, text),
  };
  const copy = saveCopy(config.ledger.path, { main: config.file, texts: config.texts });
  rememberStart(ledger, { hash: config.configHash, copy, changes: [], reason: '', atMs: 0 });
  const commands: ConfigureCommand[] = [];
  const modules = new Map<string, Strategy>(config.strategies.map(({ moduleKey, module: code }) => [moduleKey, code]));
  const changed = vi.fn();
  let refusal: string | null = null;
  const live: LiveConfig = new LiveConfig({
    config,
    env: {},
    session: { ledger, modules },
    command: (command) => {
      if (refusal !== null) return refusal;
      commands.push(command);
      rememberConfig(ledger, { ...command, atMs: 1_000 });
      return null;
    },
    onChange: changed,
  });
  const write = (name: keyof typeof FILES, from: string, to: string) => {
    const text = FILES[name].replace(from, to);
    expect(text).not.toBe(FILES[name]);
    writeFileSync(join(folder, name), text);
  };
  const history = () => configHistory(ledger);
  const refuse = (why: string) => (refusal = why);
  return { folder, ledger, history, config, live, commands, modules, changed, write, refuse };
}

export const apply = (live: LiveConfig, reason = '', dryRun = false) => live.apply({ reason, dryRun });
