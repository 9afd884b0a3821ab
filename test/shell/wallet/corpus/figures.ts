/** The corpus's results as Markdown. */

import type { ClassResult, HonestResult } from './corpus.js';

const KINDS: Readonly<Record<string, string>> = {
  text: 'readable texts',
  memo: 'the same as memo of a transaction',
  transaction: 'well-formed transactions that ask for more',
  bytes: 'malformed and changed transactions',
  opaque: 'unreadable drafts',
  ledger: 'wrong rows in the ledger',
  challenge: 'credential challenges',
};

const count = (value: number) => value.toLocaleString('en-US');
const sum = (results: readonly ClassResult[], of: (result: ClassResult) => number) =>
  results.reduce((total, result) => total + of(result), 0);
const row = (...cells: readonly (string | number)[]) =>
  `| ${cells.map((cell) => (typeof cell === 'number' ? count(cell) : cell)).join(' | ')} |`;

/** `misjudged`: rejected for another reason than that of the class. */
export function classTable(results: readonly ClassResult[]): string {
  const head = [row('Class', 'Cases', 'Signed', 'Misjudged'), '|---|---:|---:|---:|'];
  return [...head, ...results.map(({ name, cases, signed, misjudged }) => row(name, cases, signed, misjudged))].join(
    '\n',
  );
}

export function summaryOf(results: readonly ClassResult[], honest: readonly HonestResult[], seed: number): string {
  const groups = Object.entries(KINDS).map(([prefix, title]) => {
    const own = results.filter(({ name }) => name.startsWith(`${prefix}: `));
    return row(
      title,
      own.length,
      sum(own, ({ cases }) => cases),
      sum(own, ({ signed }) => signed),
    );
  });
  const all = row(
    ...['**all hostile drafts**', results.length],
    ...[sum(results, ({ cases }) => cases), sum(results, ({ signed }) => signed)],
  );
  const drafts = honest.map(({ form, cases, refused }) => row(`honest, ${form}`, cases, cases - refused, refused));
  return [
    ...[`Seed ${seed}.`, '', row('Hostile', 'Classes', 'Cases', 'Signed'), '|---|---:|---:|---:|', ...groups, all, ''],
    ...[row('Honest', 'Cases', 'Signed', 'Refused'), '|---|---:|---:|---:|', ...drafts],
  ].join('\n');
}
