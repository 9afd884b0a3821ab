import { chownSync, readFileSync, symlinkSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { SqliteDriver } from '../../src/shared/base/sqlite-driver.js';
import { askTrader } from '../../src/shell/control/control-client.js';
import {
  type ControlQuestion,
  type ControlResponse,
  readControlRequest,
} from '../../src/shell/control/control-protocol.js';
import { serveControl } from '../../src/shell/control/control-server.js';
import { lockWriter } from '../../src/trader/ledger/lock.js';
import { ENDED_PROVEN } from '../../src/trader/ledger/tables.js';
import { trader } from '../shell/config/files.js';
import { ACCOUNT, PROCESS } from '../shell/console/state-of-markets.js';
import { folderOf } from '../support/folders.js';
import { intentOf, orderOf } from '../trader/ledger/books.js';
import { folderWith, writeLedger } from './ledger/written.js';
import { run } from './run.js';

type ControlHost = Parameters<typeof serveControl>[1];

const hostOf = (answer: ControlHost['answer']): ControlHost => ({ answer, subscribe: () => 'nobody is told here' });

const PONG: ControlResponse = { ok: true, data: { pid: process.pid } };
const lockIn = (cwd: string) => lockWriter(join(cwd, 'twinbook.sqlite'), { pid: process.pid, startedMs: 1 });

/** A control socket at the place that the trader file names; it answers with the result of `answer`. */
async function socketIn(answer: (request: ControlQuestion) => ControlResponse | Promise<ControlResponse>) {
  const cwd = folderWith();
  const asked: ControlQuestion[] = [];
  const server = await serveControl(
    join(cwd, 'twinbook.sqlite.sock'),
    hostOf(async (request) => {
      if (request.command === 'ping') return PONG;
      asked.push(request);
      return answer(request);
    }),
  );
  const lock = lockIn(cwd);
  // This reference also keeps the garbage collector from closing the lock.
  onTestFinished(() => void [server.close(), lock.release()]);
  return { cwd, asked, lock, command: (line: string) => run([...line.split(' '), '-c', 'trader.yaml'], { cwd }) };
}

/** A peer that treats each connection so, on the socket of a trader. */
async function peer(treat: (socket: Socket, server: Server) => unknown, cwd = folderOf({})) {
  const path = join(cwd, 'twinbook.sqlite.sock');
  const server = createServer((socket) => treat(socket, server));
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => void server.close());
  return { path, server };
}

