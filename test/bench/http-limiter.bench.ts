import { RateLimit } from '../../src/exchange/service/rate-limits.js';
import { type Bench, type BenchRow, percentile, sized } from './bench.js';

const REQUESTS = sized(1_000_000, 10_000);
const TURNS = sized(7, 1);
const LIMIT = 300;
const KEYS = 1000;

/** What one request costs the limiter: of keys within their limit, beyond it, and of made-up keys without end. */
function run(): Promise<BenchRow[]> {
  const known = Array.from({ length: KEYS }, (_, n) => `key_${n}`);
  const isHeld = (key: string) => key.startsWith('key_');
  const keyOf = (n: number) => known[n % KEYS] ?? '';
  const madeUp = Array.from({ length: REQUESTS }, (_, n) => `made up ${n}`);
  return Promise.resolve([
    // A key comes round every 250 ms: 240 requests a minute.
    cost(`rate limiter, ${KEYS} keys within their limit`, (limit, n) => limit.take(keyOf(n), n / 4, isHeld)),
    cost(`rate limiter, ${KEYS} keys at ten times their limit`, (limit, n) => limit.take(keyOf(n), n / 50, isHeld)),
    cost('rate limiter, a flood of made-up keys', (limit, n) => limit.take(madeUp[n] ?? '', n / 100, isHeld)),
  ]);
}

function cost(name: string, request: (limit: RateLimit, n: number) => void): BenchRow {
  const figures = Array.from({ length: TURNS }, () => {
    const limit = new RateLimit(LIMIT);
    const beganMs = performance.now();
    for (let n = 0; n < REQUESTS; n++) request(limit, n);
    return ((performance.now() - beganMs) * 1e6) / REQUESTS;
  }).sort((a, b) => a - b);
  const median = percentile(figures, 0.5);
  const half = ((figures.at(-1) ?? 0) - (figures[0] ?? 0)) / 2;
  return { name, figure: median, unit: 'ns/request', spread: `±${((100 * half) / median).toFixed(1)} %` };
}

export const bench: Bench = { title: 'rate limiter', run };
