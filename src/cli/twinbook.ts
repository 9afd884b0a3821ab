#!/usr/bin/env node
/** The program itself: the real streams, environment and signals, and the exit code. */

import { runCli } from './cli.js';
import type { CliIo } from './io.js';

// A reader that went away (`| head`) is no failure: stop writing and end quietly. A program that runs on until it is told
// to stop takes it as being told: it may have orders resting, which must not be left behind.
let told: (() => void) | null = null;
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    if (told === null) process.exit(process.exitCode ?? 0);
    told();
  });
}

const io: CliIo = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  env: process.env,
  cwd: process.cwd(),
  stopAsked: () =>
    new Promise((resolve) => {
      told = resolve;
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
    }),
};

const exitCode = await runCli(process.argv.slice(2), io);
// Ended on purpose: `twinbook stop` knows by the closed socket that the process is gone, and its open connection must not
// be what keeps the process alive. The empty write comes back when everything before it is written.
process.stdout.write('', () => process.exit(exitCode));
