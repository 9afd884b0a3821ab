/** Around a whole run: nothing that it starts outlives it. */
import { tieToThisProcess } from './life.js';

export default tieToThisProcess;
