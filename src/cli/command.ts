/** Makes commands from declarations with arguments, options, `-c`, `--json`, help and action. */

import { resolve } from 'node:path';
import type { Command } from 'commander';
import { loadConfig, loadTraderConfig } from '../shell/config/load.js';
import type { ModeData } from '../shell/control/control-protocol.js';
import {
  type CliIo,
  type CommandSession,
  DEFAULT_CONFIG,
  defaultConfig,
  EXIT,
  type ExitCode,
  requireWritable,
} from './io.js';
import type { OptionRows, OptionValues } from './options.js';
import { json } from './table.js';

/** Loader of each kind of configuration. `none` and `file` load nothing; `trader` loads no strategy files. */
const LOAD = { none: () => undefined, file: () => undefined, trader: loadTraderConfig, whole: loadConfig };
type Configs = { readonly [Kind in keyof typeof LOAD]: Awaited<ReturnType<(typeof LOAD)[Kind]>> };

interface CommandCall<Rows extends OptionRows = OptionRows, Kind extends keyof Configs = 'trader'> {
  readonly options: OptionValues<Rows>;
  readonly config: Configs[Kind];
  /** Path of the configuration file: the value of `-c`, else the default path. */
  readonly file: string;
  readonly args: readonly string[];
  readonly isJson: boolean;
  readonly io: CliIo;
}

/** Output of a command: its data if `--json` is given, else its text. `code`: exit code; 0 if absent. */
export interface CommandOutput {
  readonly data: unknown;
  /** Printed text, including the final line break. A function builds the text for a terminal width. */
  readonly text: string | ((width: number | undefined) => string);
  readonly code?: ExitCode;
}

// biome-ignore lint/suspicious/noConfusingVoidType: most commands return nothing
type Did = ExitCode | void | Promise<ExitCode | void>;

interface CommandRow<Rows extends OptionRows, Kind extends keyof Configs> {
  readonly name: string;
  readonly help: string;
  /** Arguments of the command, as `<needed>`, `[optional]` or `[several...]`, each with a description. */
  readonly args?: readonly (readonly [name: string, help: string, reader?: (text: string) => string])[];
  readonly options?: Rows;
  /** Kind of configuration to load; absent if the command has no `-c`. */
  readonly config?: Kind;
  /** Returns the command's output. Commands with `answer` also accept `--json`. */
  readonly answer?: (call: CommandCall<Rows, Kind>) => CommandOutput | Promise<CommandOutput>;
  /** Runs a command that prints its own output. With `hasJson`, this command also accepts `--json`. */
  readonly run?: (call: CommandCall<Rows, Kind>) => Did;
  readonly hasJson?: true;
  readonly below?: readonly AddCommand[];
  readonly tool?: Tool;
}

/** A command as a tool of `twinbook mcp`. */
export interface Tool {
  /** A `read` tool changes nothing. A `stop` tool pauses, reduces or cancels; no tool can resume trading. */
  readonly kind: 'read' | 'stop';
  readonly options: readonly string[];
  readonly required?: readonly string[];
}

export const TOOLS = new WeakMap<Command, Tool>();

export type AddCommand = (parent: Command, session: CommandSession) => Command;

export const command =
  <Rows extends OptionRows = Record<never, never>, Kind extends keyof Configs = 'none'>(
    row: CommandRow<Rows, Kind>,
  ): AddCommand =>
  (parent, session) => {
    const made = parent.command(row.name).description(row.help);
    for (const [name, help, reader] of row.args ?? []) made.argument(name, help, reader);
    for (const option of Object.values(row.options ?? {})) made.addOption(option);
    if (row.config !== undefined) made.option('-c, --config <file>', "the trader's configuration file", DEFAULT_CONFIG);
    if (row.answer !== undefined || row.hasJson === true) made.option('--json', 'print JSON instead of a table');
    // Words after a subcommand's name belong to the subcommand.
    if (row.below !== undefined) made.enablePositionalOptions();
    if (row.answer !== undefined || row.run !== undefined)
      made.action(async () => {
        session.exitCode = await perform(row, made, session.io);
      });
    all(...(row.below ?? []))(made, session);
    if (row.tool !== undefined) TOOLS.set(made, row.tool);
    return made;
  };

async function perform<Rows extends OptionRows, Kind extends keyof Configs>(
  row: CommandRow<Rows, Kind>,
  made: Command,
  io: CliIo,
): Promise<ExitCode> {
  if (made.getOptionValueSource('config') === 'default') made.setOptionValue('config', defaultConfig(io.cwd));
  const given = made.opts();
  const report: unknown = given['report'];
  if (typeof report === 'string') requireWritable(resolve(io.cwd, report));
  const file = String(given['config']);
  // If the parent command also has `--json`, the package `commander` assigns the option to the parent.
  const isJson = made.optsWithGlobals()['json'] === true;
  const rows = Object.entries(row.options ?? {});
  const options = Object.fromEntries(rows.map(([key, option]) => [key, given[option.attributeName()]]));
  const config = await LOAD[row.config ?? 'none'](file, io);
  // The cast is right: the option rows declare the types of the values that `commander` sets.
  const call = { options, config, file, args: made.args, isJson, io } as unknown as CommandCall<Rows, Kind>;
  if (row.answer === undefined) return (await row.run?.(call)) ?? EXIT.ok;
  const { data, text: shown, code } = await row.answer(call);
  io.out(isJson ? json(data) : typeof shown === 'string' ? shown : shown(io.columns));
  return code ?? EXIT.ok;
}

export const all =
  (...commands: readonly AddCommand[]) =>
  (parent: Command, session: CommandSession): void => {
    for (const add of commands) add(parent, session);
  };

export const modeText = ({ mode, reason }: ModeData): string => (reason === '' ? mode : `${mode}: ${reason}`);

export const resolveData = (paths: readonly string[], io: CliIo): string[] =>
  paths.map((path) => resolve(io.cwd, path));
