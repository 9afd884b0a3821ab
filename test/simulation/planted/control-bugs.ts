/** Bugs of telemetry: a reader must not be able to end the trader. */

import type { WrittenBug } from './bug.js';

export const CONTROL_BUGS: readonly WrittenBug[] = [
  {
    name: 'reader-ends-the-trader',
    what: 'An error in the greeting of a reader ends the trader, whose ledger has failed, before it has canceled its orders.',
    file: 'src/shell/control/telemetry.ts',
    text: '    } catch (error) {\n      this.#letGo(reader);',
    replacement: '    } catch (error) {\n      if (error !== undefined) throw error;\n      this.#letGo(reader);',
  },
];
