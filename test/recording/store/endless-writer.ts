/** A process that records forever: one level that counts up, flushed repeatedly. Prints each flushed number. */

import { at, market, openStore } from './writing.js';

const [folder = '', first = '0', rotateEvery = '7'] = process.argv.slice(2);
const store = await openStore(folder);
const sink = store.market(market());
const BATCH = 25;

sink.clear(at(Number(first)));
for (let count = Number(first), batch = 1; ; batch++) {
  for (const end = count + BATCH; count < end; count++) sink.level(at(count), 0, 400_000, (count + 1) * 1_000_000);
  await (batch % Number(rotateEvery) === 0 ? store.rotate() : store.flush());
  process.stdout.write(`${count}\n`);
}
