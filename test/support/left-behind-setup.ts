/** In every file of the fast tier, see left-behind.ts. */
import { watchProcess } from './left-behind.js';

watchProcess();
