import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { COMMAND_GROUPS, groupsFor } from '../../src/cli/cli.js';
import type { CliIo } from '../../src/cli/output/io.js';
import { run } from './run.js';

describe('a group of commands', () => {
  for (const { names, load } of COMMAND_GROUPS) {
    it(`adds ${names.join(', ')} and nothing else`, async () => {
      const program = new Command();
      const add = await load();
      add(program, { io: {} as CliIo, exitCode: 0, run: () => Promise.resolve(0) });
      expect(program.commands.map((command) => command.name()).sort()).toEqual([...names].sort());
    });
  }

  it('is loaded alone for its command', () => {
    for (const group of COMMAND_GROUPS) {
      for (const name of group.names) expect(groupsFor([name, '--json'])).toEqual([group]);
    }
  });

  it('is one of all for help, for a name that there is not, and for none', async () => {
    for (const argv of [[], ['--help'], ['help', 'kill'], ['statsu']]) expect(groupsFor(argv)).toBe(COMMAND_GROUPS);
    expect((await run(['statsu'])).err).toContain('status');
  });

  it('is not needed for the version', async () => {
    for (const argv of [['--version'], ['-V']]) {
      expect(groupsFor(argv)).toEqual([]);
      expect((await run(argv)).out).toMatch(/^\d+\.\d+\.\d+\n$/);
    }
  });
});
