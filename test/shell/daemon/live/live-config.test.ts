/** A configuration that changes while the trader runs: what is taken, what is refused, and what comes back. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { ConfigureCommand } from '../../../../src/shared/protocol/seam.js';
import { liveText } from '../../../../src/shell/config/live/live-text.js';
import { loadConfig } from '../../../../src/shell/config/load.js';
import { LiveConfig } from '../../../../src/shell/daemon/live/live-config.js';
import { rememberConfig, rememberStart } from '../../../../src/trader/engine/control/config-history.js';
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

async function running(extra = '') {
  const folder = folderOf({ ...FILES, 'trader.yaml': FILES['trader.yaml'] + extra });
  const config = await loadConfig('trader.yaml', { env: {}, cwd: folder });
  const notes = new Map<string, string>();
  const ledger = {
    note: (key: string) => notes.get(key) ?? null,
    setNote: (key: string, text: string) => void notes.set(key, text),
  };
  rememberStart(ledger, { config: liveText(config), hash: config.configHash, changes: [], reason: '', atMs: 0 });
  const commands: ConfigureCommand[] = [];
  const said: string[] = [];
  const clock = { nowMs: 1_000 };
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
      rememberConfig(ledger, { ...command, atMs: clock.nowMs });
      return null;
    },
    onChange: changed,
    say: (text) => said.push(text),
    nowMs: () => clock.nowMs,
  });
  const write = (name: keyof typeof FILES, from: string, to: string) => {
    const before = FILES[name] + (name === 'trader.yaml' ? extra : '');
    const text = before.replace(from, to);
    expect(text).not.toBe(before);
    writeFileSync(join(folder, name), text);
  };
  return {
    config,
    live,
    commands,
    said,
    clock,
    modules,
    changed,
    write,
    refuse: (why: string) => (refusal = why),
  };
}

const apply = (live: LiveConfig, reason = '', dryRun = false) => live.apply({ reason, dryRun });

describe('a running trader’s configuration', () => {
  it('is taken up with free changes, and says each', async () => {
    const { live, commands, write, changed } = await running();
    expect((await live.diff()).lines).toEqual(['nothing differs from what is in force']);
    write('maker.yaml', 'half_spread_ticks: 2', 'half_spread_ticks: 5');
    write('trader.yaml', '"50"', '"20"');
    const lines = ['risk.max_position_shares: 50 → 20 (tighter)', 'strategy maker: params.half_spread_ticks: 2 → 5'];
    expect(await apply(live, '', true)).toMatchObject({ applied: false, lines });
    expect(commands).toEqual([]);
    const { applied, hash } = await apply(live);
    expect(applied).toBe(true);
    expect(commands).toMatchObject([{ kind: 'configure', hash, by: 'operator', reason: '', changes: lines }]);
    expect(live.config.configHash).toBe(hash);
    expect(live.config.strategies[0]?.params).toMatchObject({ half_spread_ticks: 5 });
    expect(changed).toHaveBeenCalledOnce();
    expect(await apply(live)).toMatchObject({
      applied: false,
      lines: ['nothing differs from what is in force'],
    });
  });

  it('takes looser limits, other code and another strategy only with a reason, and nothing in part', async () => {
    const { live, commands, write, config } = await running();
    write('trader.yaml', '"50"', '"60"');
    write('maker.yaml', 'half_spread_ticks: 2', 'half_spread_ticks: 5');
    await expect(apply(live)).rejects.toThrow(
      /wants a reason, and nothing was taken: risk.max_position_shares: 50 → 60 \(looser\)$/,
    );
    expect(live.config.configHash).toBe(config.configHash);
    write('word.ts', 'never', 'still never');
    await expect(apply(live)).rejects.toThrow(/strategy own: its code has changed/);
    expect(commands).toEqual([]);
    await apply(live, 'I have looked');
    const [command] = commands;
    expect(command).toMatchObject({ reason: 'I have looked' });
    // The journal and the ledger have every text that the code is made of.
    expect(command?.config).toContain('still never');
  });

  it.each([
    [
      'what wants a restart',
      'trader.yaml',
      'ledger: { path: twinbook.sqlite }',
      'ledger: { path: other.sqlite }',
      /only a restart takes this up.*ledger\.path/,
    ],
    [
      'an unknown setting',
      'maker.yaml',
      'half_spread_ticks',
      'half_spraed_ticks',
      /unknown parameter 'half_spraed_ticks'/,
    ],
    ['a file that is no YAML', 'own.yaml', 'strategy', '{', /own\.yaml/],
    [
      'code that throws when it is loaded',
      'own.ts',
      'export default',
      "throw new Error('boom');\nexport default",
      /threw while loading: Error: boom/,
    ],
    ['code with an error in what it imports', 'word.ts', '=', '', /own\.ts: /],
  ] as const)('takes nothing of files with %s', async (_, file, from, to, message) => {
    const { live, commands, write, config } = await running();
    write(file, from, to);
    await expect(apply(live, 'a reason')).rejects.toThrow(message);
    await expect(apply(live, 'a reason', true)).rejects.toThrow(message);
    expect(commands).toEqual([]);
    expect(live.config).toBe(config);
  });

  it('stays what it was when the trader does not obey', async () => {
    const { live, write, refuse, config } = await running();
    write('maker.yaml', 'half_spread_ticks: 2', 'half_spread_ticks: 5');
    refuse('it ends');
    await expect(apply(live)).rejects.toThrow('it ends');
    expect(live.config).toBe(config);
  });

  it('goes back to what was before, by name or not, though the files say something else', async () => {
    const { live, commands, write, config, modules } = await running();
    write('own.ts', 'default: 3', 'default: 4');
    await apply(live, 'wider');
    modules.clear();
    const back = await live.rollback({ hash: '', reason: 'worse', dryRun: false });
    expect(back).toMatchObject({ applied: true, hash: config.configHash });
    expect(commands.at(-1)).toMatchObject({ by: 'rollback', hash: config.configHash, reason: 'worse' });
    expect(live.config.strategies[1]?.module.params).toMatchObject({ width: { default: 3 } });
    expect((await live.diff()).lines).toContain('strategy own: its code has changed [wants a reason]');
    await expect(live.rollback({ hash: 'abc', reason: 'r', dryRun: false })).rejects.toThrow(/no configuration abc/);
  });
});

describe('changed files of a trader that watches them', () => {
  const watching = async () => {
    const here = await running('\nreload: { watch: true }\n');
    const pass = (seconds: number) => {
      for (let second = 0; second < seconds; second++) {
        here.clock.nowMs += 1_000;
        here.live.watchFiles();
      }
    };
    return { ...here, pass };
  };

  it('are taken up by themselves once they rest for two seconds', async () => {
    const { commands, write, pass } = await watching();
    pass(10);
    write('maker.yaml', 'half_spread_ticks: 2', 'half_spread_ticks: 5');
    pass(2);
    write('maker.yaml', 'half_spread_ticks: 2', 'half_spread_ticks: 15');
    pass(2);
    expect(commands).toEqual([]);
    pass(1);
    await vi.waitFor(() => expect(commands).toHaveLength(1));
    expect(commands[0]).toMatchObject({ by: 'watch', reason: '' });
    expect(commands[0]?.changes).toEqual(['strategy maker: params.half_spread_ticks: 2 → 15']);
  });

  it('are left alone where something wants a reason, and no new code is run', async () => {
    const { commands, write, pass, said: words } = await watching();
    write('trader.yaml', '"50"', '"60"');
    pass(3);
    await vi.waitFor(() =>
      expect(words.join()).toContain('this wants a reason, and nothing was taken: risk.max_position'),
    );
    write('own.ts', 'export default', "globalThis.name = 'it ran';\nexport default");
    write('trader.yaml', '"50"', '"40"');
    pass(3);
    await vi.waitFor(() => expect(words.join()).toContain('its code is not what runs, and other code wants a reason'));
    expect(commands).toEqual([]);
    expect(Reflect.get(globalThis, 'name')).toBeUndefined();
  });

  it('wait for `config apply` where it does not', async () => {
    const { commands, write, live, clock } = await running();
    write('maker.yaml', 'half_spread_ticks: 2', 'half_spread_ticks: 5');
    for (let second = 0; second < 10; second++) {
      clock.nowMs += 1_000;
      live.watchFiles();
    }
    await apply(live);
    expect(commands).toMatchObject([{ by: 'operator' }]);
  });
});
