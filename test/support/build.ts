/** Compiles the package before the tests, so that those that start real processes run what the sources say. */
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';

export default function build(): void {
  const root = resolve(import.meta.dirname, '../..');
  execFileSync(process.execPath, [resolve(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.json'], {
    cwd: root,
    stdio: 'inherit',
  });
}
