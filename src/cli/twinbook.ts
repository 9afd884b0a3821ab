#!/usr/bin/env node
/**
 * Checks Node's version, then loads the program. Older versions of Node must be able to read this file. It imports
 * nothing before the check, and apart from `import()` its syntax is ES5.
 */

// The empty listener keeps this signal from opening Node's debugger to every user of the machine.
process.on('SIGUSR1', function ignore() {
  // Processes with a log report there that the signal is unused.
});

var found = process.versions.node;
var parts = found.split('.');
var major = Number(parts[0]);

// This version equals `engines` in package.json; a test compares them.
if (major < 20 || (major === 20 && Number(parts[1]) < 19)) {
  console.error(
    'Twinbook needs Node 20.19 or newer; this is %s. Install a newer Node, then run `npm ci` again.',
    found,
  );
  process.exit(1);
} else import('./program.js');
