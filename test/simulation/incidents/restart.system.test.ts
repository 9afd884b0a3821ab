/** Incidents of a process, ours or theirs, that ends in the middle of something. */

import { describe, expect } from 'vitest';
import { incident, incidentIn, ROOMY, SECOND_MS } from './scene.js';

describe('incidents of a restart', () => {
  incidentIn(ROOMY, 'SIGKILL with 14 resting orders and partly known fills', 21, (scene) => {
    scene.until('fourteen orders rest', () => scene.resting.length >= 14);
    // From now on no list of fills arrives, while the crowd keeps filling.
    scene.fates((call) => (call.endpoint === 'trades.list' ? { answerLost: true } : null));
    const before = scene.fillsBooked;
    scene.until('fills that we know of and fills that we do not', () => {
      return scene.resting.length >= 14 && before > 0 && scene.fillsAtExchange > scene.fillsBooked;
    });
    const rested = scene.resting.map(({ pubkey }) => pubkey ?? '');
    scene.world.kill(3 * SECOND_MS);
    expect(scene.world.process).toBe(null);
    scene.calm();
    scene.pass(4 * SECOND_MS);

    const { ledger } = scene.process;
    expect(rested.filter((pubkey) => ledger.order(pubkey) === null)).toEqual([]);
    scene.until('every fill is booked', () => scene.fillsBooked === scene.fillsAtExchange, 5 * SECOND_MS);
    scene.agrees();
  });

  incident('restart that sees old fills again', 22, (scene) => {
    scene.until('a dozen fills', () => scene.fillsBooked >= 12);
    const old = scene.process.ledger.fills({ limit: 1_000 });
    scene.world.kill(SECOND_MS);
    let shownAgain = 0;
    scene.fates((call) => {
      if (call.endpoint !== 'trades.list') return null;
      return {
        damage: (text) => {
          shownAgain = Math.max(shownAgain, old.filter(({ pubkey }) => text.includes(pubkey)).length);
          return text;
        },
      };
    });
    scene.pass(10 * SECOND_MS);
    expect(shownAgain).toBe(old.length);
    const again = new Map(scene.process.ledger.fills({ limit: 1_000 }).map((fill) => [fill.pubkey, fill]));
    expect(old.map(({ pubkey }) => again.get(pubkey))).toEqual(old);
    expect(scene.process.ledger.verify()).toEqual([]);
    scene.agrees();
  });

  incident('the exchange restarts in mid-order', 23, (scene) => {
    const caught = { draft: 0, submit: 0, cancel: 0 };
    scene.until('it quotes', () => scene.resting.length >= 4);
    // A request in flight at the crash may or may not take effect; its answer is lost.
    scene.fates((call) => {
      switch (call.endpoint) {
        case 'orders.create':
          return ++caught.draft > 1 ? null : { answerLost: true };
        case 'orders.submit':
          if (++caught.submit > 2) return null;
          return caught.submit === 1 ? { answerLost: true } : { requestLost: true };
        case 'orders.cancelSubmit':
          return ++caught.cancel > 1 ? null : { requestLost: true };
        default:
          return null;
      }
    });
    scene.until('a draft, two submits and a cancel are under way', () => {
      return caught.draft >= 1 && caught.submit >= 2 && caught.cancel >= 1;
    });
    scene.world.network.cut(20 * SECOND_MS);
    scene.world.exchange.restart(scene.nowMs);
    scene.calm();
    scene.pass(15 * SECOND_MS);
    expect(scene.loud).toContain('silent');
    scene.agrees();
    expect(scene.loud).toContain('answering');
  });
});
