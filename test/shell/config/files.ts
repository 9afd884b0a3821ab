/** Configuration files in a temporary folder, for the tests of this room and of the command line. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A fresh folder with these files, removed when the test is over. */
export function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'twinbook-config-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** The smallest trader's file; `lines` are added at its end. */
export const trader = (lines = '', strategies = '[]'): string => `venue: { profile: paper }
wallet: { file: wallet.json }
ledger: { path: twinbook.sqlite }
capital: "1000"
strategies: ${strategies}
${lines}`;
