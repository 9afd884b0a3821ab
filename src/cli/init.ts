/** `twinbook init`: a folder to begin with. */

import { existsSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { packageRoot } from '../shell/config/shipped.js';
import { command, flag } from './command.js';
import { writeNew } from './lab/strategy-new.js';
import { OWN_CONFIG } from './output/io.js';

/** Each with the shipped file that it comes from. */
const FILES = [
  [OWN_CONFIG, 'config/paper.yaml'],
  ['strategies/belief-maker.yaml', 'config/strategies/belief-maker.yaml'],
  ['.gitignore', 'examples/new/folder.gitignore'],
  ['README.md', 'examples/new/folder.md'],
] as const;

export const addInitCommand = command({
  name: 'init',
  help: 'writes a folder to begin with: a trader’s file, a strategy file, .gitignore and README.md; asks nothing',
  args: [['[dir]', 'where to write; the working folder by default']],
  options: { yes: flag('--yes', 'accepted for scripts: there is no question to answer') },
  run: ({ args: [dir = '.'], io }) => {
    const folder = resolve(io.cwd, dir);
    const textOf = (file: string): string =>
      readFileSync(join(packageRoot, file), 'utf8')
        .replaceAll('`npm start`', '`npx twinbook start`')
        .replaceAll('../data/', 'data/')
        .replaceAll('PACKAGE', relative(folder, packageRoot));
    const missing = FILES.filter(([file]) => file === OWN_CONFIG || !existsSync(join(folder, file)));
    const texts = missing.map(([file, from]) => [file, textOf(from)] as const);
    writeNew(folder, texts, 'Name another folder: `twinbook init DIR`.');
    const commands = textOf('examples/new/folder.md').match(/^ {4}.*\n/gm) ?? [];
    io.out(`wrote ${missing.map(([file]) => file).join(', ')}; next, in ${folder}:\n\n${commands.join('')}`);
  },
});
