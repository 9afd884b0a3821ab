import { expect, it, onTestFinished, vi } from 'vitest';
import { Trader } from './load/trader.js';
import { Traffic } from './load/traffic.js';

it('asks for no second merge of a pair while its first is not submitted: the same draft would come again', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const traffic = new Traffic([new Trader(1)], ['market'], 1);
  let merges = 0;
  for (let n = 0; n < 400; n++) {
    if (traffic.next().bytes.startsWith('POST /share-merges/ ')) merges += 1;
    vi.advanceTimersByTime(1000);
  }
  expect(merges).toBe(1);
});
