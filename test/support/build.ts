/** Compiles the package before the tests, so that those that start real processes run what the sources say. */
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';

export default function build(): void {
  const script = resolve(import.meta.dirname, '../../scripts/build.js');
  // Under npx, which tests may be run by, the script leaves what is built as it is, whatever the sources say.
  const env = { ...process.env, npm_command: undefined };
  execFileSync(process.execPath, [script, '--if-needed'], { stdio: 'inherit', env });
}
