/** Code of a running trader's strategies: another process loads it first, and inspecting a configuration runs none. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkLoad } from '../../../../src/shell/daemon/ask-process.js';
import { apply, running } from './running.js';

const LOUD = "globalThis.name = 'it ran';\n";

describe('new code of a strategy', () => {
  it('is applied with a reason, is in no command, and is rolled back from its copy', async () => {
    const { live, commands, write, config, modules } = await running();
    write('word.ts', 'never', 'still never');
    await apply(live, 'I have looked');
    expect(commands).toMatchObject([{ reason: 'I have looked' }]);
    expect(JSON.stringify(commands)).not.toContain('still never');
    write('own.ts', 'default: 3', 'default: 4');
    await apply(live, 'wider');
    expect(live.config.strategies[1]?.module.params).toMatchObject({ width: { default: 4 } });
    modules.clear();
    await live.rollback({ hash: config.configHash, reason: 'worse', dryRun: false });
    expect(live.config.strategies[1]?.module.params).toMatchObject({ width: { default: 3 } });
    expect((await live.diff()).lines).toContain('strategy own: its code has changed [wants a reason]');
  });

  it.each([
    ['that throws', "throw new Error('boom');", /threw while loading: Error: boom/],
    ['with a syntax error', 'const = 1;', /own\.ts: syntax error/],
    ['that ends its process', 'process.exit(0);', /in a separate process failed: the strategies’ code ended/],
  ])('%s is refused, and comparisons load it not', async (_, code, message) => {
    const { live, commands, write, config } = await running();
    write('own.ts', 'export default', `${LOUD}${code}\nexport default`);
    const changed = { lines: ['strategy own: its code has changed [wants a reason]'], applied: false };
    expect(await live.diff()).toMatchObject(changed);
    expect(await apply(live, 'a reason', true)).toMatchObject(changed);
    await expect(apply(live, 'a reason')).rejects.toThrow(message);
    expect(commands).toEqual([]);
    expect(live.config).toBe(config);
    expect(Reflect.get(globalThis, 'name')).toBeUndefined();
  });

  it('that never ends is ended in its process, and the trader goes on', async () => {
    const { live, write, folder, config } = await running();
    write('own.ts', 'export default', `${LOUD}while (true);\nexport default`);
    expect((await live.diff()).lines).toEqual(['strategy own: its code has changed [wants a reason]']);
    let turns = 0;
    const turning = setInterval(() => (turns += 1), 1);
    const checking = checkLoad(config.file, { cwd: folder, env: {}, withinMs: 3_000 });
    await expect(checking).rejects.toThrow(/did not end within 3 s/);
    clearInterval(turning);
    expect(turns).toBeGreaterThan(10);
    expect(Reflect.get(globalThis, 'name')).toBeUndefined();
  });

  it('that changes after its check is refused', async () => {
    const { live, write, folder, commands } = await running();
    // The check runs this code, and the code changes its own file.
    const own = JSON.stringify(join(folder, 'own.ts'));
    const changing = `import { appendFileSync } from 'node:fs';\nappendFileSync(${own}, ${JSON.stringify(LOUD)});\n`;
    write('own.ts', 'export default', `${changing}export default`);
    await expect(apply(live, 'a reason')).rejects.toThrow(/its code has changed since the check/);
    expect(commands).toEqual([]);
    expect(Reflect.get(globalThis, 'name')).toBeUndefined();
  });

  it('knows the environment’s overrides and no secret', async () => {
    const { folder, config } = await running();
    const seen = join(folder, 'seen.txt');
    const spy = `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(seen)}, Object.keys(process.env).join());\n`;
    writeFileSync(join(folder, 'word.ts'), `${spy}export const WORD: string = 'never';\n`);
    const env = { twinbook__capital: 'much', SECRET: 'word' };
    await expect(checkLoad(config.file, { cwd: folder, env })).rejects.toThrow(
      'environment twinbook__capital: capital',
    );
    const keys = await checkLoad(config.file, { cwd: folder, env: { SECRET: 'word' } });
    expect([...keys]).toEqual(['shipped log-odds-maker', expect.stringMatching(/^own /)]);
  });
});
