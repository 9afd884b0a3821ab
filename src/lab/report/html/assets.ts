/** Our own scripts, which the page carries in itself. */

import { readPageScript } from '../../../shell/document/page-script.js';

/** In an order in which each stands after what it imports. */
const MODULES = ['theme', 'tables', 'format', 'columns', 'zoom', 'frame', 'account', 'market', 'main'] as const;

/** The modules of `page/` (some of them, for a page that needs no more) as one. */
export const pageScript = (modules: readonly (typeof MODULES)[number][] = MODULES): string =>
  readPageScript(new URL('../page/', import.meta.url), modules);