describe('commands reach the running trader', () => {
  test.each([
    ['pause --reason news', { command: 'pause', reason: 'news' }],
    ['resume', { command: 'resume', reason: '' }],
    ['flatten', { command: 'flatten' }],
  ])('%s --market reaches that market alone, and says where to look', async (line, request) => {
    const trader = await socketIn(() => ({ ok: true, data: { mode: 'quoting', reason: '' } }));
    const out = 'quoting; to see this market, run `twinbook explain M1`\n';
    expect(await trader.command(`${line} --market M1`)).toEqual({ code: 0, out, err: '' });
    expect(trader.asked).toEqual([{ ...request, market: 'M1' }]);
  });

  const mode: ControlResponse = { ok: true, data: { mode: 'paused', reason: 'lunch' } };

  test.each([
    ['pause --reason lunch', { command: 'pause', reason: 'lunch' }],
    ['pause', { command: 'pause', reason: 'operator' }],
    ['resume', { command: 'resume', reason: '' }],
    ['resume --reason rested', { command: 'resume', reason: 'rested' }],
    ['widen', { command: 'widen', reason: 'operator' }],
    ['reduce-only --reason rumours', { command: 'reduce-only', reason: 'rumours' }],
    ['flatten', { command: 'flatten' }],
    ['unkill --reason calm', { command: 'unkill', reason: 'calm' }],
  ])('%s', async (line, ...requests) => {
    const trader = await socketIn(() => mode);
    expect(await trader.command(line)).toEqual({ code: 0, out: 'paused: lunch\n', err: '' });
    expect(trader.asked).toEqual(requests);
    expect(JSON.parse((await trader.command(`${line} --json`)).out)).toEqual({ mode: 'paused', reason: 'lunch' });
  });

  test.each([
    [1, '1 order may rest and is being canceled; `kill --verify` waits until none rests'],
    [3, '3 orders may rest and are being canceled; `kill --verify` waits until none rests'],
    [0, 'as far as the trader knows, no order rests'],
    [null, 'resting orders are being canceled; their number is unknown without the ledger'],
  ])('kill, of which the trader says that %s orders rest', async (resting, text) => {
    const data = { mode: 'killed', reason: 'panic', resting };
    const trader = await socketIn(() => ({ ok: true, data }));
    const out = `killed: panic\n${text}\n`;
    expect(await trader.command('kill --reason panic')).toEqual({ code: 0, out, err: '' });
    expect(trader.asked).toEqual([{ command: 'kill', reason: 'panic' }]);
    expect(JSON.parse((await trader.command('kill --reason panic --json')).out)).toEqual(data);
  });

  test.each([
    [{ ok: true, data: { asked: 3, resting: 1, verified: false } }, '1 order still open after 3 cancel requests; '],
    [null, ''],
  ] as const)('kill --verify says that nothing was proven in time, of a trader that says %j', async (proof, found) => {
    const killed = { mode: 'killed', reason: 'operator' };
    const never = new Promise<ControlResponse>(() => undefined);
    let said: ControlResponse | null = proof;
    const trader = await socketIn(({ command }) => {
      if (command !== 'cancel-all') return { ok: true, data: killed };
      const answer = said ?? never;
      said = null;
      return answer;
    });
    const out = `killed: operator\n${found}no proof within 1 s that no order rests. The trader keeps canceling; \`kill --verify\` waits again\n`;
    expect(await trader.command('kill --verify --timeout 1')).toEqual({ code: 5, out, err: '' });
  });

  test('stop tells what the ledger says once the process is gone', async () => {
    const cwd = folderWith((ledger) => ledger.startRun({ id: 'run', version: '0', configHash: 'hash', startedMs: 1 }));
    const stop = async () => {
      const lock = lockIn(cwd);
      const { server } = await peer((socket) => socket.resume().end(`${JSON.stringify(PONG)}\n`), cwd);
      const ran = await run(['stop', '-c', 'trader.yaml'], { cwd });
      await new Promise((resolve) => server.close(resolve));
      lock.release();
      return ran;
    };
    const open = expect.stringMatching(/^stopped, but orders may still rest: /);
    expect(await stop()).toMatchObject({ code: 1, out: open });
    writeLedger(cwd, (ledger) => ledger.stopRun('run', 2, ENDED_PROVEN));
    expect(await stop()).toEqual({ code: 0, out: 'stopped; no order is left open\n', err: '' });
    writeLedger(cwd, (ledger) => {
      ledger.addIntent(intentOf({ state: 'live', draftPubkey: 'order-1' }));
      ledger.addOrder(orderOf());
      ledger.addIntent(intentOf({ id: 'run-a-2', state: 'signed', draftPubkey: 'order-2', submitCount: 1 }));
      ledger.addOrder(orderOf({ pubkey: 'order-2', intentId: 'run-a-2', status: 'waiting_to_sign' }));
    });
    expect(await stop()).toMatchObject({ code: 1, out: expect.stringContaining('2 orders may still rest') });
    const status = await run(['status', '--json', '-c', 'trader.yaml'], { cwd });
    expect(JSON.parse(status.out)).toMatchObject({ open_orders: 1, unknown_orders: 1 });
  });

  test('status gives the time of an old comparison', async () => {
    const rest = { dashboard: null, signingRefused: 0, account: ACCOUNT, process: PROCESS, markets: [] };
    const trader = await socketIn(() => ({ ok: true, data: { ...rest, nowMs: 3_600_000 } }));
    expect((await trader.command('status')).out).toMatch(/^ledger .*agree \(compared at 1970-01-01 00:00:04 UTC\)$/m);
  });

  test('a refusal is told', async () => {
    const trader = await socketIn(() => ({ ok: false, error: 'not now' }));
    const err = expect.stringMatching(/^the trader refused: not now\n {2}`twinbook status` /);
    expect(await trader.command('pause')).toEqual({ code: 2, out: '', err });
  });

  test.each([
    [{ asked: 3, resting: 0, verified: true }, 0, 'canceled 3 orders; two reads show that none rests\n'],
    [{ asked: 3, resting: 1, verified: false }, 1, '1 order still open after 3 cancel requests\n'],
    [{ asked: 0, resting: 0, verified: false }, 1, 'asked to cancel 0 orders; it is not proven that none rests\n'],
  ])('cancel-all --verify with %j exits %i', async (data, code, out) => {
    const trader = await socketIn(() => ({ ok: true, data }));
    expect(await trader.command('cancel-all --verify')).toEqual({ code, out, err: '' });
    expect(trader.asked).toEqual([{ command: 'cancel-all', verify: true }]);
  });

  const compared = { differences: [], accepted: [], voided: [], complete: true };
  const reconcile = async (data: object, line = 'reconcile') =>
    (await socketIn(() => ({ ok: true, data: { ...compared, ...data } }))).command(line);

  test('reconcile exits 6 when something differs, and 5 when it could not compare', async () => {
    const difference = { what: 'fill', subject: 'trade-1', ledger: 'nothing', exchange: '1 at 0.5, fee 0' };
    const differing = await reconcile({ differences: [difference] }, 'reconcile --json');
    expect(differing).toMatchObject({ code: 6, out: expect.stringContaining('trade-1') });
    expect(await reconcile({})).toEqual({ code: 0, out: 'ledger and exchange agree\n', err: '' });
    const err = expect.stringMatching(/A reconciliation failed \(lost\)[\s\S]*completed no reconciliation in time/);
    expect(await reconcile({ voided: ['lost'], complete: false })).toEqual({ code: 5, out: '', err });
    const { cwd, command } = await socketIn(() => ({ ok: true, data: compared }));
    new SqliteDriver(join(cwd, 'twinbook.sqlite')).exec("INSERT INTO balances VALUES ('cash', 'cash', 1)").close();
    const out = expect.stringMatching(/^sum +ledger +balance of cash: 1 instead of 0/m);
    expect(await command('reconcile')).toMatchObject({ code: 6, out });
  });

  test('reconcile exits 7 and names number, time and reason where accepted differences are left out', async () => {
    const one = { what: 'position', subject: 'A YES', ledger: '46.92', exchange: '22.95', reason: 'after a restore' };
    const accepted = [
      { ...one, sinceMs: Date.UTC(2026, 10, 28, 10, 21, 3) },
      { ...one, subject: 'B NO', sinceMs: Date.UTC(2026, 10, 28, 12) },
    ];
    const sentence = '2 accepted differences since 2026-11-28 10:21:03 UTC (after a restore)';
    const { code, out } = await reconcile({ accepted });
    expect(code).toBe(7);
    expect(out).toContain(`ledger and exchange agree except for ${sentence}\n`);
    const told = JSON.parse((await reconcile({ accepted }, 'reconcile --json')).out);
    expect(told).toMatchObject([{ subject: 'A YES', accepted: { reason: 'after a restore' } }, { subject: 'B NO' }]);
    const open = await reconcile({ accepted, differences: [{ ...one, subject: 'C YES' }] });
    expect(open.code).toBe(6);
    expect(open.out).toContain(`ledger and exchange differ in 1 place, apart from ${sentence}\n`);
  });

  test('resume lists what it leaves as it is', async () => {
    const notes = ['market "Rain" stays paused: news', 'nothing was booked'];
    const trader = await socketIn(() => ({ ok: true, data: { mode: 'quoting', reason: '', notes } }));
    expect((await trader.command('resume')).out).toBe(`quoting\n${notes.join('\n')}\n`);
  });

  test('explain prints the lines', async () => {
    const trader = await socketIn(() => ({ ok: true, data: { lines: ['because', 'so'] } }));
    expect(await trader.command('explain m1')).toEqual({ code: 0, out: 'because\nso\n', err: '' });
    expect(trader.asked).toEqual([{ command: 'explain', subject: 'm1' }]);
  });
});

