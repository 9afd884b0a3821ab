import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

const moduleOf = (name: string) => JSON.stringify(resolve(import.meta.dirname, `../../../src/shared/base/${name}.ts`));

it('bounds the growth of a heap and its collections by words that this V8 knows', () => {
  const program = `import { boundHeapGrowth, keepCollectionsBrief } from ${moduleOf('processes')};
    boundHeapGrowth();
    keepCollectionsBrief();`;
  const args = ['--import', 'tsx', '--input-type=module', '--eval', program];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  // V8 only prints a message about an unknown flag and continues.
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
});
