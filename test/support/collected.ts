/** All values of a stream. */
export async function collected<T>(stream: AsyncIterable<T> | Iterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of stream) all.push(value);
  return all;
}