describe('the client of the control socket', () => {
  const call = (socket: string, { untilGone = false, timeoutMs = 10_000 } = {}) =>
    askTrader({ command: 'stop' }, { socket, timeoutMs, untilGone });

  test('says not_running where nobody listens, and where a killed trader left its socket', async () => {
    await expect(call(join(folderOf({}), 'none.sock'))).rejects.toMatchObject({ code: 'not_running' });
    const plain = join(folderOf({ 'plain.sock': '' }), 'plain.sock');
    await expect(call(plain)).rejects.toMatchObject({ code: 'not_running' });
    symlinkSync(`${plain}.loop`, `${plain}.loop`);
    await expect(call(join(`${plain}.loop`, 'x'))).rejects.toMatchObject({ code: 'file_unreadable' });
  });

  const ANSWER = '{"ok":true,"data":1}\n';
  const shortly = { timeoutMs: 50 };
  const odd = { code: 'usage', message: expect.stringContaining('does not answer like a trader') };

  test.each<readonly [string, (socket: Socket) => unknown, Parameters<typeof call>[1], object]>([
    ['gives no answer', (socket) => socket.resume(), shortly, { code: 'timed_out' }],
    ['is not gone in time', (socket) => socket.write(ANSWER), { ...shortly, untilGone: true }, { code: 'timed_out' }],
    ['hangs up without an answer', (socket) => socket.end(), {}, { code: 'not_running' }],
    ...['hello', '{"ok":true}', 'null', '[]'].map(
      (text) => [`answers ${text}`, (socket: Socket) => socket.write(`${text}\n`), {}, odd] as const,
    ),
  ])('does not believe a trader that %s', async (_, treat, how, error) => {
    await expect(call((await peer(treat)).path, how)).rejects.toMatchObject(error);
  });

  test('waits until the trader hangs up when asked to', async () => {
    const { path } = await peer((socket) => socket.end(ANSWER));
    await expect(call(path, { untilGone: true })).resolves.toBe(1);
  });
});

