/** A server of a queue, for the system tier: Debian's redis-server, on loopback, in a folder of its own. */

import { spawnSync } from 'node:child_process';
import { freePort } from './listening.js';
import { program, type Running } from './processes.js';

/** Starts the server without a preloaded library: under that of faketime it hangs. */
const SERVER = ['-u', 'LD_PRELOAD', 'redis-server'];

/** False where `redis-server` is not installed: then what needs it is skipped, and says so. */
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
