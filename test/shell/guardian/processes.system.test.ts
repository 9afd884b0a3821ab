/** Real traders with resting orders at a real exchange, stopped in every way; guardians are stopped too. */

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { isGone } from '../../../src/shared/base/processes.js';
import { endedWithTest, endInOrder } from '../../support/cases.js';
import { times } from '../../support/effort.js';
import { BIN, loadingFirst, type Running, twinbook } from '../../support/processes.js';
import { trader } from '../config/files.js';
import { Guarded, STOPS, type Stop, trial, until } from './trial.js';

/** No trader of these tests pauses for this time, even on a busy machine, which would cause an alarm. */
const TIMEOUT = 'timeout_ms: 10000';
const QUICK = `{ ${TIMEOUT} }`;

let exchange: Running;
let url = '';

beforeAll(async () => {
  exchange = twinbook(['exchange', '--port', '0', '--no-rate-limits', '--seed', '7']);
  url = (await exchange.waitFor(/listening on (http:\S+)/))[1] ?? '';
});

afterAll(async () => {
  exchange.process.kill('SIGKILL');
  await exchange.exited;
});

// These tests run side by side, so what ends with one of them is told by its own context.

function guardedAt({ onTestFailed, onTestFinished }: TestContext, address: string, guardian = QUICK): Guarded {
  const guarded = new Guarded(address, { guardian });
  onTestFailed(() => console.error(`${guarded.process.output()}\n${guarded.log()}`));
  onTestFinished(() => guarded.remove());
  return guarded;
}

const started = ({ onTestFinished }: TestContext, ...words: Parameters<typeof twinbook>): Running =>
  endedWithTest(twinbook(...words), onTestFinished);

describe.concurrent('everything is canceled when', () => {
  const kinds = Object.entries(STOPS) as readonly (readonly [Stop, string])[]; // The keys of the object literal.
  // To its guardian a blocked event loop looks like SIGSTOP, and daemon/stop tests it as well; a killed trader is
  // tested below, while the exchange is down and under a guardian of its own unit.
  const USUAL_KINDS = kinds.filter(([stop]) => stop !== 'blocked' && stop !== 'killed');
  it.for(times(USUAL_KINDS, kinds))('a trader is %s: %s; and it does not quote on by itself', async ([stop], test) => {
    const guarded = guardedAt(test, url);
    const { orders } = await trial(guarded, stop, 8);
    const isDead = stop === 'killed' || stop === 'stepped';
    expect(guarded.log()).toContain(`ALARM: guardian: no heartbeat for`);
    expect(guarded.log()).toMatch(/asked to cancel \d+ orders/);
    expect(orders).toBeGreaterThanOrEqual(8);
    expect(readFileSync(`${guarded.ledger}.kill`, 'utf8')).toMatch(
      isDead ? /^guardian: no heartbeat .* has ended\n$/ : /^guardian: no heartbeat .* does not answer\n$/,
    );
    if (stop === 'stopped') guarded.process.process.kill('SIGCONT');
    if (stop === 'blocked') guarded.unblock();
    if (isDead) guarded.start();
    // A step of the core ran again: by then it has decided not to quote.
    await guarded.process.waitFor(/ killed: guardian: no heartbeat/);
    await until(() => guarded.report()?.state === 'watching', 'the guardian does not stand down');
    // A submit sent before it stopped may land after the guardian's cancels; then it cancels that order itself.
    await until(async () => (await guarded.resting()) === 0, 'something rests');
    await endInOrder(guarded.process);
    expect(await guarded.resting()).toBe(0);
  });

  it('a trader is stopped that may go on by itself: woken, it cancels everything first, then quotes; a guardian that is stopped is replaced', async (test) => {
    const guarded = guardedAt(test, url, `{ ${TIMEOUT}, resume_after_alarm: true }`);
    await trial(guarded, 'stopped', 8);
    expect(existsSync(`${guarded.ledger}.kill`)).toBe(false);
    guarded.process.process.kill('SIGCONT');
    await guarded.process.waitFor(/the event loop was blocked for [\d.]+ s: canceling every order/);
    await until(
      async () => guarded.report()?.state === 'watching' && (await guarded.resting()) >= 8,
      'it does not quote again',
    );
    expect(guarded.process.output()).not.toMatch(/killed/);
    for (const signal of times(['SIGSTOP'] as const, ['SIGSTOP', 'SIGKILL'] as const))
      await isReplaced(guarded, signal, test);
  });

  it('the trader dies while the exchange is down, as soon as that is back', async (test) => {
    const data = mkdtempSync(join(tmpdir(), 'twinbook-exchange-'));
    test.onTestFinished(() => rmSync(data, { recursive: true, force: true }));
    const open = (port: string) =>
      started(test, ['exchange', '--port', port, '--no-rate-limits', '--seed', '7', '--data-dir', data]);
    const first = open('0');
    const address = (await first.waitFor(/listening on (http:\S+)/))[1] ?? '';
    const guarded = guardedAt(test, address);
    await guarded.quoting(8);
    first.process.kill('SIGKILL');
    guarded.stop('killed');
    await until(() => (guarded.log().match(/could not cancel: /g) ?? []).length >= 2, 'it does not try');
    await open(new URL(address).port).waitFor(/listening on/);
    await until(() => guarded.report()?.state === 'secured', 'not secured');
    expect(guarded.log()).toMatch(/asked to cancel \d+ orders/);
    expect(await guarded.resting()).toBe(0);
  });

  it('the trader dies under a guardian of its own unit, which stays', async (test) => {
    const guarded = guardedAt(test, url, `{ ${TIMEOUT}, start: false }`);
    guarded.start();
    await guarded.process.waitFor(/warning: not guarded: NONE/);
    const unit = started(test, ['guardian', '-c', guarded.config]);
    await trial(guarded, 'killed', 8);
    expect(isGone(guarded.report()?.process ?? { pid: 1, born: null })).toBe(false);
    await endInOrder(unit);
    expect(guarded.report()?.state).toBe('ended');
  });
});

