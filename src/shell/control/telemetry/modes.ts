/** All modes of a trader, strictest last except for the end. */

import { LADDER } from '../../../trader/engine/control/modes.js';

export const TRADER_MODES: readonly string[] = Object.keys(LADDER);
