/**
 * The public entry `twinbook/protocol`: the service as data, one schema each, for client and exchange, and the seam
 * between the trader's core and its shell. Code of this package imports the single files.
 */
export * from './cursors.js';
export * from './drafts/draft-message.js';
export * from './drafts/draft-text.js';
export * from './endpoints.js';
export * from './errors.js';
export * from './profile.js';
export * from './records.js';
export * from './seam.js';
export * from './signing.js';
export * from './states.js';
