import { describe, expect, test } from 'vitest';
import { run } from './run.js';

/** Every command of this version's surface, with the options that users rely on. */
const COMMANDS = `
start --config
init --yes
ledger backups --config --json
ledger backup --config --json
ledger verify --config --json
ledger restore --config --reason
ledger adopt --config --json --reason --timeout
exchange --port --data-dir --seed --profile --controls --no-crowd --no-rate-limits --starting-funds --landing-ms
exchange --draft-lifetime-s --market-data --speed
top --config --json --every --once
guardian --config --with-trader
console --config --with-trader
dashboard --config --no-open
mcp --config
fleet init --config --capital
fleet status --config --json
fleet release --config --reason --wallet --unproven --timeout
alerts --config --json --ack --test
status --config --json
orders --config --json --open --limit --market
drafts --config --json --all
fills --config --json
positions --config --json
pnl --config --json --by --csv --report --no-journals
ledger query --config --json --csv --rows --timeout
markets --config --json
events --config --json --limit
widen --config --json --reason --timeout
reduce-only --config --json --reason --timeout
pause --config --json --reason --timeout
resume --config --json --reason
stop --config --json --timeout
cancel-all --config --json --verify
flatten --config --json
kill --config --json --reason
unkill --config --json --reason
reconcile --config --json
explain --config --json
doctor --config --json
rehearse --config --json --live --i-accept-that-this-trades --market --ledger --timeout
keys create --file --plain-text-key
keys import --from --to --plain-text-key
keys show --config
keys bootstrap --config
keys list --config --json
keys revoke --config
data import --out --replace --config --json
data list --config --json
data stats --config --json
data verify --config --json --repair
data query --config --json --csv
record --config --out --share --market --minutes --depth --no-own
backtest --config --data --fill-model --latency --seed --maker-fee --workers --report --json
arena --config --world --seeds --first --markets --workers --json
sweep --config --data --world --seeds --first --fresh --fresh-first --markets --param --random
sweep --fill-model --latency --seed --folds --embargo --workers --out --resume --report --json
replay --config --play --fill-model --json
parity --config --fill-model --latency --json
strategies --json
config check --config
config schema
config explain --json
config show --config
`
  .trim()
  .split('\n')
  .map((line) => line.split(/ (?=--)/));

describe('--help', () => {
  test.each(COMMANDS)('of %s says what it does and takes', async (command = '', ...options) => {
    const { code, out, err } = await run([...command.split(' '), '--help']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain(`Usage: twinbook ${command}`);
    expect(out.split('\n').find((line) => /^(?!Usage:|Options:)[A-Za-z]/.test(line))).toBeDefined();
    for (const option of options) expect(out).toContain(option);
  });

  test('of the program lists every command that is tested here, no other, and the exit codes', async () => {
    const { code, out } = await run(['--help']);
    expect(code).toBe(0);
    for (const [command = ''] of COMMANDS) expect(out).toMatch(new RegExp(`^  ${command.split(' ')[0]}\\b`, 'm'));
    expect(out).toContain('6 a check found a difference');
    const listed = [...out.matchAll(/^ {2}([a-z-]+)(?: |$)/gm)].map(([, name]) => name);
    const known = new Set([...COMMANDS.map(([command = '']) => command.split(' ')[0]), 'help']);
    expect(listed.filter((name) => !known.has(name))).toEqual([]);
  });
});
