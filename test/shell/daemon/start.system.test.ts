/** The first contact: the trader on an embedded exchange, stopped and restarted. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { endInOrder } from '../../support/cases.js';
import { program } from '../../support/processes.js';
import { traderAt } from './trader-at.js';

/** With guardian and page, as by default. */
const WHOLE = 'strategies: [maker.yaml]\nguardian: {}\ndashboard: {}';

/** Names of all files below a folder that contain the text. */
const filesWith = (text: string, folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && readFileSync(join(entry.parentPath, entry.name)).includes(text))
    .map(({ name }) => name);

const PROOF = 'orders      nothing rests at the exchange (read twice)';

describe('a trader on an embedded exchange', () => {
  it('quotes, fills, ends clean on a signal, and continues from its ledger', async () => {
    const { folder, start, command, status } = traderAt(null, WHOLE);
    /** Holdings as `positions --json` prints them. */
    const held = async () => JSON.parse((await command('positions', '--json')).output) as readonly object[];
    const first = start();
    await first.waitFor(/made a new paper wallet \w+ in /);
    await first.waitFor(/quoting \| markets 4 of 4 quoted/);
    await first.waitFor(/fill: (buy|sell) [\d.]+ (YES|NO) at 0\.\d+/);

    const second = await command('start');
    expect(second.code).toBe(1);
    expect(second.output).toMatch(new RegExp(`is written by process ${first.process.pid}, started \\d{4}-`));
    expect(second.output).toContain('or configure another ledger for this trader');
    expect(second.output).not.toContain('dashboard');

    const [, page = '', token = ''] = await first.waitFor(/dashboard (http:\/\/127\.0\.0\.1:\d+\/)#([\w-]{32})/);
    expect((await command('dashboard', '--no-open')).output).toBe(`${page}#${token}\n`);
    expect(await status()).toMatchObject({ dashboard: page });
    expect((await command('ledger', 'backup')).code).toBe(0);

    // Paused, so that the next start does not trade before the check.
    expect((await command('pause')).code).toBe(0);
    first.process.kill('SIGTERM');
    await first.waitFor(/stopping: /);
    await endInOrder(first);
    expect(first.output()).toContain(PROOF);
    expect(first.output()).toMatch(/result {6}[+-]?[\d.]+ this session, [+-]?[\d.]+ in all/);
    const [before, sharesBefore] = [await status(), await held()];
    expect(before).toMatchObject({ running: false, open_orders: 0, unknown_orders: 0 });
    expect(sharesBefore.length).toBeGreaterThan(0);

    const again = start();
    await again.waitFor(/paused: operator \| markets 0 of 4 quoted/);
    expect(await status()).toMatchObject({ running: true, mode: 'paused', cash: before.cash, fills: 0 });
    expect(await held()).toEqual(sharesBefore);
    await again.waitFor(new RegExp(`dashboard http://127\\.0\\.0\\.1:\\d+/#${token}`));
    expect((await command('resume')).code).toBe(0);
    await again.waitFor(/fill: /);
    await endInOrder(again, 'SIGINT');
    expect(again.output()).toContain(PROOF);
    expect(again.output()).not.toContain('made a new paper wallet');
    // Absent from logs, journals and backups.
    expect(filesWith(token, folder)).toEqual(['ledger.sqlite.page-token']);
  });

  it('writes lines without control codes where nobody looks at a terminal, and ends clean when its npm is gone', async () => {
    const running = program('npm', ['--silent', 'start', '--', '-c', traderAt(null).config]);
    await running.waitFor(/ quoting \| /);
    // npm forwards SIGINT and SIGTERM, but SIGHUP ends it.
    running.process.kill('SIGHUP');
    expect(await running.exited, 'the exit of npm').toBeNull();
    expect(running.output()).toContain('the npm process that started this program has ended');
    expect(running.output()).toContain(PROOF);
    const lines = running.output().trimEnd().split('\n');
    for (const line of lines) expect(line).toMatch(/^[\x20-\x7e…]+$/);
    const status = lines.find((line) => line.includes(' quoting | '));
    expect(status).toMatch(
      /^\d\d:\d\d:\d\d quoting \| markets \d of \d quoted \| orders \d+ \| fills \d+ \| inventory [\d.]+ YES [\d.]+ NO \| cash [\d.]+ \| result [+-]?[\d.]+ \| requests\/min public \d+ of 120, signed \d+ of 300/,
    );
  });
});
