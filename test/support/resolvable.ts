/** A promise, and the function that resolves it. */
export function resolvable<T = void>(): readonly [promise: Promise<T>, resolve: (value: T) => void] {
  let done = (_: T): void => undefined;
  const promise = new Promise<T>((resolve) => (done = resolve));
  return [promise, done];
}
