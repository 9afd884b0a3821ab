/**
 * Compiles the sources into `dist`, which a running trader may be using: into a folder of its own first, then file by
 * file over the old ones, each by a rename, so that nobody ever reads half a file. With `--if-needed` (npm's `prepare`) it
 * returns at once when `dist` is what the sources say, and needs no compiler for that.
 *
 * Only Node's own modules are used: it runs before anything is installed or compiled.
 */

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.js';
import { shrinkPages } from './shrink-pages.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
/** Written last: the hash of the sources, and the size of every file that was made of them. */
const stampFile = join(dist, '.built.json');
/** Stands while a build moves its files into `dist`. */
const lock = join(root, 'dist.new-lock');
/** Moving takes a second at most; whoever left the lock for so long was killed. */
const LOCK_LASTS_MS = 60_000;
const PROGRAM = 'src/cli/twinbook.js';
/** The lock file too, as some packages become part of what is built. */
const SOURCES = ['package.json', 'package-lock.json', 'tsconfig.json', 'scripts', 'src', 'strategies'];

checkNode();
if (!process.argv.includes('--if-needed') || !(isByNpx() || isWhole())) await build();

/** The launcher makes the same check. `npm ci` runs this file first, and an old Node would fail in it with a stack. */
function checkNode() {
  const found = process.versions.node;
  const [major, minor] = found.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19))
    fail(`Twinbook needs Node 20.19 or newer; this is ${found}. Install a newer Node, then run \`npm ci\` again.`);
}

/**
 * `npx twinbook` links the clone into npm's cache, and that runs `prepare`: a look at the status must not compile new
 * sources over the files of a running trader. `npm ci`, `npm install` and `npm run build` do.
 */
function isByNpx() {
  const { npm_command: command, npm_lifecycle_event: event } = process.env;
  return command === 'exec' && event === 'prepare' && existsSync(stampFile);
}

/** Whether `dist` holds every file of its last build, and the sources are still those. */
function isWhole() {
  try {
    const stamp = readStamp();
    if (stamp === null || stamp.sources !== hashSources()) return false;
    return Object.entries(stamp.files).every(([name, bytes]) => statSync(join(dist, name)).size === bytes);
  } catch {
    return false; // a file is gone
  }
}

/** Null when nothing was built, or the stamp cannot be read. */
function readStamp() {
  try {
    return JSON.parse(readFileSync(stampFile, 'utf8'));
  } catch {
    return null;
  }
}

function hashSources() {
  const hash = createHash('sha256');
  for (const name of SOURCES.filter((source) => existsSync(join(root, source)))) {
    const path = join(root, name);
    const files = statSync(path).isDirectory() ? listFiles(path).map((file) => join(name, file)) : [name];
    for (const file of files)
      hash
        .update(`${file}\0`)
        .update(readFileSync(join(root, file)))
        .update('\0');
  }
  return hash.digest('hex');
}

async function build() {
  const sources = hashSources();
  const made = join(root, `dist.new-${process.pid}`);
  try {
    compile(made);
    await shrinkPages(root, made);
    await bundle(root, made);
    chmodSync(join(made, PROGRAM), 0o755);
    await whileAlone(made, () => {
      const files = moveOver(made);
      const stamp = `${stampFile}-${process.pid}`;
      writeFileSync(stamp, JSON.stringify({ sources, files }));
      renameSync(stamp, stampFile);
    });
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

function compile(outDir) {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  if (!existsSync(compiler)) {
    fail(`dist is not what the sources say, and the compiler is not installed: run \`npm ci\` in ${root}`);
  }
  // Types were checked before the commit (`npm run lab -- types`); without a check the build takes half the time.
  const checks = process.argv.includes('--if-needed') ? ['--noCheck'] : [];
  const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.json', '--outDir', outDir, ...checks], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) {
    rmSync(outDir, { recursive: true, force: true });
    fail('the sources do not compile; dist is as it was before');
  }
}

/** Two builds in one checkout compile beside each other and move one after the other: each removes what it did not make. */
async function whileAlone(made, work) {
  while (!isLocked()) {
    const nowMs = fileTimeMs(made);
    const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? nowMs;
    if (nowMs - since > LOCK_LASTS_MS) rmSync(lock, { recursive: true, force: true });
    else await pause(50);
  }
  try {
    work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

/** Time of the file system, ms, which dates the lock: the clock of this process may differ. */
function fileTimeMs(folder) {
  chmodSync(folder, 0o755);
  return statSync(folder).ctimeMs;
}

/** True when the lock is ours now. */
function isLocked() {
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Moves what differs from the last build into `dist` and removes what is no longer made. Gives the size of each file. */
function moveOver(made) {
  const files = {};
  for (const name of listFiles(made)) {
    const [from, to] = [join(made, name), join(dist, name)];
    files[name] = statSync(from).size;
    if (isSame(from, to)) continue;
    mkdirSync(dirname(to), { recursive: true });
    renameSync(from, to);
  }
  const before = readStamp()?.files ?? {};
  for (const name of listFiles(dist)) {
    // A running trader may still ask for a chunk that it began with: those of the last build stay until the next one.
    const isWanted = name in files || name.startsWith('.built.json') || (name.startsWith('chunks/') && name in before);
    if (!isWanted) rmSync(join(dist, name));
  }
  return files;
}

function isSame(one, other) {
  return existsSync(other) && readFileSync(one).equals(readFileSync(other));
}

/** Paths of all files below a folder, relative to it, sorted. */
function listFiles(folder) {
  const names = readdirSync(folder, { recursive: true }).map(String).sort();
  return names.filter((name) => lstatSync(join(folder, name)).isFile());
}

function fail(text) {
  console.error(text);
  process.exit(1);
}
