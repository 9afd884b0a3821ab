/** Configuration changes of a running trader: accepted, rejected and reverted ones. */

import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { micros } from '../../../../src/shared/base/micros.js';
import { changesSinceLast } from '../../../../src/shell/daemon/live-config.js';
import { rememberStart } from '../../../../src/trader/engine/control/commands.js';
import { apply, running } from './running.js';

const RESTART = /nothing was applied, because these changes need a restart.*ledger\.path/;
const AGREED = ['the files agree with the configuration in force'];

describe('a running trader’s configuration', () => {
  it('is taken up with free changes, and says each', async () => {
    const { live, commands, write, changed } = await running();
    expect((await live.diff()).lines).toEqual(AGREED);
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
    expect(await apply(live)).toMatchObject({ applied: false, lines: AGREED });
    write('trader.yaml', 'maker.yaml, own.yaml', 'own.yaml, maker.yaml');
    expect((await live.diff()).lines).toContain('strategies: maker, own → own, maker');
  });

  it('takes looser limits, other code and another strategy only with a reason, and nothing in part', async () => {
    const { live, commands, write, config } = await running();
    write('trader.yaml', '"50"', '"60"');
    write('maker.yaml', 'half_spread_ticks: 2', 'half_spread_ticks: 5');
    await expect(apply(live)).rejects.toThrow(
      /^nothing was applied, because these changes need a reason: risk.max_position_shares: 50 → 60 \(looser\)$/,
    );
    expect(live.config.configHash).toBe(config.configHash);
    write('word.ts', 'never', 'still never');
    await expect(apply(live)).rejects.toThrow(/strategy own: its code has changed/);
    expect(commands).toEqual([]);
    expect(await apply(live, '', true)).toMatchObject({ applied: false, hash: null });
  });

  it.each([
    ['what wants a restart', 'trader.yaml', 'twinbook.sqlite', 'other.sqlite', RESTART],
    ['an unknown setting', 'maker.yaml', 'half_spread', 'half_spraed', /unknown parameter 'half_spraed_ticks'/],
    ['a file that is no YAML', 'own.yaml', 'strategy', '{', /own\.yaml/],
  ] as const)('takes nothing of files with %s', async (_, file, from, to, message) => {
    const { live, commands, write, config } = await running();
    write(file, from, to);
    await expect(apply(live, 'a reason')).rejects.toThrow(message);
    await expect(apply(live, 'a reason', true)).rejects.toThrow(message);
    expect(commands).toEqual([]);
    expect(live.config).toBe(config);
  });

  it('goes back to what was before, by name or not, though the files say something else', async () => {
    const { live, commands, write, config } = await running();
    write('maker.yaml', 'half_spread_ticks: 2', 'half_spread_ticks: 5');
    await apply(live);
    write('trader.yaml', 'capital', 'no capital');
    expect(await live.rollback({ hash: '', reason: 'worse', dryRun: true })).toMatchObject({ applied: false });
    const back = await live.rollback({ hash: config.configHash.slice(0, 8), reason: 'worse', dryRun: false });
    expect(back).toMatchObject({ applied: true, hash: config.configHash });
    expect(back.lines.at(-1)).toContain('the rollback did not change them, and the next start uses them');
    expect(commands.at(-1)).toMatchObject({ by: 'rollback', hash: config.configHash, reason: 'worse' });
    expect(live.config.strategies[0]?.params).toMatchObject({ half_spread_ticks: 2 });
    await expect(live.rollback({ hash: 'abc', reason: 'r', dryRun: false })).rejects.toThrow(/no configuration abc/);
    expect(await live.rollback({ hash: '', reason: 'after all', dryRun: false })).toMatchObject({ applied: true });
    expect(live.config.strategies[0]?.params).toMatchObject({ half_spread_ticks: 5 });
  });

  it('goes back to limits, and names the settings that need a restart', async () => {
    const { live, commands, config, ledger } = await running();
    const polling = { ...config.polling, ownIntervalMs: 2_000 };
    live.config = { ...config, polling, risk: { ...config.risk, maxOpenOrders: 9 }, configHash: 'f' };
    const left = 'not restored: polling.own_interval_ms: 2000 → 1000 [wants a restart]';
    const back = (dryRun: boolean) => live.rollback({ hash: config.configHash, reason: 'worse', dryRun });
    expect((await back(true)).lines).toContain(left);
    const { lines, hash } = await back(false);
    expect(lines).toContain(left);
    expect((await back(false)).lines).toEqual([expect.stringContaining('nothing was applied'), left]);
    expect(await changesSinceLast(config, ledger, { env: {}, cwd: '' })).toEqual([left.slice(14, -18)]);
    expect(live.config).toMatchObject({ polling, risk: config.risk, configHash: commands[0]?.hash });
    expect(['f', config.configHash]).not.toContain(hash);
    // In a fleet, more capital needs a restart.
    const fleet = { name: 'mm-1' } as NonNullable<typeof config.fleet>;
    live.config = { ...live.config, fleet, capitalMicros: micros(config.capitalMicros / 2), configHash: 'f' };
    expect((await back(false)).lines).toContainEqual(
      expect.stringMatching(/^not restored: capital: .* \[wants a restart\]/),
    );
  });

  it('goes back to no copy that was changed or is gone, and says which', async () => {
    const { live, commands, write, folder, config, history } = await running();
    write('maker.yaml', 'half_spread_ticks: 2', 'half_spread_ticks: 5');
    await apply(live);
    const copy = join(folder, 'twinbook.sqlite.config', history()[0]?.copy ?? '');
    const back = () => live.rollback({ hash: '', reason: 'worse', dryRun: false });
    // Its number depends on the place of this package.
    const maker = readdirSync(copy).find((name) => name.endsWith('-maker.yaml')) ?? 'no copy';
    writeFileSync(join(copy, maker), 'strategy: log-odds-maker\n');
    await expect(back()).rejects.toThrow(
      /\d{3}-maker\.yaml was changed: its SHA-256 is \w{12}, but the ledger recorded \w{12}/,
    );
    rmSync(copy, { recursive: true });
    await expect(back()).rejects.toThrow(/the copy of that configuration cannot be read: ENOENT/);
    expect(commands).toHaveLength(1);
    expect(live.config.configHash).not.toBe(config.configHash);
  });

  it('enters the history at a start with the same hash and other files', async () => {
    const { ledger, history } = await running();
    for (const start of history()) for (const copy of ['', 'other', 'other']) rememberStart(ledger, { ...start, copy });
    expect(history().map(({ copy }) => copy.length)).toEqual([64, 5]);
  });

  it('stays what it was when the trader does not obey, and where no copy of the files can be kept', async () => {
    const { live, commands, write, folder, config, refuse } = await running();
    write('maker.yaml', 'half_spread_ticks: 2', 'half_spread_ticks: 5');
    refuse('it ends');
    await expect(apply(live)).rejects.toThrow('it ends');
    expect(live.config).toBe(config);
    rmSync(join(folder, 'twinbook.sqlite.config'), { recursive: true });
    writeFileSync(join(folder, 'twinbook.sqlite.config'), 'not a folder');
    await expect(apply(live)).rejects.toThrow(/no copy of the configuration can be stored in .*twinbook\.sqlite/);
    expect(commands).toEqual([]);
    expect(live.config).toBe(config);
  });
});
