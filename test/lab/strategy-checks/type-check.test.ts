/** The call of the compiler, and the use of its answer. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Compiled, type Compiler, checkTypes } from '../../../src/lab/strategy-checks/checks.js';
import { folderOf } from '../../support/folders.js';

const file = () => join(folderOf({ 'mine.ts': 'export default 1;\n' }), 'mine.ts');
const says =
  (answer: Compiled, seen: { project?: string } = {}): Compiler =>
  async (_, args) => {
    seen.project = readFileSync(args[1] ?? '', 'utf8');
    return answer;
  };

it('looks through the module with the declarations that it imports, strictly', async () => {
  const seen: { project?: string } = {};
  const path = file();
  const result = await checkTypes(path, says({ code: 0, output: '' }, seen), '/tsc');
  expect(result.verdict).toBe('ok');
  const project = JSON.parse(seen.project ?? '');
  expect(project).toMatchObject({ files: [path], compilerOptions: { strict: true, noEmit: true } });
  const [declared] = project.compilerOptions.paths['twinbook/strategy'];
  expect(readFileSync(declared, 'utf8')).toContain('twinbook/strategy');
});

it('names the first mistake with its place', async () => {
  const output = "../x/mine.ts(3,7): error TS2322: Type 'string' is not assignable.\nmine.ts(4,1): error TS1: b\n";
  expect(await checkTypes(file(), says({ code: 2, output }), '/tsc')).toEqual({
    name: 'its types are right',
    verdict: 'failed',
    text: "mine.ts(3,7): error TS2322: Type 'string' is not assignable., and 1 more",
  });
});

it('says plainly when nothing can be asked', async () => {
  const none = await checkTypes(file(), says({ code: 0, output: '' }), null);
  expect(none.verdict).toBe('not asked');
  expect(none.text).toContain('no TypeScript compiler');
  expect(await checkTypes('/x/mine.js')).toMatchObject({ verdict: 'not asked', text: 'it is JavaScript' });
});
