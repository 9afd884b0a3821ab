/** Results by event as bytes: 64-bit integers, highest byte first, so that SQL can take them apart too. */

const BYTES = 8;

/** @throws RangeError for what is no safe integer */
export function packResults(results: readonly number[]): Buffer {
  const bytes = Buffer.alloc(results.length * BYTES);
  for (const [index, result] of results.entries()) bytes.writeBigInt64BE(BigInt(result), index * BYTES);
  return bytes;
}

export const unpackResults = (bytes: Buffer): number[] =>
  Array.from({ length: bytes.length / BYTES }, (_, index) => Number(bytes.readBigInt64BE(index * BYTES)));
