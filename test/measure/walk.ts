/** Visits every node of a syntax tree, parents first. */

import type { Node } from 'oxc-parser';

/** `visit` returns false to skip the nodes below. */
export function walk(
  node: Node,
  // biome-ignore lint/suspicious/noConfusingVoidType: most visitors have nothing to say about what is below.
  visit: (node: Node, parent: Node | null) => boolean | void,
  parent: Node | null = null,
): void {
  if (visit(node, parent) === false) return;
  for (const value of Object.values(node)) {
    const children: readonly unknown[] = Array.isArray(value) ? value : [value];
    for (const child of children) if (isNode(child)) walk(child, visit, node);
  }
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string' && 'start' in value;
