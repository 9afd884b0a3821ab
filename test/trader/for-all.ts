import fc from 'fast-check';

/** Throws, or returns false, if the property does not hold. */
type Check<Values extends [unknown, ...unknown[]]> = (...values: Values) => unknown;

/** Checks a property for values of these arbitraries. */
export function forAll<Values extends [unknown, ...unknown[]]>(
  arbitraries: { [Key in keyof Values]: fc.Arbitrary<Values[Key]> },
  ...given: readonly [Check<Values>] | readonly [fc.Parameters<Values>, Check<Values>]
): void {
  const [options, check] = given.length === 2 ? given : [{}, given[0]];
  fc.assert(
    fc.property<Values>(...arbitraries, (...values) => check(...values) !== false),
    options,
  );
}
