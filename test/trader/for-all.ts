import fc from 'fast-check';

type Check<Values extends [unknown, ...unknown[]]> = (...values: Values) => boolean | void;

/** Checks a property for values of these arbitraries. */
export function forAll<Values extends [unknown, ...unknown[]]>(
  arbitraries: { [Key in keyof Values]: fc.Arbitrary<Values[Key]> },
  ...given: readonly [Check<Values>] | readonly [fc.Parameters<Values>, Check<Values>]
): void {
  const [options, check] = given.length === 2 ? given : [{}, given[0]];
  fc.assert(fc.property<Values>(...arbitraries, check), options);
}
