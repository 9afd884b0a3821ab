/** In every test file: keeps what it writes for the search at the end of the run. */
import './put-aside.js';
