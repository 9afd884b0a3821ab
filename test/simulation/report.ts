/** Final report of a campaign: on the screen, and as a table for the safety document. */

import { execFileSync } from 'node:child_process';
import type { Figures } from './campaign.js';
import { diskMissing } from './disk.js';

const FAULT = 'fault: ';

/** The commit, and whether the tree differs from it. */
export function commit(): string {
  const git = (...args: readonly string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();
  try {
    const changed = git('status', '--porcelain', '--untracked-files=no', '--', 'src', 'test/simulation') !== '';
    return `${git('rev-parse', '--short', 'HEAD')}${changed ? ' with changes' : ''}`;
  } catch {
    return 'outside of a repository';
  }
}

export function screenLines(figures: Figures): string[] {
  const { seeds, hours, faultyHours, events, timesRealTime, broken, tally } = figures;
  const under = `${hours.toFixed(1)} simulated hours, ${faultyHours.toFixed(1)} of them under faults`;
  const disk = diskMissing();
  return [
    `${seeds} seeds, ${under}, ${events} events, ${timesRealTime.toFixed(0)} times real time on a core`,
    ...tally.entries().map(([kind, count]) => `  ${kind}: ${count}`),
    ...(disk === null ? [] : [`no faulty disk here (${disk}): a crash loses nothing that was written`]),
    broken.length === 0 ? 'no violations' : `${broken.length} of ${seeds} seeds with violations`,
  ];
}

export interface Origin {
  readonly command: string;
  readonly version: string;
  readonly date: Date;
}

export function markdown(figures: Figures, { command, version, date }: Origin): string {
  const { seeds, hours, faultyHours, events, timesRealTime, broken, tally } = figures;
  const count = (value: number) => Math.round(value).toLocaleString('en-US');
  const rows = (kinds: readonly (readonly [string, number])[]) =>
    kinds.map(([kind, times]) => `| ${kind} | ${count(times)} |`);
  const faults = tally.entries().filter(([kind]) => kind.startsWith(FAULT));
  const traders = ['traders: busy', 'traders: patient', 'traders: of a strategy that meddles'];
  const acts = ['orders', 'fills', 'merges', 'splits', 'redeems', 'requests'];
  const done = [...traders, ...acts, 'the ledger broke', 'stopped and started again'];
  return [
    `\`${command}\` on ${date.toISOString().slice(0, 10)}, commit ${version}.`,
    '',
    '| what | figure |',
    '|---|---:|',
    ...rows([
      ['seeds', seeds],
      ['simulated hours', hours],
      ['of them under faults', faultyHours],
      ['events', events],
      ['seeds with a violation', broken.length],
      ['times real time, on one core', timesRealTime],
      ...done.map((kind) => [kind, tally.of(kind)] as const),
    ]),
    '',
    '| fault | times |',
    '|---|---:|',
    ...rows(faults.map(([kind, times]) => [kind.slice(FAULT.length), times] as const)),
  ].join('\n');
}
