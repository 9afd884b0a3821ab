import { anyQuery } from './any-call.js';

anyQuery();
