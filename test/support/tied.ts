/** For programs that are no tests and start processes: this import ties those to the program's own life. */
import { tieToThisProcess } from './life.js';

tieToThisProcess();
