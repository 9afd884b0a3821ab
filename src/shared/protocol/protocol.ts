/** The public entry `twinbook/protocol`: schemas of the service, and types that the trader's core and shell share. */
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
