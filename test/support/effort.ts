/** Effort of a test run: usual, or with TWINBOOK_EFFORT=long the effort of a night. */

export const IS_LONG = process.env['TWINBOOK_EFFORT'] === 'long';

/** Number or size of attempts: `usual` for every change, `long` in `npm run lab -- test:long`. */
export const times = <T>(usual: T, long: T): T => (IS_LONG ? long : usual);
