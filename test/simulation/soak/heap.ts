import { getHeapCodeStatistics } from 'node:v8';

/** What is reachable in this process after a collection of garbage, where node has `--expose-gc`. */
export interface Heap {
  /** Without compiled code, of which V8 makes more for days. */
  readonly dataBytes: number;
  readonly codeBytes: number;
}

export function measureHeap(): Heap {
  // Twice: the first one may end a collection that had begun while what is garbage now was still in use.
  globalThis.gc?.();
  globalThis.gc?.();
  const code = getHeapCodeStatistics();
  const codeBytes = code.code_and_metadata_size + code.bytecode_and_metadata_size;
  return { dataBytes: process.memoryUsage().heapUsed - codeBytes, codeBytes };
}
