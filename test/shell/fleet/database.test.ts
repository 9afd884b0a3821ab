/** Servers that are not fit for a fleet are refused by name, before a wallet is trusted to them. */

import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FleetDatabase } from '../../../src/shell/fleet/database.js';

/** What `FleetDatabase` asks a server about itself. */
interface About {
  readonly version: string;
  readonly named: string;
  readonly is_replica: string;
  readonly read_only: string;
  readonly fsync: string;
}

const SOUND: About = { version: '150005', named: '15.5', is_replica: 'f', read_only: 'off', fsync: 'on' };
/** Object ids of the types that PostgreSQL names in an answer. */
const TYPES: Readonly<Record<string, number>> = { version: 23, is_replica: 16 };
const TEXT = 25;

const int16 = (value: number): Buffer => Buffer.from([value >> 8, value & 255]);
const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};
const message = (type: string, ...parts: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
};
const text = (value: string): Buffer => Buffer.from(`${value}\0`);
const READY = message('Z', Buffer.from('I'));

function rowOf(about: About): Buffer {
  const fields = Object.keys(about).map((name) =>
    Buffer.concat([
      text(name),
      int32(0),
      int16(0),
      int32(TYPES[name] ?? TEXT),
      int16(-1 & 0xffff),
      int32(-1),
      int16(0),
    ]),
  );
  const values = Object.values(about).map((value: string) => Buffer.concat([int32(value.length), Buffer.from(value)]));
  return Buffer.concat([
    message('T', int16(fields.length), ...fields),
    message('D', int16(values.length), ...values),
    message('C', text('SELECT 1')),
    READY,
  ]);
}

/** Speaks as much of the protocol as a connection and simple questions need; the first one is about the server. */
async function fakeServer(about: About, asked: string[] = []): Promise<number> {
  const server = createServer((socket: Socket) => {
    let isOpen = false;
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      if (!isOpen) {
        isOpen = true;
        socket.write(Buffer.concat([message('R', int32(0)), READY]));
      } else if (bytes.toString('latin1', 0, 1) === 'Q') {
        const question = bytes.toString('utf8', 5, bytes.length - 1);
        asked.push(question);
        socket.write(
          question.includes('server_version_num') ? rowOf(about) : Buffer.concat([message('C', text('SET')), READY]),
        );
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const open = (port: number) =>
  FleetDatabase.open({
    server: { host: '127.0.0.1', port, database: 'fleet', user: 'fleet', tls: 'off', rootCert: null },
    password: null,
    answerMs: 5_000,
    idleMs: 60_000,
    name: 'test',
  });

describe('a server', () => {
  it.each([
    [
      'of an old version',
      { version: '120017', named: '12.17 (Debian)' },
      'is PostgreSQL 12.17 (Debian)',
      'PostgreSQL 13 or newer',
    ],
    ['that says no version', { version: '', named: '' }, 'is PostgreSQL ', 'PostgreSQL 13 or newer'],
    ['that replicates another', { is_replica: 't' }, 'is a replica, which takes no writes', 'the primary server'],
    ['that takes no writes', { read_only: 'on' }, 'is read-only for this user', 'default_transaction_read_only = off'],
    ['that may forget a commit', { fsync: 'off' }, 'runs with fsync = off', 'fsync = on'],
  ])('%s is refused, with what is wanted', async (_, changes, what, wanted) => {
    const asked: string[] = [];
    const port = await fakeServer({ ...SOUND, ...changes }, asked);
    const error = await open(port).then(
      () => null,
      (cause: unknown) => cause,
    );
    expect(error).toMatchObject({
      code: 'fleet_unusable',
      message: expect.stringContaining(`127.0.0.1:${port}, database fleet ${what}`),
      hint: expect.stringContaining(wanted),
    });
    expect(asked).toHaveLength(1);
  });

  it.each([
    ['130014', false],
    ['150005', true],
  ])(
    'of version %s is taken, and told how long it may take; idle sessions where it knows them',
    async (version, isTold) => {
      const asked: string[] = [];
      const database = await open(await fakeServer({ ...SOUND, version }, asked));
      expect(asked[1]).toContain('SET statement_timeout = 5000');
      expect(asked[1]?.includes('idle_session_timeout')).toBe(isTold);
      await database.close();
    },
  );
});
