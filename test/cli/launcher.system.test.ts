import { execFile, execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { run } from './run.js';

const root = resolve(import.meta.dirname, '../..');
const home = realpathSync(mkdtempSync(join(tmpdir(), 'twinbook-launcher-')));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const COMPILER = join(root, 'node_modules/typescript');
const PROGRAM = 'dist/src/cli/twinbook.js';

/** A small clone with the real launcher, build and compiler, and a program of one line. */
function clone(name: string): string {
  const folder = join(home, name);
  for (const part of ['scripts', 'src/cli', 'strategies', 'node_modules'])
    mkdirSync(join(folder, part), { recursive: true });
  for (const file of ['scripts/build.js', 'scripts/bundle.js', 'scripts/shrink-pages.js', 'twinbook'])
    copyFileSync(join(root, file), join(folder, file));
  const compilerOptions = { module: 'nodenext', target: 'es2023', rootDir: '.', outDir: 'dist', types: [] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src/**/*.ts'] }));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'clone', type: 'module' }));
  const program = 'declare const process: any; console.log("one", process.argv[2]);\n';
  writeFileSync(join(folder, 'src/cli/twinbook.ts'), program);
  writeFileSync(join(folder, 'src/other.ts'), 'export const other = 1;\n');
  symlinkSync(COMPILER, join(folder, 'node_modules/typescript'));
  return folder;
}

const build = (folder: string, argv: readonly string[] = [], env: Readonly<Record<string, string>> = {}) =>
  spawnSync(process.execPath, [join(folder, 'scripts/build.js'), ...argv], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '', ...env },
  });

const launch = (file: string, cwd = '/') => spawnSync(file, ['status'], { cwd, encoding: 'utf8' });

describe('the launcher', () => {
  const folder = clone('launched');

  test('says what to do when nothing is compiled', () => {
    expect(launch(join(folder, 'twinbook'))).toMatchObject({ status: 1, stdout: '' });
    expect(launch(join(folder, 'twinbook')).stderr).toContain(`cd ${folder} && npm ci`);
  });

  test('runs from every folder, through links, without compiling', () => {
    expect(build(folder).status).toBe(0);
    rmSync(join(folder, 'node_modules/typescript'));
    writeFileSync(join(folder, 'src/other.ts'), 'this does not compile');
    mkdirSync(join(home, 'bin'));
    symlinkSync('../launched/twinbook', join(home, 'bin/relative'));
    symlinkSync(join(home, 'bin/relative'), join(home, 'bin/absolute'));
    for (const file of [join(folder, 'twinbook'), join(home, 'bin/relative'), join(home, 'bin/absolute')])
      expect(launch(file)).toMatchObject({ status: 0, stdout: 'one status\n', stderr: '' });
    expect(launch('./twinbook', folder).stdout).toBe('one status\n');
  });
});

describe("Node's version", () => {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const lowest = engines.node.replace('>=', '');
  const [major, minor] = lowest.split('.').map(Number);
  const runAs = (version: string, file: string, argv: readonly string[]) => {
    const pretend = `Object.defineProperty(process.versions, 'node', { value: '${version}' })`;
    const options = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`];
    return spawnSync(process.execPath, [...options, join(root, file), ...argv], { encoding: 'utf8' });
  };

  test.each([
    [PROGRAM, ['--version']],
    ['scripts/build.js', ['--if-needed']],
  ])('%s refuses an older Node in one sentence, and accepts the oldest of package.json', (file, argv) => {
    for (const older of ['18.20.8', `${major}.${minor - 1}.5`]) {
      const sentence = `Twinbook needs Node ${lowest} or newer; this is ${older}. Install a newer Node, then run \`npm ci\` again.\n`;
      expect(runAs(older, file, argv)).toMatchObject({ status: 1, stdout: '', stderr: sentence });
    }
    expect(runAs(`${lowest}.0`, file, argv)).toMatchObject({ status: 0, stderr: '' });
  });

  test('the launcher is readable for older versions: no import before the check, no newer syntax', () => {
    const code = readFileSync(join(root, PROGRAM), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
    expect(code).not.toMatch(/^import /m);
    expect(code).not.toMatch(/\b(const|let|await)\b|=>|\$\{|\?\?|\?\./);
  });

  test('the launcher says so when there is no Node', () => {
    const folder = clone('without-node');
    mkdirSync(join(folder, 'dist/src/cli'), { recursive: true });
    writeFileSync(join(folder, PROGRAM), '');
    const bare = join(folder, 'bare');
    mkdirSync(bare);
    for (const tool of ['dirname', 'readlink'])
      symlinkSync(execFileSync('which', [tool], { encoding: 'utf8' }).trim(), join(bare, tool));
    const ended = spawnSync('/bin/sh', [join(folder, 'twinbook'), 'status'], { env: { PATH: bare }, encoding: 'utf8' });
    const stderr = `Twinbook needs Node ${lowest} or newer; no program named node was found.\n`;
    expect(ended).toMatchObject({ status: 1, stderr });
  });
});

