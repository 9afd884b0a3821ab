/** Every mode that a trader can be in, strictest last but for the end: a closed set for whoever counts them. */

import { LADDER } from '../../../trader/engine/control/modes.js';

export const TRADER_MODES: readonly string[] = Object.keys(LADDER);
