/** A recording whose file ends in the middle: its readable part is played and traded, and the rest is reported. */

import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { delta, kalshiFile, OPEN_MS, snapshot, writeKalshi } from '../../recording/samples.js';
import { endInOrder, exchangeAt, folderOf, makerYaml, ran, started, traderYaml } from '../../support/cases.js';
import { marketsOf } from '../../support/venue.js';

/**
 * Times of the changes: fast at first, so that the file can be cut within them; then slow, because the market ends with
 * the readable part, and a trader that starts on a busy machine must still find it.
 */
const changeMs = (i: number): number => OPEN_MS + (i < 8_000 ? 2 * i : 16_000 + 100 * (i - 8_000));

/** Cut in the middle: about half of the small changes, deep below a book around 0.42, can be read. */
function cutRecording(): string {
  const set = writeKalshi([
    snapshot(OPEN_MS, [['0.4000', '100.00']], [['0.5600', '100.00']]),
    ...Array.from({ length: 20_000 }, (_, i) => delta(changeMs(i), 'yes', '0.3000', `${i % 97}.25`)),
  ]);
  const whole = readFileSync(kalshiFile(set));
  writeFileSync(kalshiFile(set), whole.subarray(0, whole.length / 2));
  return set;
}

const CUT = /\S+ndjson\.gz: the file is cut or damaged \(.+\): only what could be read of it is used/;

it('an exchange plays what can be read of a recording that was cut, with a warning', async () => {
  const { running, url } = await exchangeAt('-v', '--market-data', cutRecording(), '--speed', '10');
  await running.waitFor(CUT);
  expect(await marketsOf(url)).toHaveLength(1);
  await endInOrder(running);
});

it('a trader quotes on it and says on its screen what is wrong with it', async () => {
  const trader = traderYaml(null).replace('seed: 3', `market_data: ["${cutRecording()}"], speed: 2`);
  const folder = folderOf({ 'trader.yaml': trader, 'maker.yaml': makerYaml() });
  const running = started(['start', '-v', '-c', `${folder}/trader.yaml`]);
  await running.waitFor(CUT);
  await running.waitFor(/quoting \| markets 1 of 1 quoted \| orders [1-9]/);
  expect((await ran(['stop', '-c', `${folder}/trader.yaml`])).output).toBe('stopped; no order is left open\n');
  expect(await running.exited).toBe(0);
});
