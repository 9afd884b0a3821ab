/** A fleet with a real database: its sums, its rejections, and two traders for one wallet. */

import { existsSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { micros } from '../../../src/shared/base/micros.js';
import type { FleetConfig } from '../../../src/shell/config/config.js';
import { FleetDatabase } from '../../../src/shell/fleet/database.js';
import { FleetMember } from '../../../src/shell/fleet/member.js';
import { DatabaseDesk, initFleet, readFleet, requireTables } from '../../../src/shell/fleet/owner-desk.js';
import { readBeatNow } from '../../../src/shell/guardian/beat-file.js';
import { heartbeatSchema, locateHeartbeatFile } from '../../../src/shell/guardian/decide.js';
import { endInOrder, exchangeHere, folderOf, makerYaml, ran, started, traderYaml } from '../../support/cases.js';
import { IS_LONG, times } from '../../support/effort.js';
import { freePort, listening } from '../../support/listening.js';
import {
  HAS_OPENSSL,
  HAS_POSTGRES,
  makeCertificate,
  makeCluster,
  makeReplica,
  PASSWORD,
  type PostgresServer,
  startPostgres,
} from '../../support/postgres.js';
import type { Running } from '../../support/processes.js';
import { until, untilTrue } from '../../support/waiting.js';

const ENV = { TWINBOOK_FLEET_PASSWORD: PASSWORD };
const CAPITAL = micros(1_000_000_000);

/** A replica can be made of it. */
const AS_PRIMARY = ['wal_level=replica'];

let folder = '';
let server: PostgresServer;

const place = (more: Partial<FleetConfig['database']> = {}): FleetConfig['database'] => ({
  ...{ host: '127.0.0.1', port: server.port, database: 'postgres', user: 'fleet', tls: 'off', rootCert: null },
  ...more,
});
const open = (more: Partial<FleetConfig['database']> = {}, password: string | null = PASSWORD) =>
  FleetDatabase.open({ server: place(more), password, answerMs: 5_000, idleMs: 60_000, name: 'test' });

async function prepare(): Promise<void> {
  const database = await open();
  await initFleet(database, CAPITAL);
  await database.close();
}

async function deskOf(wallet: string, leaseMs = 60_000): Promise<DatabaseDesk> {
  const candidate = { wallet, holder: 'test', instance: `of ${wallet}`, machine: 'here', leaseMs };
  const desk = new DatabaseDesk(await open(), candidate);
  await desk.take(null);
  return desk;
}

/** Its database dies: resting orders are canceled, and return with it. */
async function outlive(trader: Running): Promise<void> {
  server.running.process.kill('SIGQUIT');
  await server.running.exited;
  await trader.waitFor(/was not renewed for 1\.5 s, so everything is pulled/);
  await trader.waitFor(/paused: the fleet's lease[^|]*\| markets \d of 1 quoted \| orders 0 /);
  server = await startPostgres(folder, server.port, AS_PRIMARY);
  const before = trader.output().length;
  await untilTrue(() => /quoting \| markets 1 of 1 quoted/.test(trader.output().slice(before)));
}

describe.skipIf(!HAS_POSTGRES)('a fleet', () => {
  beforeAll(async () => {
    folder = makeCluster();
    server = await startPostgres(folder, await freePort(), AS_PRIMARY);
  });
  afterAll(async () => {
    server?.running.process.kill('SIGKILL');
    await server?.running.exited;
    rmSync(folder, { recursive: true, force: true });
  });

  it('says what is wrong with a database, and never its password', async () => {
    const wrong = 'not-the-password';
    const attempts = [
      [() => open({}, wrong), /rejects this user or password/],
      [() => open({}, null), /requires a password/],
      [() => open({ database: 'nowhere' }), /does not exist/],
      [() => open({ port: 1 }), /does not answer/],
      [() => open({ tls: 'verified' }), /does not support TLS/],
      [() => open().then((opened) => requireTables(opened).finally(() => opened.close())), /is not prepared/],
    ] as const;
    for (const [attempt, pattern] of attempts) {
      const message = await attempt().then(String, (error: Error) => error.message);
      expect(message).toMatch(pattern);
      expect(message).not.toContain(wrong);
    }

    const database = await open();
    expect(await database.query('SHOW statement_timeout')).toEqual([{ statement_timeout: '5s' }]);
    expect([await initFleet(database, CAPITAL), await initFleet(database, CAPITAL)]).toEqual([true, false]);
    await database.query('UPDATE twinbook_fleet.about SET version = 99');
    await expect(requireTables(database)).rejects.toThrow(/tables of version 99, but this Twinbook needs version 2/);
    await database.query('UPDATE twinbook_fleet.about SET version = 2');
    await database.query('ALTER ROLE fleet SET default_transaction_read_only = on');
    await expect(open()).rejects.toThrow(/is read-only for this user/);
    await database.query(
      'SET default_transaction_read_only = off; ALTER ROLE fleet RESET default_transaction_read_only',
    );
    await database.close();
  });

  it.skipIf(!HAS_OPENSSL)('over TLS believes only a certificate that its root vouches for, by its name', async () => {
    const [rootCert, other] = [makeCertificate(folder), makeCertificate(folder, 'other')];
    const database = await open();
    await database.query('ALTER SYSTEM SET ssl = on');
    await database.query('SELECT pg_reload_conf()');
    await database.close();
    const isEncrypted = async (more: Partial<FleetConfig['database']>) => {
      const opened = await open(more);
      const [about] = await opened.query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
      await opened.close();
      return about?.['ssl'];
    };
    const verified = { host: 'localhost', tls: 'verified', rootCert } as const;
    // The server applies its settings with a delay.
    await until(
      () => isEncrypted(verified).catch(() => false),
      (isIt) => isIt === true,
    );
    expect(await isEncrypted({ tls: 'unverified' })).toBe(true);
    await expect(open({ ...verified, rootCert: other })).rejects.toThrow(/has a TLS certificate that is not trusted/);
    await expect(open({ ...verified, rootCert: null })).rejects.toThrow(/has a TLS certificate that is not trusted/);
    await expect(open({ ...verified, host: '127.0.0.1' })).rejects.toThrow(/has a TLS certificate for another host/);
    await expect(open({ ...verified, rootCert: join(folder, 'none.crt') })).rejects.toThrow(
      /none\.crt of fleet\.database cannot be read/,
    );
  });

  it('refuses a replica, and goes on with it once it is promoted', async () => {
    await prepare();
    server.running.process.kill('SIGINT');
    await server.running.exited;
    makeReplica(folder);
    server = await startPostgres(folder, server.port, AS_PRIMARY);
    await expect(open()).rejects.toMatchObject({
      message: expect.stringContaining('is a replica, which accepts no writes'),
      hint: 'Use the primary server.',
    });
    const { host, port, user, database: name } = place();
    const client = new pg.Client({ host, port, user, database: name, password: PASSWORD });
    await client.connect();
    await client.query('SELECT pg_promote()');
    await client.end();
    const database = await open();
    await requireTables(database);
    expect(await initFleet(database, CAPITAL)).toBe(false);
    await database.close();
  });

  it('grants no more capital than there is, and each market once, to eight who ask at once', async () => {
    await prepare();
    const wallets = Array.from({ length: 8 }, (_, i) => `wallet-${i}`);
    const desks = await Promise.all(wallets.map((wallet) => deskOf(wallet)));
    for (let round = 0; round < times(3, 100); round++) {
      const answers = await Promise.all(desks.map((desk) => desk.grant(1, 300_000_000)));
      expect(answers.filter(({ kind }) => kind === 'granted')).toHaveLength(3);
      const markets = ['m1', 'm2', 'm3', 'm4'];
      const claims = await Promise.all(desks.map((desk) => desk.claim(1, markets)));
      const ours = claims.flatMap((all, i) => markets.filter((market) => all.get(market) === wallets[i]));
      expect(ours.sort()).toEqual(markets);
      await Promise.all(desks.map((desk) => desk.grant(1, 0)));
      await Promise.all(desks.map((desk) => desk.giveBack(1, [], true)));
    }
    // The owner of the row can do nothing for an ended term.
    expect((await desks[0]?.grant(0, 1))?.kind).toBe('fenced');
    expect((await desks[0]?.renew(1, null))?.kind).toBe('renewed');
    expect((await desks[0]?.renew(0, null))?.kind).toBe('fenced');
    await Promise.all(desks.map((desk) => desk.close()));
  });

  it('returns the markets that a run drops, and once its ledger is right, those of a crashed run', async () => {
    await prepare();
    const crashed = await deskOf('again', 300);
    await crashed.claim(1, ['held', 'dropped']);
    await crashed.close();
    const config = { database: place(), name: 'test', leaseMs: 3_000, standby: false };
    const silent = { say: () => undefined, isStopping: () => false };
    const options = { config, wallet: 'again', password: PASSWORD, capitalMicros: micros(0), ...silent };
    let looks = 0;
    const stopped = FleetMember.join({ ...options, isStopping: () => looks++ > 0 });
    await expect(stopped).rejects.toThrow(
      /^stopped before it was proven that no order of the wallet’s previous run rests/,
    );
    const joined = await FleetMember.join(options);
    if (joined === null) throw new Error('not joined');
    const { member } = joined;
    let [isComplete, isKnown, markets] = [false, false, ['held', 'mine']];
    member.attach({
      summarize: () => null,
      wanted: () => (isKnown ? { markets, isComplete } : null),
      onChange: () => undefined,
    });
    const other = await deskOf('other');
    await other.claim(1, ['early']);
    await untilTrue(async () => member.foreign.join() === 'early');
    isKnown = true;
    await other.giveBack(1, ['early']);
    await other.claim(1, ['theirs']);
    await untilTrue(async () => member.foreign.join() === 'theirs');
    await other.giveBack(1, ['theirs']);
    await untilTrue(async () => member.foreign.length === 0);
    await other.close();
    const database = await open();
    const claimed = async () => (await readFleet(database)).wallets.find(({ wallet }) => wallet === 'again')?.markets;
    await untilTrue(async () => (await claimed())?.join() === 'dropped,held,mine');
    markets = ['held'];
    await untilTrue(async () => (await claimed())?.join() === 'dropped,held');
    isComplete = true;
    await untilTrue(async () => (await claimed())?.join() === 'held');
    await database.query("INSERT INTO twinbook_fleet.claim (market, wallet) VALUES ('without an answer', 'again')");
    await untilTrue(async () => (await claimed())?.join() === 'held');
    await member.close();
    await database.close();
  });

  // A guardian waits for seconds, and the lease must outlast it.
  it.for(times(['alone'], ['alone', 'beside a guardian']))(
    'lets one of two traders sign, though the one that is frozen wakes, %s',
    async (how) => {
      const isGuarded = how !== 'alone';
      await prepare();
      const url = await exchangeHere('--draft-lifetime-s', '5');
      const profile = readFileSync(join(import.meta.dirname, '../../../config/venues/paper.yaml'), 'utf8');
      const fleet = (name: string) => `strategies: [maker.yaml]
fleet: { database: "${server.address}", name: ${name}, lease_s: ${isGuarded ? 15 : 3}, standby: true }${isGuarded && name === 'trader-a' ? '\nguardian: { timeout_ms: 5000 }' : ''}`;
      const yaml = (name: string) =>
        traderYaml(url, fleet(name))
          .replace('profile: paper', 'profile: ../paper.yaml')
          .replace('file: wallet.json', 'file: ../wallet.json');
      const files = folderOf({
        'paper.yaml': profile.replace(/draft_lifetime_s: \d+/, 'draft_lifetime_s: 5'),
        'a/trader.yaml': yaml('trader-a'),
        'a/maker.yaml': makerYaml('{ max: 1 }'),
        'b/trader.yaml': yaml('trader-b'),
        'b/maker.yaml': makerYaml('{ max: 1 }'),
      });
      const [fileA, fileB] = [join(files, 'a/trader.yaml'), join(files, 'b/trader.yaml')];

      const a = started(['start', '-c', fileA], ENV);
      await a.waitFor(/holds the fleet.s lease on the wallet as trader-a \(term 1\)/);
      await a.waitFor(/quoting \| markets 1 of 1 quoted/);
      const b = started(['start', '-c', fileB], ENV);
      await b.waitFor(/waiting for the wallet \w+: trader-a holds it/);

      const guardianLog = () => {
        const path = join(files, 'a/ledger.sqlite.guardian.log');
        return existsSync(path) ? readFileSync(path, 'utf8') : '';
      };
      a.process.kill('SIGSTOP');
      if (isGuarded) {
        // It cancels while the frozen trader still has the wallet, so that no order rests when the next one starts.
        await until(
          guardianLog,
          (said) => /ALARM: guardian: no heartbeat/.test(said) && /asked to cancel \d+ orders/.test(said),
        );
        expect(b.output()).not.toContain('took over the wallet');
      }
      await b.waitFor(/took over the wallet \(term 2\)/);
      await b.waitFor(/all orders of the previous trader are gone/);
      await b.waitFor(/quoting \| markets 1 of 1 quoted/);
      const wokenMs = Date.now();
      a.process.kill('SIGCONT');
      expect(await a.exited).toBe(1);
      expect(a.output()).toMatch(/this trader has lost the wallet: trader-b holds it in the fleet \(term 2\)/);
      const signedLate = `SELECT count(*) AS n FROM intents WHERE kind <> 'cancel' AND signature IS NOT NULL AND created_ms >= ${wokenMs}`;
      expect((await ran(['ledger', 'query', signedLate, '--csv', '-c', fileA])).output.trim().split('\n').at(-1)).toBe(
        '0',
      );

      if (isGuarded) {
        // Its guardian also leaves the wallet of the next trader alone: the new quotes stay.
        const rounds = guardianLog().split('asked to cancel').length;
        await b.waitFor(/quoting \| markets 1 of 1 quoted/);
        expect(guardianLog().split('asked to cancel').length).toBe(rounds);
      }
      if (IS_LONG && !isGuarded) await outlive(b);
      await endInOrder(b);
      const status = await ran(['fleet', 'status', '--json', '-c', fileA], ENV);
      const { wallets } = JSON.parse(status.output) as {
        wallets: { wallet: string; owner: string; term: number; state: string; markets: [] }[];
      };
      const ours = wallets.find(({ owner }) => owner === 'trader-b');
      expect(ours).toMatchObject({ term: 2, state: 'free', markets: [] });

      // A mistyped or shortened address releases nothing and is reported.
      const release = (wallet: string) =>
        ['fleet', 'release', '--wallet', wallet, '--unproven', '--reason', 'gone', '-c', fileA] as const;
      const meant = ours?.wallet ?? '';
      const shortened = meant.slice(0, 8);
      expect(await ran(release(shortened), ENV)).toMatchObject({
        code: 2,
        output: expect.stringMatching(new RegExp(`the fleet has no wallet ${shortened}\\n.*${meant}`)),
      });
      const released = started(release(meant), ENV);
      expect(await released.exited).toBe(0);
      expect(released.output()).toContain(`${meant} is free`);
    },
  );

  it('says that orders may rest when it is stopped while it waits for its own lease or takes over, and ends its heartbeat when it loses the wallet', async () => {
    await prepare();
    const url = await exchangeHere();
    const more = `strategies: [maker.yaml]
fleet: { database: "${server.address}", name: crashed, lease_s: 3 }
guardian: { start: false }`;
    const files = folderOf({ 'trader.yaml': traderYaml(url, more), 'maker.yaml': makerYaml('{ max: 1 }') });
    const start = () => started(['start', '-c', join(files, 'trader.yaml')], ENV);
    const crashed = start();
    await crashed.waitFor(/quoting \| markets 1 of 1 quoted/);
    crashed.process.kill('SIGKILL');
    await crashed.exited;
    for (const moment of [/the previous run of this trader holds it/, /this trader took over the wallet/]) {
      const trader = start();
      await trader.waitFor(moment);
      trader.process.kill('SIGTERM');
      expect(await trader.exited).toBe(1);
      expect(trader.output()).toMatch(/orders may still rest: unless another trader of the fleet has the wallet, run /);
      expect(trader.output()).not.toContain('nothing was placed');
    }
    const loser = start();
    await loser.waitFor(/this trader took over the wallet/);
    const database = await open();
    await database.query("UPDATE twinbook_fleet.wallet SET term = term + 1, holder = 'b' WHERE holder = 'crashed'");
    await database.close();
    expect(await loser.exited).toBe(1);
    expect(loser.output()).toContain('has lost the wallet: b holds it');
    const beat = readBeatNow(locateHeartbeatFile(join(files, 'ledger.sqlite')), heartbeatSchema);
    expect(beat).toMatchObject({ phase: 'ended', oursForMs: 0 });
    // The next test needs the capital.
    const [, wallet = ''] = /new paper wallet (\w+)/.exec(crashed.output()) ?? [];
    const release = ['fleet', 'release', '--wallet', wallet, '--unproven', '--reason', 'gone'];
    expect(await started([...release, '-c', join(files, 'trader.yaml')], ENV).exited).toBe(0);
  });

  it('does not delay the guardian’s news of an orderly stop while its database hangs', async () => {
    await prepare();
    const sockets: Socket[] = [];
    const proxy = createServer((client) => {
      const behind = connect(server.port, '127.0.0.1');
      for (const socket of [client, behind]) sockets.push(socket.on('error', () => socket.destroy()));
      client.pipe(behind).pipe(client);
    });
    const { port } = await listening(proxy);
    const address = server.address.replace(`:${server.port}`, `:${port}`);
    const more = `strategies: [maker.yaml]
fleet: { database: "${address}", name: hanging, lease_s: 6 }
guardian: { start: false }`;
    const url = await exchangeHere();
    const files = folderOf({ 'trader.yaml': traderYaml(url, more), 'maker.yaml': makerYaml('{ max: 1 }') });
    const trader = started(['start', '-c', join(files, 'trader.yaml')], ENV);
    await trader.waitFor(/quoting \| markets 1 of 1 quoted/);
    for (const socket of sockets) socket.unpipe().pause();
    proxy.removeAllListeners('connection');
    trader.process.kill('SIGTERM');
    const beat = () => readBeatNow(locateHeartbeatFile(join(files, 'ledger.sqlite')), heartbeatSchema);
    await until(beat, (read) => read !== null && read !== 'unreadable' && read.phase === 'ended');
    expect(trader.output()).not.toContain('could not be released');
    expect(await trader.exited).toBe(0);
    expect(trader.output()).toContain('could not be released');
  });
});