test.each([
  ['{"command":"status"}', { command: 'status' }],
  ['{"command":"ping"}', { command: 'ping' }],
  ['{"command":"kill"}', { command: 'kill', reason: 'operator' }],
  ['{"command":"resume"}', { command: 'resume', reason: '' }],
  ['{"command":"widen","reason":"rumours"}', { command: 'widen', reason: 'rumours' }],
  ['{"command":"reduce-only"}', { command: 'reduce-only', reason: 'operator' }],
  ['{"command":"unkill","reason":" calm "}', { command: 'unkill', reason: 'calm' }],
  ['{"command":"cancel-all","verify":"yes"}', { command: 'cancel-all', verify: false }],
  ['{"command":"explain","subject":"x"}', { command: 'explain', subject: 'x' }],
  ['{"command":"explain"}', expect.stringContaining('explain needs a subject: an order, a fill or a market')],
  ['{"command":"unkill"}', 'unkill needs a reason'],
  ['{"command":"format"}', 'unknown command "format"'],
  ['{"command":5}', 'unknown command ""'],
  ['[]', 'unknown command ""'],
  ['null', 'a request is a JSON object'],
  ['{', 'not a line of JSON'],
  ['', 'not a line of JSON'],
])('a request line %s', (line, expected) => expect(readControlRequest(line)).toEqual(expected));

describe('a trader that is hard to reach', () => {
  test('kill leaves the stop file when the trader ends between its answer to a ping and the kill', async () => {
    const cwd = folderOf({ 'trader.yaml': trader() });
    const lock = lockIn(cwd);
    await peer((socket, server) => {
      socket.on('data', (line) => {
        if (String(line).includes('ping')) return socket.write(`${JSON.stringify(PONG)}\n`);
        server.close();
        lock.release();
        return socket.destroy();
      });
    }, cwd);
    const { err } = await run(['kill', '--reason', 'now', '-c', 'trader.yaml'], { cwd });
    expect(err).toContain('No trader is running; the next trader starts killed');
    expect(readFileSync(join(cwd, 'twinbook.sqlite.kill'), 'utf8')).toBe('now\n');
  });

  const becomeForeign = (socket: string) => {
    if (process.getuid?.() === 0) chownSync(socket, 4711, 4711);
    vi.spyOn(process, 'getuid').mockReturnValue(4712);
    onTestFinished(() => void vi.restoreAllMocks());
  };

  test.each([
    ['another user', becomeForeign, /belongs to another user/],
    ['the trader of another ledger', () => undefined, /does not write the ledger/],
  ])('kill goes past the socket of %s', async (_, prepare, refusal) => {
    const trader = await socketIn(() => ({ ok: true, data: { mode: 'killed', reason: 'swallowed' } }));
    trader.lock.release();
    prepare(join(trader.cwd, 'twinbook.sqlite.sock'));
    const { err } = await trader.command('kill --reason now');
    expect(err).toContain('the next trader starts killed');
    expect(readFileSync(join(trader.cwd, 'twinbook.sqlite.kill'), 'utf8')).toBe('now\n');
    expect((await trader.command('pause')).err).toMatch(refusal);
    expect(trader.asked).toEqual([]);
  });

  test('a trader leaves alone a used socket, and a file whose name its socket has', async () => {
    const cwd = folderOf({ 'wallet.json': 'a key' });
    const host = hostOf(async () => PONG);
    const { path } = await peer(() => undefined, cwd);
    await expect(serveControl(path, host)).rejects.toThrow('another process listens on this socket');
    await expect(serveControl(join(cwd, 'wallet.json'), host)).rejects.toThrow(/cannot be opened: .* not a socket/);
    expect(readFileSync(join(cwd, 'wallet.json'), 'utf8')).toBe('a key');
  });
});
