/** Compiles the package before the tests, so that real processes run the current sources. */
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';

export default function build(): void {
  const script = resolve(import.meta.dirname, '../../scripts/build.js');
  // Under npx the script would keep an older build.
  const env = { ...process.env, npm_command: undefined };
  execFileSync(process.execPath, [script, '--if-needed'], { stdio: 'inherit', env });
}
