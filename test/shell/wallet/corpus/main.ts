/**
 * `npm run lab -- signer-corpus [--cases N] [--honest N] [--seed S] [--write]`: N hostile drafts over all classes, and
 * honest ones. Exits with 1 if a hostile draft was signed or misjudged, or an honest one rejected. `--write` puts the
 * figures into docs/lab/faults.md.
 */

import { parseArgs } from 'node:util';
import { writeFigures } from '../../../support/doc-figures.js';
import { orExit } from '../../../support/or-exit.js';
import { HONEST_FORMS, HOSTILE_CLASSES, tryClass, tryHonest } from './corpus.js';
import { classTable, summaryOf } from './figures.js';

const { cases, honest, seed, write } = orExit((args) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      cases: { type: 'string', default: '100000' },
      honest: { type: 'string', default: '10000' },
      seed: { type: 'string', default: '1' },
      write: { type: 'boolean', default: false },
    },
  });
  const [cases, honest, seed] = [Number(values.cases), Number(values.honest), Number(values.seed)];
  for (const [name, value] of Object.entries({ cases, honest, seed }))
    if (!Number.isSafeInteger(value) || value < 1) throw new Error(`--${name} must be a count above 0, got ${value}`);
  return { cases, honest, seed, write: values.write };
});

const each = Math.ceil(cases / HOSTILE_CLASSES.length);
const classes = HOSTILE_CLASSES.map((kind) => tryClass(kind, each, seed));
const signed = HONEST_FORMS.map((form) => tryHonest(form, Math.ceil(honest / HONEST_FORMS.length), seed));
console.log(`${classTable(classes)}\n\n${summaryOf(classes, signed, seed)}`);
const wrong = [...classes, ...signed].filter(({ example }) => example !== '');
for (const result of wrong) console.log(`WRONG ${'name' in result ? result.name : result.form}: ${result.example}`);
// Two hundred rows of zeros would hide the rest of the document; the command prints them.
if (write) writeFigures('signer', summaryOf(classes, signed, seed));
process.exitCode = wrong.length === 0 ? 0 : 1;
