/**
 * In every test file: properties draw the same values in every run, so that only a change can make a run fail. `npm run
 * test:long` draws others each time; a failure there prints its seed.
 */

import fc from 'fast-check';
import { IS_LONG } from './effort.js';

if (!IS_LONG) fc.configureGlobal({ seed: 20_261_122 });