/** Stops a guardian by this signal; another one replaces it. */
async function isReplaced(guarded: Guarded, signal: 'SIGSTOP' | 'SIGKILL', { onTestFinished }: TestContext) {
  const { pid } = guarded.report()?.process ?? { pid: 0 };
  process.kill(pid, signal);
  onTestFinished(() => {
    if (signal === 'SIGSTOP') process.kill(pid, 'SIGKILL');
  });
  await until(() => guarded.report()?.state === 'watching' && guarded.report()?.process.pid !== pid, 'not replaced');
}

/** Loaded before a program: the first guardian hangs before its first output. */
const hangOnce = (flag: string) => `
import { existsSync, writeFileSync } from 'node:fs';
const flag = ${JSON.stringify(flag)};
if (process.argv[2] === 'guardian' && !existsSync(flag)) {
  writeFileSync(flag, '');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}`;

/** Each guardian that the trader has started, by its log. */
const guardianStarts = (log: string) =>
  readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line.includes('started a guardian'))
    .map((line) => ({ time: Number(JSON.parse(line).time), pid: Number(/process (\d+)/.exec(line)?.[1]) }));

describe.concurrent('a guardian', () => {
  it('is started again when it hangs as it loads, is not hit by Ctrl-C, outlives the trader until nothing rests, and leaves no process behind', async (test) => {
    const guarded = guardedAt(test, url);
    const hangs = loadingFirst(`data:text/javascript,${encodeURIComponent(hangOnce(join(guarded.folder, 'hung')))}`);
    // In its own process group, as a shell starts it.
    const trader = spawn(process.execPath, [BIN, 'start', '-c', guarded.config], {
      detached: true,
      stdio: 'ignore',
      env: { ...process.env, ...hangs },
    });
    const exited = new Promise<number | null>((done) => trader.once('close', (code) => done(code)));
    guarded.adopt(trader, exited);
    await until(
      async () => guarded.report()?.state === 'watching' && (await guarded.resting()) >= 8,
      'it does not quote',
    );
    const [first, second] = guardianStarts(join(guarded.folder, 'trader.log'));
    process.kill(first?.pid ?? 0, 'SIGKILL');
    // It loads in a second or so, several on a busy machine: a second one beside it would delay both.
    expect((second?.time ?? 0) - (first?.time ?? 0)).toBeGreaterThanOrEqual(5000);
    const guardian = guarded.report()?.process;
    process.kill(-(trader.pid ?? 0), 'SIGINT');
    expect(await exited).toBe(0);
    expect(await guarded.resting()).toBe(0);
    expect(guarded.heartbeat()).toMatchObject({ phase: 'ended', mayRest: false });
    expect(guardian !== undefined && isGone(guardian)).toBe(true);
    expect(guarded.log()).toContain('ends: the trader ended, and the guardian has nothing to cancel');
    expect(guarded.log()).not.toContain('asked to end');
    expect(existsSync(`${guarded.ledger}.kill`)).toBe(false);
    // Its configuration disables the journal.
    expect(existsSync(join(guarded.folder, 'runs'))).toBe(false);
  });

  it('that cannot use its key is told of, and keeps a trader that requires one from starting', async (test) => {
    const guarded = guardedAt(test, url);
    const credentials = join(guarded.folder, 'guardian-credentials.json');
    writeFileSync(credentials, '{}', { mode: 0o644 });
    const why = /cannot guard: the credentials file \S+ has mode 0644; it must be 0600/;
    const trader = guarded.start();
    await trader.waitFor(new RegExp(`warning: not guarded: NONE.*${why.source}`));
    await endInOrder(trader);
    const strict = started(test, ['start', '-c', guarded.config], { TWINBOOK__GUARDIAN__REQUIRED: 'true' });
    expect(await strict.exited).toBe(5);
    expect(strict.output()).toMatch(why);
  });

  it('of an embedded exchange has nothing to do and says so', async (test) => {
    const guarded = guardedAt(test, url);
    writeFileSync(guarded.config, trader('exchange: {}'));
    const guardian = guarded.start('guardian');
    expect(await guardian.exited).toBe(0);
    expect(guardian.output()).toContain('No guardian is needed');
  });
});
