#!/usr/bin/env node
/** Checks Node's version, then loads the program. Old versions must read this file: ES5 syntax, no static imports. */

// SIGUSR1 would open Node's debugger to every user of the machine; the empty listener prevents this.
process.on('SIGUSR1', function ignore() {
  // Processes with a log add a listener that logs the signal.
});

var found = process.versions.node;
var parts = found.split('.');
var major = Number(parts[0]);
var calls = 10000;

// This minimum version must equal `engines` in package.json; a test compares the two.
if (major < 20 || (major === 20 && Number(parts[1]) < 19)) {
  console.error(
    'Twinbook needs Node 20.19 or newer; this is %s. Install a newer Node, then run `npm ci` again.',
    found,
  );
  process.exit(1);
} else {
  // process.nextTick stays fast if its first calls are those below; the benchmark book-reads shows the difference.
  while (calls-- > 0) process.nextTick(Number);
  import('./program.js');
}
