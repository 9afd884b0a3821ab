import { anyQuery } from './any-call.js';
import { openVenue } from './stranger.js';

anyQuery(await openVenue());
