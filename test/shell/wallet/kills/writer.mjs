// Writes secrets files until it is killed: `node writer.mjs FOLDER FIRST PASSPHRASE`. Says the number of each round that is done.
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { importKeyFile, saveCredentials } from '../../../../src/shell/wallet/key-file.js';

const [folder = '', first = '', passphrase = ''] = process.argv.slice(2);
const owner = { baseUrl: 'http://venue', wallet: 'ours' };
const scrypt = { n: 2 ** 10, r: 8, p: 1 };
writeSync(1, 'begins\n');
for (let round = Number(first); ; round++) {
  saveCredentials(join(folder, 'credentials.json'), owner, {
    apiKey: `key-${round}`,
    secret: `the secret of round ${round}`,
  });
  importKeyFile(join(folder, 'old.json'), { path: join(folder, 'new', `${round}.json`), passphrase, scrypt });
  writeSync(1, `${round}\n`);
}