test('npm start becomes the trader: a signal that npm hands on reaches it, and not a shell between them', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const folder = join(home, 'shell');
  mkdirSync(folder);
  writeFileSync(join(folder, 'node'), '#!/bin/sh\necho $$\n', { mode: 0o755 });
  const shell = spawnSync('/bin/sh', ['-c', scripts.start], { env: { PATH: folder }, encoding: 'utf8' });
  expect(shell.stdout).toBe(`${shell.pid}\n`);
});

describe('the build', () => {
  const folder = clone('built');
  const program = join(folder, PROGRAM);
  const other = join(folder, 'dist/src/other.js');
  const stamp = join(folder, 'dist/.built.json');

  test('replaces files that changed as a whole, and leaves the others alone', () => {
    expect(build(folder)).toMatchObject({ status: 0 });
    const [programBefore, otherBefore] = [statSync(program).ino, statSync(other).ino];
    const running = openSync(program, 'r');
    writeFileSync(join(folder, 'src/cli/twinbook.ts'), 'console.log("two");\n');
    writeFileSync(join(folder, 'src/new.ts'), 'export {};\n');
    expect(build(folder)).toMatchObject({ status: 0 });
    expect(readFileSync(running, 'utf8')).toContain('"one"');
    expect(readFileSync(program, 'utf8')).toContain('"two"');
    expect(statSync(program).ino).not.toBe(programBefore);
    expect(statSync(other).ino).toBe(otherBefore);
    rmSync(join(folder, 'src/new.ts'));
    expect(build(folder)).toMatchObject({ status: 0 });
    expect(statSync(join(folder, 'dist/src/new.js'), { throwIfNoEntry: false })).toBeUndefined();
  });

  test('leaves everything as it was when the sources do not compile', () => {
    const before = readFileSync(stamp, 'utf8');
    writeFileSync(join(folder, 'src/other.ts'), 'export const other: string = 1;\n');
    expect(build(folder)).toMatchObject({ status: 1 });
    expect(readFileSync(other, 'utf8')).toContain('other = 1');
    expect(readFileSync(stamp, 'utf8')).toBe(before);
    expect(execFileSync('ls', [folder], { encoding: 'utf8' })).not.toContain('dist.new');
    writeFileSync(join(folder, 'src/other.ts'), 'export const other = 1;\n');
  });

  test('needs no compiler when all is there, says so when something is missing', () => {
    rmSync(join(folder, 'node_modules/typescript'));
    expect(build(folder, ['--if-needed'])).toMatchObject({ status: 0, stderr: '' });
    rmSync(other);
    const failed = build(folder, ['--if-needed']);
    expect(failed.status).toBe(1);
    expect(failed.stderr).toContain(`the compiler is not installed: run \`npm ci\` in ${folder}`);
    symlinkSync(COMPILER, join(folder, 'node_modules/typescript'));
    expect(build(folder, ['--if-needed'])).toMatchObject({ status: 0 });
    expect(readFileSync(other, 'utf8')).toContain('other = 1');
  });

  test('npx compiles nothing over what was built; npm ci does', () => {
    const source = join(folder, 'src/cli/twinbook.ts');
    const builtBy = (npm_command: string, npm_lifecycle_event: string) => {
      expect(build(folder, ['--if-needed'], { npm_command, npm_lifecycle_event }).status).toBe(0);
      return readFileSync(program, 'utf8');
    };
    writeFileSync(source, 'console.log("three");\n');
    expect(builtBy('exec', 'prepare')).toContain('"two"');
    // The tests always compile first, even when npx started them.
    expect(builtBy('exec', 'npx')).toContain('"three"');
    writeFileSync(source, 'console.log("four");\n');
    expect(builtBy('ci', 'prepare')).toContain('"four"');
  });
});

test('two builds at once end well, and one that was killed as it moved its files holds up nobody', async () => {
  const folder = clone('twice');
  expect(build(folder)).toMatchObject({ status: 0 });
  // Files that both builds find to remove.
  for (let i = 0; i < 2_000; i++) writeFileSync(join(folder, `dist/old-${i}.js`), '');
  const lock = join(folder, 'dist.new-lock');
  mkdirSync(lock);
  utimesSync(lock, 0, 0);
  const script = join(folder, 'scripts/build.js');
  const both = [1, 2].map(() => promisify(execFile)(process.execPath, [script]));
  expect(await Promise.all(both)).toEqual([1, 2].map(() => ({ stdout: '', stderr: '' })));
  expect(launch(join(folder, 'twinbook'))).toMatchObject({ status: 0, stdout: 'one status\n' });
  expect(readdirSync(folder).filter((name) => name.startsWith('dist'))).toEqual(['dist']);
  expect(readdirSync(join(folder, 'dist')).filter((name) => name.startsWith('old'))).toEqual([]);
});

test('without -c, from a folder without a configuration, a command takes that of the clone', async () => {
  const ledger = join(home, 'none.sqlite');
  const ran = await run(['status'], { cwd: home, env: { TWINBOOK__LEDGER__PATH: ledger } });
  expect(ran).toMatchObject({ code: 1, out: '' });
  expect(ran.err).toContain(`there is no ledger at ${ledger}`);
  const own = await run(['status', '-c', 'config/paper.yaml'], { cwd: home });
  expect(own.err).toContain('config/paper.yaml: no such file');
});
