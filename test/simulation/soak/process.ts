/** A process with one trader alone: it runs through its parent's input, period by period. */

import { LoneTrader, type Period, type TraderFigures } from './lone-trader.js';

export type Answer = { readonly figures: TraderFigures } | { readonly failure: string };

const [seed, pace, folder] = process.argv.slice(2);
let trader: LoneTrader | null = null;

async function live(period: Period): Promise<Answer> {
  try {
    if (pace !== 'busy' && pace !== 'patient') throw new Error(`pace must be busy or patient, got ${pace}`);
    trader ??= new LoneTrader(Number(seed), pace, period.begunMs, folder ?? '');
    return { figures: await trader.live(period) };
  } catch (error) {
    return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

process.on('message', (period: Period) => {
  void live(period).then((answer) => process.send?.(answer));
});
process.on('disconnect', () => {
  trader?.close();
  process.exit(0);
});
