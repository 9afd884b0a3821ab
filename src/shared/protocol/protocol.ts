/**
 * The public entry `twinbook/protocol`. Its schemas describe the service for client and exchange, and the seam between
 * the trader's core and shell. Code of this package imports the single files.
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
