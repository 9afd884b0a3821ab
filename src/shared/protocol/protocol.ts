/**
 * The service as data: records, states, errors, cursors, the signing payload, the venue profile and every endpoint,
 * one schema each, used by the client and by the exchange alike. Also the seam between the trader's core and the shell
 * that performs its requests. Holds no behaviour of either side: it never sends, stores, matches or decides.
 *
 * Code of this package imports the single files; this list is the package's public entry `twinbook/protocol`.
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
