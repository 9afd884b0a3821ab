/** `twinbook init`: a folder to begin with. */

import { existsSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { packageRoot } from '../shell/config/shipped.js';
import { command, flag } from './command.js';
import { writeNew } from './lab/strategy-new.js';
import { OWN_CONFIG } from './output/io.js';

const STRATEGY = 'strategies/belief-maker.yaml';

export const addInitCommand = command({
  name: 'init',
  help: 'writes a folder to begin with: a trader’s file, a strategy file, .gitignore and README.md; asks nothing',
  args: [['[dir]', 'where to write; the working folder by default']],
  options: { yes: flag('--yes', 'accepted for scripts: there is no question to answer') },
  run: ({ args: [dir = '.'], io }) => {
    const folder = resolve(io.cwd, dir);
    const ofFolder = (file: string): string => shippedText(file).replaceAll('PACKAGE', relative(folder, packageRoot));
    const files = [
      [OWN_CONFIG, ofFolder('config/paper.yaml')],
      [STRATEGY, ofFolder(`config/${STRATEGY}`)],
      ['.gitignore', 'data/\nnode_modules/\n'],
      ['README.md', ofFolder('examples/new/folder.md')],
    ] as const;
    const missing = files.filter(([file]) => file === OWN_CONFIG || !existsSync(join(folder, file)));
    writeNew(folder, missing, 'Name another folder: `twinbook init DIR`.');
    const enter = dir === '.' ? '' : `    cd ${dir}\n`;
    io.out(`wrote ${missing.map(([file]) => file).join(', ')}\n\n${enter}    npx twinbook start        # trades on an embedded exchange
    npx twinbook dashboard    # in another terminal: its page
    npx twinbook stop\n\nREADME.md says how to write and test a strategy of your own.\n`);
  },
});

/** For a folder with its data below it. */
const shippedText = (file: string): string =>
  readFileSync(join(packageRoot, file), 'utf8')
    .replaceAll('`npm start`', '`npx twinbook start`')
    .replaceAll('../data/', 'data/');
