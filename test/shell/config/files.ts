/** Texts of configuration files, for the tests of this room and of the command line. */

/** The smallest trader's file; `lines` are added at its end. */
export const trader = (lines = '', strategies = '[]'): string => `venue: { profile: paper }
wallet: { file: wallet.json }
ledger: { path: twinbook.sqlite }
capital: "1000"
strategies: ${strategies}
${lines}`;
