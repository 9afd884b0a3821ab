/**
 * npm run lab -- disk [--every N] [--traders N] [--write]
 *
 * A power loss at every write and sync of a working ledger, and a failure of each; `--every N` takes each Nth. Then
 * real traders start on disks that fail at the first, second, third … write and sync, each step half as long again,
 * until one start is complete; `--traders N` limits the starts of each kind. Needs a C compiler; without one, reports
 * that and exits with 0.
 */

import { parseArgs } from 'node:util';
import { writeFigures } from '../support/doc-figures.js';
import { orExit } from '../support/or-exit.js';
import { twinbook } from '../support/processes.js';
import { marketsOf, Taker } from '../support/venue.js';
import { FailingTrader } from './failing-trader.js';
import { FaultyDisk, LOSS_MODES } from './faulty-disk.js';
import { diskError, inPeace, powerLoss, type Work } from './power-loss.js';

const WORK: Work = { seed: 1, commits: 140, reopenAfter: 50 };
/** The second power loss comes after this number of operations of the recovery. */
const AGAIN = 12;

const options = orExit((args) => {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: { every: { ...text, default: '1' }, traders: { ...text, default: '1000' }, write: { type: 'boolean' } },
  });
  const [every, traders] = [Number(values.every), Number(values.traders)];
  if (!(Number.isInteger(every) && every > 0)) throw new Error('--every wants a number above 0');
  if (!(Number.isInteger(traders) && traders >= 0)) throw new Error('--traders wants a number, 0 or above');
  return { every, traders, write: values.write === true };
});

const missing = FaultyDisk.missing();
if (missing !== null) {
  console.log(`skipped: no disk has failed: ${missing}`);
  process.exit(0);
}

/** Each trial with the number of runs and the number of wrong results. */
interface Line {
  readonly what: string;
  readonly tried: number;
  readonly lost: number;
  readonly wrong: number;
}

const lines: Line[] = [];
const say = (line: Line): void => {
  console.log(`${line.what}: ${line.tried} tried, ${line.lost} with losses, ${line.wrong} otherwise wrong`);
  lines.push(line);
};

function powerLosses(what: string, work: Work, isTwice: boolean): void {
  const peace = inPeace(work);
  let [tried, lost, wrong] = [0, 0, 0];
  for (let at = 1; at <= peace.operations; at += options.every) {
    const again = isTwice ? 1 + (tried % AGAIN) : undefined;
    const result = powerLoss(work, peace, at, LOSS_MODES[tried % LOSS_MODES.length] ?? 'all', again);
    tried += 1;
    if (result.lost > 0) lost += 1;
    if (result.damage.length > 0) wrong += 1;
  }
  say({ what, tried, lost, wrong });
}

function diskErrors(kind: 'write' | 'sync', error: 'EIO' | 'ENOSPC'): void {
  const peace = inPeace(WORK);
  let [tried, lost, wrong] = [0, 0, 0];
  for (let at = 1; ; at += kind === 'sync' ? 1 : options.every) {
    const result = diskError(WORK, peace, { kind, error, at }, tried % 2 === 0);
    if (!result.happened) break;
    tried += 1;
    if (result.lost > 0) lost += 1;
    if (result.isSilent || result.damage.length > 0) wrong += 1;
  }
  say({ what: `${error} at a ${kind} of the ledger`, tried, lost, wrong });
}

async function failingTraders(kind: 'write' | 'sync', error: 'EIO' | 'ENOSPC'): Promise<void> {
  const exchange = twinbook(['exchange', '--port', '0', '--controls', '--no-rate-limits', '--draft-lifetime-s', '5']);
  const url = (await exchange.waitFor(/listening on (http:\S+)/))[1] ?? '';
  const taker = await Taker.join(url, 1);
  taker.go(await marketsOf(url), 200);
  const trader = new FailingTrader(url);
  let [tried, lost, wrong] = [0, 0, 0];
  try {
    for (let at = 1; tried < options.traders; at = Math.ceil(at * 1.5)) {
      await trader.leaveOrders();
      const run = await trader.startOn({ kind, error, at });
      if (!run.happened) break;
      tried += 1;
      const isRight = run.exitCode === 1 && run.resting === 0 && run.unwritten.length === 0 && run.said.length === 1;
      if (!isRight) console.log(`${kind} ${at}, ${error}: ${JSON.stringify(run, null, 1)}`);
      if (!isRight) wrong += 1;
    }
    await trader.agrees();
  } catch (problem) {
    console.log(String(problem));
    lost += 1;
  } finally {
    await trader.remove();
    await taker.end();
    exchange.process.kill('SIGKILL');
    await exchange.exited;
  }
  say({ what: `${error} at a ${kind} of a real trader's ledger`, tried, lost, wrong });
}

powerLosses('power lost at a write or sync', WORK, false);
powerLosses('power lost again in the recovery', WORK, true);
powerLosses('the control: power lost under `synchronous=NORMAL`', { ...WORK, synchronous: 'NORMAL' }, false);
for (const kind of ['sync', 'write'] as const) for (const error of ['EIO', 'ENOSPC'] as const) diskErrors(kind, error);
if (options.traders > 0) {
  for (const kind of ['sync', 'write'] as const)
    for (const error of ['EIO', 'ENOSPC'] as const) await failingTraders(kind, error);
}

const figures = [
  '| Fault of the disk | Times | Commits lost | Otherwise wrong |',
  '|---|---|---|---|',
  ...lines.map(({ what, tried, lost, wrong }) => `| ${what} | ${tried} | ${lost} | ${wrong} |`),
].join('\n');
console.log(`\n${figures}`);
if (options.write) writeFigures('disk', figures);
const isControl = ({ what }: Line) => what.startsWith('the control');
const isGood = lines.every((line) => line.wrong === 0 && (isControl(line) ? line.lost > 0 : line.lost === 0));
process.exit(isGood ? 0 : 1);
