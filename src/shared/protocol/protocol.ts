/**
 * The public entry `twinbook/protocol`. This module exports the service's schemas, and the types that the trader's core
 * and shell exchange. Code inside this package imports the single files.
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
