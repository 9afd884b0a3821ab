/**
 * npm hands SIGINT and SIGTERM on to what it started, and dies of any other signal (a closed terminal's SIGHUP sent to it alone,
 * SIGKILL) without a word. A trader would go on then that nobody believes to run; it has another parent from there on.
 */

/** What `npm start` runs, as package.json has it: the program in npm's own child, with no shell between. */
const SCRIPT = 'exec node dist/src/cli/twinbook.js start';

const LOOK_EVERY_MS = 1_000;

/** Calls back once the npm of `npm start` is gone; never in a process that anything else started. */
export function whenNpmIsGone(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  isGone: () => void,
): void {
  // What a trader starts inherits npm's environment, but runs other commands.
  if (argv[2] !== 'start' || !env['npm_lifecycle_script']?.startsWith(SCRIPT)) return;
  const npm = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === npm) return;
    clearInterval(timer);
    isGone();
  }, LOOK_EVERY_MS);
  timer.unref();
}
