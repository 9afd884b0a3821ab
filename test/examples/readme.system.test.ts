/** Every command of README.md, and its strategy file, as written, in one folder and in the order of the page. */

import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { program, type Running } from '../support/processes.js';
import { ROOT } from './programs.js';

const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

/** A folder like a clone after `npm ci`. */
const clone = realpathSync(mkdtempSync(join(tmpdir(), 'twinbook-readme-')));
for (const path of ['package.json', 'twinbook', 'config', 'data/sample', 'data/polymarket'])
  cpSync(join(ROOT, path), join(clone, path), { recursive: true });
for (const path of ['dist', 'node_modules', 'strategies', 'tsconfig.json'])
  symlinkSync(join(ROOT, path), join(clone, path));
afterAll(() => rmSync(clone, { recursive: true, force: true }));

/** Lines of code blocks that are commands, without their comments. */
const COMMANDS = [...README.matchAll(/^ {4}(?! )(.+)$/gm)]
  .map(([, line = '']) => line.replace(/ +# .*$/, '').trim())
  .filter((line) => !/^[a-z_]+:/.test(line));
const STRATEGY = /^```yaml\n(.*?)^```/ms.exec(README)?.[1] ?? '';

/** Programs that run until they are stopped, and the text after which this test stops them. */
const LASTING: readonly (readonly [command: RegExp, ready: RegExp])[] = [
  [/npm start$/, /quoted \| orders [1-9]/],
  [/^\.\/twinbook start /, /quoted \| orders [1-9]/],
  [/^\.\/twinbook exchange --controls/, /under Authorize/],
  [/^\.\/twinbook exchange --market-data/, /listening on/],
  [/^\.\/twinbook record$/, /recording/],
];

const started = (line: string): Running => program('bash', ['-c', `cd ${clone} && exec ${line}`]);

/** `exec` replaces the shell; an assignment before the program needs `env`. */
const asProgram = (line: string): string => (/^[A-Z_]+=/.test(line) ? `env ${line}` : line);

/** A free port in place of the default one, which another program may use. */
const onFreePort = (line: string): string => (line.startsWith('./twinbook exchange ') ? `${line} --port 0` : line);

async function runUntilReady(line: string, ready: RegExp): Promise<void> {
  const running = started(asProgram(onFreePort(line)));
  await running.waitFor(ready);
  running.process.kill('SIGINT');
  expect(await running.exited, running.output()).toBe(0);
}

const run = (line: string): string =>
  execFileSync('bash', ['-c', line], { cwd: clone, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

const lastingOf = (line: string) => LASTING.find(([command]) => command.test(line));
const WATCHING = COMMANDS.slice(COMMANDS.indexOf('./twinbook top'), COMMANDS.indexOf('./twinbook stop') + 1);
const BESIDE_A_TRADER = [...WATCHING, './twinbook record'];

describe('the README', () => {
  it('shows commands that can be typed as they are', () => {
    expect(COMMANDS.length).toBeGreaterThan(25);
    expect(WATCHING.length).toBeGreaterThan(10);
    expect(COMMANDS.filter((line) => !/^(npm|sed|\.\/twinbook|TWINBOOK__\w+=\S+ npm) /.test(line))).toEqual([]);
    expect(COMMANDS.filter((line) => /…| \| |\b(FILE|PATH|DIR|CHANNEL|ORDER|MARKET)\b/.test(line))).toEqual([]);
  });

  it('begins with the two commands of a new clone', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(COMMANDS.slice(0, 2)).toEqual(['npm ci && npm start', 'npm ci && npm test']);
    expect(scripts).toMatchObject({ start: expect.any(String), test: expect.any(String) });
  });

  it('has a trader that all commands for watching and stopping work on', async () => {
    const trader = started('npm start');
    await trader.waitFor(/quoted \| orders [1-9]/);
    const recorder = started('./twinbook record');
    await recorder.waitFor(/recording/);
    recorder.process.kill('SIGINT');
    expect(await recorder.exited, recorder.output()).toBe(0);
    for (const line of WATCHING) expect([line, run(line)]).toEqual([line, expect.any(String)]);
    expect(await trader.exited, trader.output()).toBe(0);
  });

  it('has a first strategy file that quotes', () => {
    writeFileSync(join(clone, 'config/strategies/mine.yaml'), STRATEGY);
    expect(STRATEGY).toContain('strategy:');
  });

  it.each(COMMANDS.slice(2).filter((line) => !BESIDE_A_TRADER.includes(line)))('runs %s', async (line) => {
    const lasting = lastingOf(line);
    if (lasting === undefined) expect(run(line)).toEqual(expect.any(String));
    else await runUntilReady(line, lasting[1]);
  });
});
