/** Around a whole run: no started process outlives it. */
import { tieToThisProcess } from './life.js';

export default tieToThisProcess;
