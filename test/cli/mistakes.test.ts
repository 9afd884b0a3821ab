import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { trader } from '../shell/config/files.js';
import { folderOf } from '../support/folders.js';
import { run } from './run.js';

describe('a user’s mistake is a message and an exit code, never a stack trace', () => {
  const table: readonly (readonly [name: string, argv: string, code: number, message: string])[] = [
    ['an unknown command', 'foo', 2, "error: unknown command 'foo'"],
    ['a command with a typo', 'postions', 2, 'Did you mean positions?'],
    ['an unknown option', 'fills --jsno', 2, 'Did you mean --json?'],
    ['an option without its value', 'fills -c', 2, "option '-c, --config <file>' argument missing"],
    ['an option out of range', 'exchange --port 70000', 2, 'Wanted a whole number from 0 to 65535.'],
    ['an amount that is none', 'exchange --starting-funds lots', 2, 'Wanted a decimal such as 10000 or 0.5.'],
    ['a speed of zero', 'exchange --speed 0', 2, 'Wanted a number from 0.01 to 10000.'],
    ['an argument too many', 'status now', 2, 'too many arguments'],
    ['a missing argument', 'explain', 2, "missing required argument 'order|fill|market'"],
    ['unkill without a reason', 'unkill', 2, "required option '--reason <text>' not specified"],
    ['unkill with an empty reason', 'unkill --reason=', 2, 'Wanted a text that is not empty.'],
    ['keys create without a file', 'keys create', 2, "required option '--file <file>' not specified"],
    ['a world that does not exist', 'arena -c ok.yaml --world chalenge', 2, "did you mean 'challenge'"],
    ['a world like no other', 'arena -c ok.yaml --world xyz', 2, 'Known worlds: challenge'],
    ['a strategy file that is missing', 'arena -c none.yaml', 4, 'none.yaml: no such file'],
    ['no seeds', 'arena -c ok.yaml --seeds 0', 2, 'Wanted a whole number from 1 to 1000000.'],
    ['a world beside all that does not exist', 'arena -c ok.yaml --world all xyz', 2, "no world 'xyz'"],
    ['more markets than there are', 'arena -c ok.yaml --world rationed --markets 41', 2, 'number from 1 to 40'],
    ['markets of a world with one', 'arena -c ok.yaml --markets 9', 2, '--markets has no effect in challenge'],
    ['a sweep over nothing', 'sweep -c ok.yaml --param x=1', 2, 'neither recordings nor worlds are given'],
    ['a sweep over both', 'sweep -c ok.yaml --world thin --data x --param x=1', 2, 'cannot be used with option'],
    ['world folds', 'sweep -c ok.yaml --world thin --folds 2 --param x=1', 2, "cannot be used with option '--folds"],
    ['data seeds', 'sweep -c ok.yaml --data x --seeds 5 --param x=1', 2, '--seeds applies only to a sweep over worlds'],
    ['a sweep over no world', 'sweep -c ok.yaml --world thinn --param x=1', 2, "did you mean 'thin'?"],
    ['an arena without a strategy', 'arena -c ok.yaml', 4, 'ok.yaml lists no strategy'],
    ['an unknown profile', 'exchange --profile papr', 4, "no venue profile 'papr'; did you mean 'paper'?"],
    ['no configuration', 'fills -c none.yaml', 4, 'none.yaml: no such file'],
    ['a broken configuration', 'fills -c broken.yaml', 4, "broken.yaml:6:10: merge: unknown key 'x'"],
    ['a broken configuration at the start', 'start -c broken.yaml', 4, "broken.yaml:6:10: merge: unknown key 'x'"],
    ...['backtest -c none.yaml --data none', 'sweep -c none.yaml --data none', 'pnl -c none.yaml'].map(
      (command) => [`${command} to no folder`, `${command} --report no/r.html`, 1, 'no/r.html: ENOENT'] as const,
    ),
    ['a report that is a folder', 'backtest -c none.yaml --data none --report .', 1, 'the path is a folder'],
    ['no ledger yet', 'fills -c ok.yaml', 1, 'there is no ledger at'],
    ['a backup without a ledger', 'ledger backup -c ok.yaml', 1, 'there is no ledger at'],
    ['a restore without a reason', 'ledger restore x -c ok.yaml', 2, "required option '--reason"],
    ['a strategy named as a shipped one', 'strategies new bands', 2, "A shipped strategy has the name 'bands'."],
    ['a strategy that is no name', 'strategies new ../x', 2, 'Wanted lower-case letters and digits with dashes'],
    ['a strategy file that is missing, tried', 'strategies test nothing.yaml', 4, 'nothing.yaml: no such file'],
    ['no wallet', 'keys show -c ok.yaml', 1, 'there is no wallet file'],
    ['no wallet to cancel with', 'cancel-all -c ok.yaml', 1, 'there is no wallet file'],
    ['a kill without trader and wallet', 'kill -c ok.yaml', 1, 'No trader is running; the next trader starts killed'],
    ['a wallet that others can read', 'keys show -c open.yaml', 4, 'has mode 0644; it must be 0600'],
    ['a wallet that is none', 'keys show -c junk.yaml', 4, 'junk.json'],
    ...['pause', 'resume', 'stop', 'flatten', 'widen', 'reduce-only', 'unkill --reason x', 'explain x'].map(
      (command) => [`${command} without a trader`, `${command} -c ok.yaml`, 3, 'no trader is running'] as const,
    ),
  ];

  test.each(table)('%s', async (_, argv, code, message) => {
    const cwd = folderOf({
      'ok.yaml': trader(),
      'broken.yaml': trader('merge: { x: 1 }'),
      'open.yaml': trader().replace('wallet.json', 'open.json'),
      'open.json': '[1]',
      'junk.yaml': trader().replace('wallet.json', 'junk.json'),
      'junk.json': '{"what": "not a key"}',
    });
    chmodSync(join(cwd, 'open.json'), 0o644);
    chmodSync(join(cwd, 'junk.json'), 0o600);
    const ran = await run(argv.split(' '), { cwd });
    expect(ran.err).toContain(message);
    expect(ran.code).toBe(code);
    expect(ran.out).toBe('');
    expect(ran.err).not.toMatch(/\n {4}at /);
  });

  test('a ledger that is a folder, and one that is no database', async () => {
    const cwd = folderOf({ 'ok.yaml': trader(), 'junk.yaml': trader().replace('twinbook.sqlite', 'junk.sqlite') });
    mkdirSync(join(cwd, 'twinbook.sqlite'));
    writeFileSync(join(cwd, 'junk.sqlite'), 'this is no database at all, but long enough to be looked at'.repeat(20));
    for (const file of ['ok.yaml', 'junk.yaml']) {
      const ran = await run(['fills', '-c', file], { cwd });
      expect(ran.code).toBe(1);
      expect(ran.err).not.toContain('bug');
      expect(ran.err).toContain('.sqlite');
    }
  });
});
