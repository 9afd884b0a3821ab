/** The exchange as a process of its own, to be killed: prints its address, runs until somebody ends it. */
import { PAPER_DEFAULTS, startExchange } from '../../../src/exchange/exchange.js';
import { PROFILE } from '../http/harness.js';

const [dataDir = '', crowd = ''] = process.argv.slice(2);
const exchange = await startExchange({
  ...PAPER_DEFAULTS,
  ...{ profile: PROFILE, port: 0, controls: true, rateLimits: false, dataDir, crowd: crowd === 'crowd' },
});
console.log(exchange.url);
