/** A queue's server, for the system tier: Debian's redis-server, on loopback, in a separate folder. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll } from 'vitest';
import { must } from '../../src/shared/base/errors.js';
import { freePort } from './listening.js';
import { program, type Running } from './processes.js';

/** Starts the server without a preloaded library: it hangs under that of faketime. */
const SERVER = ['-u', 'LD_PRELOAD', 'redis-server'];

/** False if `redis-server` is not installed: then its tests are skipped, with a message. */
export const HAS_REDIS = spawnSync('env', [...SERVER, '--version']).status === 0;

export interface RedisServer {
  readonly url: string;
  readonly port: number;
  readonly running: Running;
}

/** @param settings of `redis.conf`, as in `['--appendonly', 'yes']` */
export async function startRedis(
  folder: string,
  settings: readonly string[] = [],
  wished: number | null = null,
): Promise<RedisServer> {
  const port = wished ?? (await freePort());
  const place = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', ''];
  const running = program('env', [...SERVER, ...place, ...settings]);
  await running.waitFor(/Ready to accept connections/);
  return { url: `redis://127.0.0.1:${port}`, port, running };
}

/** A server for all tests of this group, in its own folder. */
export function redisOfGroup(): () => RedisServer {
  let server: RedisServer | null = null;
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'twinbook-redis-'));
    server = await startRedis(folder);
    const { running } = server;
    return async () => {
      running.process.kill('SIGKILL');
      await running.exited;
      rmSync(folder, { recursive: true });
    };
  });
  return () => must(server, 'a started server');
}
