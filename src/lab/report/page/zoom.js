/** Zooming: all charts of a group show the same time. */

/** @typedef {{ charts: uPlot[], full: [number, number], step: number, isMoving: boolean }} Group */

/** What is drawn now. @type {Record<string, Group | null>} */
export const groups = { account: null, price: null };

/** @param {Group} group @param {number} min @param {number} max */
export function show(group, min, max) {
  const [first, last] = group.full;
  const width = Math.min(last - first, Math.max(max - min, 6 * group.step));
  const from = Math.min(Math.max(min, first), last - width);
  group.isMoving = true;
  for (const chart of group.charts) chart.setScale('x', { min: from, max: from + width });
  group.isMoving = false;
}

/** @param {Group} group @returns {[number, number]} */
export function shown(group) {
  const scale = group.charts[0]?.scales['x'];
  return [scale?.min ?? group.full[0], scale?.max ?? group.full[1]];
}

/** @param {Group} group @param {number} factor @param {number} [at] part of the width that stays where it is */
function zoom(group, factor, at = 0.5) {
  const [min, max] = shown(group);
  const middle = min + at * (max - min);
  show(group, middle - (middle - min) * factor, middle + (max - middle) * factor);
}

/** @param {Group} group @param {number} part of the width */
function move(group, part) {
  const [min, max] = shown(group);
  show(group, min + part * (max - min), max + part * (max - min));
}

/** @type {Record<string, (group: Group) => void>} */
export const ACTIONS = {
  in: (group) => zoom(group, 0.5),
  out: (group) => zoom(group, 2),
  left: (group) => move(group, -0.25),
  right: (group) => move(group, 0.25),
  reset: (group) => show(group, ...group.full),
};
/** @type {Record<string, string>} */
const KEYS = { '+': 'in', '=': 'in', '-': 'out', ArrowLeft: 'left', ArrowRight: 'right', 0: 'reset' };

/** Listeners of a chart's frame are set once; the chart in it changes. @param {HTMLElement} plot @param {() => Group | null} current */
export function handle(plot, current) {
  plot.addEventListener('keydown', (event) => {
    const action = ACTIONS[KEYS[event.key] ?? ''];
    const group = current();
    if (action === undefined || group === null || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    action(group);
  });
  // Only a chart that was clicked takes the wheel: else nobody could scroll past it.
  plot.addEventListener(
    'wheel',
    (event) => {
      const group = current();
      const over = plot.querySelector('.u-over')?.getBoundingClientRect();
      if (group === null || over === undefined || document.activeElement !== plot) return;
      event.preventDefault();
      const at = Math.min(1, Math.max(0, (event.clientX - over.left) / over.width));
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) move(group, event.deltaX / over.width);
      else zoom(group, event.deltaY < 0 ? 0.8 : 1.25, at);
    },
    { passive: false },
  );
  plot.addEventListener(
    'mousedown',
    (event) => {
      plot.focus({ preventScroll: true });
      const group = current();
      if (!event.shiftKey || group === null) return;
      event.preventDefault();
      event.stopPropagation();
      drag(group, plot, event.clientX);
    },
    true,
  );
}

/** @param {Group} group @param {HTMLElement} plot @param {number} startX */
function drag(group, plot, startX) {
  const [min, max] = shown(group);
  const width = plot.querySelector('.u-over')?.clientWidth ?? plot.clientWidth;
  const follow = (/** @type {MouseEvent} */ event) => {
    const by = ((startX - event.clientX) / width) * (max - min);
    show(group, min + by, max + by);
  };
  document.addEventListener('mousemove', follow);
  document.addEventListener('mouseup', () => document.removeEventListener('mousemove', follow), { once: true });
}
