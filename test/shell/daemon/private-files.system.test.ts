/** The programs' files are private to their user, even with another umask. */

import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openToOthers } from '../../../src/shared/base/files.js';
import { endedWithTest, endInOrder, folderOf } from '../../support/cases.js';
import { sharedFolder } from '../../support/folders.js';
import { BIN, program, type Running } from '../../support/processes.js';
import { trader } from '../config/files.js';

const EMBEDDED = `
venue: { profile: paper }
exchange: { data_dir: data/exchange }
wallet: { file: data/keys/wallet.json }
ledger: { path: data/ledger/twinbook.sqlite }
log: { file: data/logs/trader.log }
control: { socket: data/control/socket }
recording: { enabled: true, dir: data/recordings }
dashboard: { enabled: false }
capital: "1000"
strategies: []
`;

/** With the umask of most users. */
const started = (...argv: string[]): Running =>
  endedWithTest(program('sh', ['-c', 'umask 022; exec "$0" "$@"', process.execPath, BIN, ...argv]));

/** Paths below `folder` that group or others can access, with their modes. */
function openFiles(folder: string): string[] {
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  expect(found.length).toBeGreaterThan(0);
  return [folder, ...found].flatMap((path) => {
    const mode = statSync(path).mode & 0o777;
    return (mode & 0o077) === 0 ? [] : [`${path} ${mode.toString(8)}`];
  });
}

describe('files and folders', () => {
  it('of a trader, its exchange, journal and recording are private', async () => {
    const folder = folderOf({ 'trader.yaml': EMBEDDED });
    const running = started('start', '-c', join(folder, 'trader.yaml'));
    await running.waitFor(/trades on/);
    expect(openFiles(join(folder, 'data'))).toEqual([]);
    await endInOrder(running);
    expect(openFiles(join(folder, 'data'))).toEqual([]);
  });

  it('of an exchange and of a recorder are private', async () => {
    const folder = folderOf({});
    const exchange = started('exchange', '--port', '0', '--data-dir', join(folder, 'exchange'));
    const [, url = ''] = await exchange.waitFor(/listening on (http:\S+)/);
    const recorder = started('record', '-c', writtenConfig(url), '--out', join(folder, 'recordings'));
    await recorder.waitFor(/\| [1-9]\d* recorded,/);
    await endInOrder(recorder);
    await endInOrder(exchange);
    expect([...openFiles(join(folder, 'exchange')), ...openFiles(join(folder, 'recordings'))]).toEqual([]);
  });
});

function writtenConfig(url: string, ledger = 'twinbook.sqlite'): string {
  const yaml = trader('guardian: { enabled: false }\ndashboard: { enabled: false }')
    .replace('paper', `paper, base_url: "${url}"`)
    .replace('twinbook.sqlite', ledger);
  return join(folderOf({ 'trader.yaml': yaml }), 'trader.yaml');
}

describe('a data folder that was there', () => {
  it('is told of at the start and by the doctor when others can enter it', async () => {
    const folder = sharedFolder();
    const [, url = ''] = await started('exchange', '--port', '0').waitFor(/listening on (http:\S+)/);
    const config = writtenConfig(url, join(folder, 'twinbook.sqlite'));
    const running = started('start', '-c', config);
    await running.waitFor(/trades on/);
    const told = `other users of this machine can enter ${folder} (mode 0755)`;
    expect(running.output()).toContain(`warning: ${told}. Run: chmod 700 '${folder}'`);
    const doctor = started('doctor', '-c', config);
    await doctor.exited;
    expect(doctor.output()).toContain(`warn  data folder: ${told}`);
    await endInOrder(running);
  });

  it('is open to others only if every folder above it is', () => {
    const folder = sharedFolder();
    const inner = join(folder, 'data');
    mkdirSync(inner);
    chmodSync(inner, 0o755);
    expect(openToOthers(inner)?.text).toContain('mode 0755');
    chmodSync(folder, 0o700);
    expect(openToOthers(inner)).toBeNull();
    chmodSync(folder, 0o755);
    chmodSync(inner, 0o700);
    expect([openToOthers(inner), openToOthers(join(inner, 'missing'))]).toEqual([null, null]);
  });
});
