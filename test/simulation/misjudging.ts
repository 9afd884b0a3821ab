/** False limits in answers: a 429 of ten minutes, one request a minute, a distant reset; as JSON and a proxy's page. */

import type { Random } from '../../src/shared/base/random.js';
import { declarationOf } from '../../src/shared/protocol/endpoints.js';
import type { AnyCall } from '../../src/shared/protocol/seam.js';
import { type Fate, HTML, htmlPage, type Said, type Script, THROTTLED } from './fates.js';

const DAY_MS = 86_400_000;
const FAR: Said = { askedMs: 600_000 };
const NEAR: Said = { askedMs: 20_000 };
const NOTHING_LEFT: Said = { budget: { limit: 1, remaining: 0, resetInMs: DAY_MS } };

/** By the report's name: the answering part, and its answer. */
const MISJUDGMENTS: readonly (readonly [string, Fate])[] = [
  ['429, ten minutes', { instead: THROTTLED, says: FAR }],
  ['429 as HTML, ten minutes', { instead: htmlPage(429), says: FAR }],
  ['429, twenty seconds', { instead: THROTTLED, says: NEAR }],
  ['429 as HTML, twenty seconds', { instead: htmlPage(429), says: NEAR }],
  ['429, a limit of one, none left', { instead: THROTTLED, says: { ...NOTHING_LEFT, ...FAR } }],
  ['a limit of one, none left', { says: NOTHING_LEFT }],
  ['the same under a page of HTML', { afterwards: HTML, says: NOTHING_LEFT }],
];

type Misjudgment = (typeof MISJUDGMENTS)[number];

export const drawMisjudgment = (random: Random): Misjudgment =>
  // The list is not empty.
  MISJUDGMENTS[random.below(MISJUDGMENTS.length)] as Misjudgment;

/** Spoils only the next signed read, and then calls `spoilt`. */
export function spoilNextRead([, fate]: Misjudgment, spoilt: () => void): Script {
  let isOver = false;
  return (call: AnyCall) => {
    const { method, scope } = declarationOf(call.endpoint);
    if (isOver || method !== 'GET' || scope !== 'signed') return null;
    isOver = true;
    spoilt();
    return fate;
  };
}
