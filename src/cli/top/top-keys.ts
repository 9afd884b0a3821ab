/** What the keys of `twinbook top` do. Pure. */

import { SORTS, type SortBy, type TopLook } from './top-screen.js';

/** As a terminal sends them. */
const QUIT = ['q', 'Q', '\u0003', '\u0004', '\u001b'];
const DOWN = ['j', '\u001b[B'];
const UP = ['k', '\u001b[A'];
const PAGE = 10;
const PAGE_DOWN = [' ', '\u001b[6~'];
const PAGE_UP = ['b', '\u001b[5~'];

/** Returns how it looks after a key; null when it is left. */
export function pressKey(look: TopLook, key: string, rows: number): TopLook | null {
  if (QUIT.includes(key)) return null;
  const move = moveOf(key);
  if (move !== 0) return { ...look, from: Math.max(0, Math.min(rows - 1, look.from + move)) };
  const [sort] = (Object.keys(SORTS) as SortBy[]).filter((name) => SORTS[name] === key);
  if (sort === undefined) return look;
  return { sort, isReversed: sort === look.sort && !look.isReversed, from: 0 };
}

function moveOf(key: string): number {
  if (DOWN.includes(key)) return 1;
  if (UP.includes(key)) return -1;
  if (PAGE_DOWN.includes(key)) return PAGE;
  return PAGE_UP.includes(key) ? -PAGE : 0;
}
