/** In every test file: keeps its output for the search at the end of the run. */
import './put-aside.js';
