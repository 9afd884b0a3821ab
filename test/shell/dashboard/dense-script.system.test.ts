/** What is left out of the page's script changes nothing of the program: a parser that knows the language says so. */

import { readdirSync, readFileSync } from 'node:fs';
import { stop, transformSync } from 'esbuild';
import { afterAll, expect, test } from 'vitest';
import { makeDense } from '../../../src/shell/document/dense-script.js';

afterAll(() => stop());

const FOLDER = new URL('../../../src/shell/dashboard/page/', import.meta.url);
const program = (script: string): string => transformSync(script, { minify: true }).code;

test('every module of the page is the same program without what is for its readers', () => {
  const modules = readdirSync(FOLDER).filter((name) => name.endsWith('.js'));
  expect(modules.length).toBeGreaterThan(10);
  for (const name of modules) {
    const text = readFileSync(new URL(name, FOLDER), 'utf8');
    expect([name, program(makeDense(text))]).toEqual([name, program(text)]);
  }
});

test.each([
  ["a = 'x = 1; // y' + b; // said\nc;", "a='x = 1; // y' + b;\nc;"],
  ['a = b - -c + +d;', 'a=b - -c + +d;'],
  ['a = /[/"] ;/g.test(b);', 'a=/[/"] ;/g.test(b);'],
  ['a = `b = c`;\n\n  d;', 'a=`b = c`;d;'],
  ['/** said */\nif (a) {\n  b();\n} else c();', 'if(a){b()}else c();'],
  ['for (;;) a(\n  [b, c,],\n  { d, },\n);', 'for(;;)a([b,c],{d});'],
])('%j', (script, dense) => {
  expect(makeDense(script)).toBe(dense);
  expect(program(dense)).toBe(program(script));
});
