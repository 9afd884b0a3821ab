/** Every example runs as its first lines say, on the built package. */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { endInOrder, folderOf, makerYaml, started, traderYaml } from '../support/cases.js';
import { times } from '../support/effort.js';
import { programs, ROOT } from './programs.js';

/** Runs a command of a program's opening comment in the repository's folder. */
const run = (command: string): string =>
  execFileSync('bash', ['-c', command], { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

/** Final output of each program. */
const SAID: Readonly<Record<string, RegExp>> = {
  'own-strategy.ts': /^Fills +[1-9]/m,
  'own-event-strategy.ts': /^no check failed$/m,
  'own-feed-strategy.ts': /^no check failed$/m,
  'outside-prices.js': /Bitcoin.*: bid 0\.52, ask 0\.58[\s\S]*Bitcoin.*: bid 0\.54, ask 0\.6\nresting 4\n$/,
  'fair-feed.js': /^\{"market":"\w+","p":0\.\d+,"sd":\d[.\d]*,"at":\d+\}\n/,
  'client-script.js': /placed: open\nYES at 0\.05: canceled\n$/,
  // Node's test runner prints TAP without a terminal, and from Node 23 on the same as in a terminal.
  'exchange-in-a-test.js': /^(#|ℹ) pass 1$/m,
  'backtest-from-code.js': /^risk-averse: [0-9a-f]{16}$/m,
  'custom-fill-model.js': /^tenth-ahead: [1-9]\d* fills, result -?\d/m,
  'merge-and-redeem.js': /^merged 20 pairs\nredeemed for 5\n$/,
};

/** One market of each shipped folder, for tests where one is enough. */
const [OF_SAMPLE, OF_POLYMARKET] = [
  'data/sample/market=B9M4kCb2rA3QaKcxYkZWjvqkCnz7UEsjMJWPCTT7waHK',
  'data/polymarket/market=7ABTPxafVVKUFyGTvykf7Tw6U5DcGfVuT694Dv2F4J7b',
];

/** Options that a usual run adds to a command: one fill model in place of all, one market in place of several. */
const FEWER: Readonly<Record<string, string>> = times(
  {
    'own-strategy.ts': `${OF_SAMPLE.slice('data/sample'.length)} --fill-model risk-averse`,
    'backtest-from-code.js': ` ${OF_SAMPLE}`,
    'custom-fill-model.js': ` ${OF_POLYMARKET}`,
  },
  {},
);

describe('the examples', () => {
  const needALedger = ['report-from-ledger.js'];

  it.each(programs.filter(({ file }) => !needALedger.includes(file)))('$file does what it says', ({ file, command }) =>
    expect(run(`${command}${FEWER[file] ?? ''}`)).toMatch(SAID[file] ?? /a program that this table does not know/),
  );

  it('report-from-ledger.js reports what a trader has traded', async () => {
    const folder = folderOf({ 'trader.yaml': traderYaml(null), 'maker.yaml': makerYaml() });
    const trader = started(['start', '-c', `${folder}/trader.yaml`]);
    await trader.waitFor(/ fill: /);
    await endInOrder(trader);

    const command = programs.find(({ file }) => file === 'report-from-ledger.js')?.command ?? '';
    const page = `${folder}/report.html`;
    const said = run(command.replace('data/twinbook.sqlite', `${folder}/ledger.sqlite`).replace('report.html', page));
    expect(said).toMatch(/: [1-9]\d* fills\n/);
    expect(readFileSync(page, 'utf8')).toContain('my report');
  });
});
