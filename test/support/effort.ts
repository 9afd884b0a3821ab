/** Effort of a test run: that of every change, or with TWINBOOK_EFFORT=long that of a whole night. */

export const IS_LONG = process.env['TWINBOOK_EFFORT'] === 'long';

/** How often, or with what, to try something: `usual` with every change, `long` in `npm run test:long`. */
export const times = <T>(usual: T, long: T): T => (IS_LONG ? long : usual);
