/** Reads journals of runs: finished, killed, and running ones. */

import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { z } from 'zod';
import { messageOf, TwinbookError, unreadable } from '../../shared/base/errors.js';
import { parseJson } from '../../shared/base/text.js';
import {
  END_FILE,
  JOURNAL_FORMAT,
  LEDGER_COPY,
  RUN_FILE,
  type RunDescription,
  type RunEnd,
  type RunJournal,
  type Step,
} from './contract.js';

const description = z.looseObject({
  format: z.literal(JOURNAL_FORMAT),
  runId: z.string().min(1),
  startedMs: z.number(),
  strategies: z.array(z.looseObject({ name: z.string() })),
  ledgerMissing: z.string().nullable(),
});
const runEnd = z.object({ steps: z.number().int(), endedMs: z.number(), stoppedEarly: z.string().nullable() });
/** Only the envelope is checked; this program wrote the content from its own types. */
const step = z.object({
  index: z.number().int(),
  observation: z.looseObject({ kind: z.enum(['time', 'outcome', 'command', 'feed']), nowMs: z.number() }),
  requests: z.array(z.looseObject({ id: z.number().int() })).default([]),
  timedOut: z.array(z.number().int()).default([]),
  signed: z.array(z.looseObject({ intentId: z.string() })).default([]),
  failure: z.string().nullable().default(null),
});

/**
 * Opens a run's folder. Throws TwinbookError `file_unreadable` when it is missing, `recording_invalid` when it is no
 * journal of a run or has another format.
 */
export function readRun(folder: string): RunJournal {
  const told = readJson(join(folder, RUN_FILE));
  checkFormat(told, join(folder, RUN_FILE));
  const parsed = description.safeParse(told);
  if (!parsed.success)
    throw invalidRun(join(folder, RUN_FILE), `is not the description of a run (${whatIsWrong(parsed.error)})`);
  const ledger = join(folder, LEDGER_COPY);
  const warnings: string[] = [];
  return {
    folder,
    // Written by this program from its own types; the parse above checked the envelope.
    description: told as RunDescription,
    ledgerFile: existsSync(ledger) && parsed.data.ledgerMissing === null ? ledger : null,
    end: readEnd(join(folder, END_FILE)),
    warnings,
    steps: () => readSteps(folder, warnings),
  };
}

/** A run of another version is intact, only not readable here: its user must not search for damage. */
function checkFormat(told: unknown, file: string): void {
  const format = typeof told === 'object' && told !== null && 'format' in told ? told.format : undefined;
  if (typeof format !== 'number' || format === JOURNAL_FORMAT) return;
  const version = 'version' in Object(told) ? ` by twinbook ${String(Object(told).version)}` : '';
  throw new TwinbookError(
    'recording_invalid',
    `${file} was written${version} in format ${format} of the journal, this version reads format ${JOURNAL_FORMAT}`,
    'Use the version that wrote it.',
  );
}

function readEnd(file: string): RunEnd | null {
  if (!existsSync(file)) return null;
  // A full disk stored only the name.
  return runEnd.safeParse(parseJson(readFileSync(file, 'utf8'))).data ?? null;
}

function readJson(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    const hint = 'A run is a folder in journal.dir of the configuration, named by the id of the run.';
    throw unreadable(`cannot read the run`, cause, hint);
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalidRun(file, 'is not JSON', cause);
  }
}

async function* readSteps(folder: string, warnings: string[]): AsyncGenerator<Step> {
  warnings.length = 0;
  const files = segmentFiles(folder);
  let index = 0;
  for (const file of files) {
    let number = 0;
    let broken: number | null = null;
    for await (const line of readLines(file)) {
      number += 1;
      if (broken !== null) throw invalidRun(file, `line ${broken} is no step`);
      const read = readStep(line);
      if (read === null) {
        broken = number;
        continue;
      }
      if (read.index !== index)
        throw invalidRun(file, `line ${number} is step ${read.index}, step ${index} is missing`);
      index += 1;
      yield read;
    }
    if (broken === null) continue;
    if (file !== files.at(-1)) throw invalidRun(file, `line ${broken} is no step`);
    // The process ended within a write: the rest of the step never reached the disk.
    warnings.push(`${file}: the last line is cut and was left out`);
  }
}

/** The packed segment counts when both exist: it got its name only when complete. */
function segmentFiles(folder: string): readonly string[] {
  const names = readdirSync(folder).filter((name) => /^observations-\d+\.ndjson(\.gz)?$/.test(name));
  return names
    .filter((name) => name.endsWith('.gz') || !names.includes(`${name}.gz`))
    .sort()
    .map((name) => join(folder, name));
}

async function* readLines(file: string): AsyncGenerator<string> {
  const bytes = createReadStream(file);
  const input = file.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes;
  if (input !== bytes) bytes.on('error', (error) => input.destroy(error));
  try {
    yield* createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  } catch (cause) {
    throw invalidRun(file, `cannot be read: ${messageOf(cause)}`, cause);
  } finally {
    bytes.destroy();
  }
}

/** Null for an invalid line. */
function readStep(line: string): Step | null {
  const parsed = step.safeParse(parseJson(line));
  // See `step`: only the envelope is checked.
  return parsed.success ? (parsed.data as unknown as Step) : null;
}

const whatIsWrong = (error: z.ZodError): string =>
  error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');

const invalidRun = (file: string, why: string, cause?: unknown): TwinbookError =>
  new TwinbookError('recording_invalid', `${file} ${why}`, 'The run was written by another version, or is damaged.', {
    cause,
  });
