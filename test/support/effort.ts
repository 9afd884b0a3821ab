/** How much a run of tests tries: what every change is checked with, or with TWINBOOK_EFFORT=long as much as a night allows. */

export const IS_LONG = process.env['TWINBOOK_EFFORT'] === 'long';

/** How often, or with what, to try something: `usual` with every change, `long` in `npm run test:long`. */
export const times = <T>(usual: T, long: T): T => (IS_LONG ? long : usual);
