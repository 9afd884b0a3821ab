/**
 * Joins the compiled modules into few files. Node reads, links and starts each module by itself, about a millisecond
 * apiece, and a trader has some four hundred: joined, a program starts in half the time.
 *
 * Every program and every module that others may import stays a file under its own name; what several of them need
 * stands once, in `chunks`, so nothing exists twice in a process. A chunk's name says what is in it: a trader that runs
 * on while its files are replaced still finds the ones that it began with.
 */

import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/** Programs of threads and processes, which are started by their file. */
const STARTED = /(^|[/-])(worker|thread|process)\.js$/;
const STRATEGY = /^strategies\/[^/]+\.js$/;
/** Without files of their own that they would look for beside themselves, and needed at every start of a program. */
const JOINED_PACKAGES =
  /^(zod|yaml|commander|fastify|pino|axios|node-cron|p-queue|@duckdb\/node-api|@noble\/ed25519|@scure\/base|@solana\/[a-z-]+)(\/|$)/;
/**
 * What joined packages load and Twinbook never calls, as it gives fastify no schemas: left where it is, for it is a quarter of what an exchange
 * would read.
 */
const UNCALLED_PACKAGES = /^(@fastify\/(ajv-compiler|fast-json-stringify-compiler)|light-my-request)$/;
/**
 * Modules of joined packages, and what stands in their place for what nobody asks of them: zod speaks sixty languages, two fifths of its
 * text, and falls back on English; axios could send forms, for which it loads sixty files and all that Node has for `fetch`.
 *
 * @type {ReadonlyMap<string, (text: string) => string>}
 */
const STAND_INS = new Map([
  ['zod/v4/locales/index.js', () => "export { default as en } from './en.js';"],
  ['axios/lib/platform/node/classes/FormData.js', () => 'export default null;'],
  ['axios/lib/adapters/fetch.js', () => 'export const getFetch = () => false;'],
  [
    'axios/lib/utils.js',
    (text) => text.replace("typeof G.FormData !== 'undefined' ? G.FormData : undefined", 'undefined'),
  ],
]);
/** The compiled library behind `@duckdb/node-api`: it stays a package, which is found where that one finds it. */
const BINDINGS = '@duckdb/node-bindings';
const CHUNKS = 'chunks';
/** The launcher loads this file. The launcher itself is not bundled: older versions of Node must be able to read it. */
const PROGRAM = 'src/cli/program.js';

/**
 * @param root folder of the project, with `package.json` and `node_modules`
 * @param made folder of the compiled modules, which are replaced
 */
export async function bundle(root, made) {
  const entries = listEntries(root, made);
  if (entries.length === 0) return;
  const { build } = await import(`${join(root, 'node_modules/esbuild/lib/main.js')}`);
  const { metafile } = await build({
    entryPoints: entries.map((name) => join(made, name)),
    outdir: made,
    outbase: made,
    allowOverwrite: true,
    bundle: true,
    splitting: true,
    chunkNames: `${CHUNKS}/[name]-[hash]`,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // Two of the joined packages ask for Node's own modules by `require`.
    banner: { js: "import{createRequire as $require}from'node:module';const require=$require(import.meta.url);" },
    // Comments and blanks are read at every start, by the engine alone: a map leads back to the sources.
    minifyWhitespace: true,
    // Node prints the line where a program died.
    lineLimit: 160,
    legalComments: 'inline',
    sourcemap: 'linked',
    sourcesContent: false,
    metafile: true,
    logLevel: 'warning',
    absWorkingDir: root,
    plugins: [leaveBindings(), leavePackages(), leaveUnasked(), keepOwnPlace(made)],
  });
  const joined = Object.keys(metafile.inputs).map((path) => relative(made, join(root, path)));
  for (const name of joined) {
    if (name.startsWith('..') || entries.includes(name)) continue;
    for (const file of [name, `${name}.map`]) rmSync(join(made, file), { force: true });
  }
}

/** Packages stay packages, but for the few that cost every start. */
const leavePackages = () => ({
  name: 'leave-packages',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, importer }) => {
      if (UNCALLED_PACKAGES.test(path)) return { path, external: true };
      const isJoined = JOINED_PACKAGES.test(path) || importer.includes(`${sep}node_modules${sep}`);
      return isJoined ? undefined : { path, external: true };
    });
  },
});

const leaveBindings = () => ({
  name: 'leave-bindings',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: new RegExp(`^${BINDINGS}$`) }, ({ path }) => ({ path, namespace: 'bindings' }));
    const contents = `const ask = require;
      module.exports = ask('node:module').createRequire(ask.resolve('@duckdb/node-api'))('${BINDINGS}');`;
    onLoad({ filter: /./, namespace: 'bindings' }, () => ({ contents, loader: 'js' }));
  },
});

/** Puts `STAND_INS` in their places. */
const leaveUnasked = () => ({
  name: 'leave-unasked',
  setup({ onLoad }) {
    for (const [module, standIn] of STAND_INS) {
      const filter = new RegExp(`/node_modules/${module}$`.replaceAll('.', '\\.').replaceAll('/', '[\\\\/]'));
      onLoad({ filter }, ({ path }) => ({ contents: standIn(readFileSync(path, 'utf8')), loader: 'js' }));
    }
  },
});

/** A module finds other files from its own place, which is no more where its code stands. */
const keepOwnPlace = (made) => ({
  name: 'keep-own-place',
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, ({ path }) => {
      const name = relative(made, path);
      if (name.startsWith('..')) return undefined;
      const contents = readFileSync(path, 'utf8');
      const own = JSON.stringify(name.split(sep).join('/'));
      const place = `(import.meta.url.slice(0, import.meta.url.lastIndexOf("/dist/") + 6) + ${own})`;
      // Sources ask for it by `require`, which reads the package sooner; joined, it stands in a chunk of its own.
      const asked = contents.replace("require('@duckdb/node-api')", "(await import('@duckdb/node-api')).default");
      return { contents: asked.replaceAll('import.meta.url', place), loader: 'js' };
    });
  },
});

/** Modules with a name of their own: the exports of package.json, the program, shipped strategies, and programs of threads. */
function listEntries(root, made) {
  const { exports = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const paths = Object.values(exports).map((entry) => entry.default ?? entry);
  const named = new Set([PROGRAM, ...paths.map((path) => path.replace(/^(\.\/)?dist\//, ''))]);
  const names = readdirSync(made, { recursive: true }).map((name) => String(name).split(sep).join('/'));
  const isEntry = (name) => named.has(name) || STRATEGY.test(name) || (name.startsWith('src/') && STARTED.test(name));
  return names.filter((name) => name.endsWith('.js') && isEntry(name)).sort();
}
