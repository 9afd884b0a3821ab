/** The present content of the page. Every change draws the page again. */

/**
 * @typedef {object} Model
 * @property {boolean | null} isLocked the password or token must be entered first; null before any answer
 * @property {import('./address.js').Route | null} wanted route of the shown answer
 * @property {string} banner
 * @property {boolean} isMild about prices of some markets
 * @property {import('../../../shared/protocol/operator-commands.js').Role} role
 * @property {readonly string[]} names of all shown traders; empty until known
 * @property {import('../../console/page-state.js').ServedState | null} state of the shown trader
 * @property {import('../../console/trader-row.js').ServedTraders | null} all traders
 * @property {{ key: string, content: any }} answer newest data of a view beside the state
 * @property {string} unknown why a view has no data
 * @property {{ words: string, isRefused: boolean }} said answer to a press
 * @property {string} diff of configuration and files
 */

/** @type {Model} */
export const model = {
  isLocked: null,
  wanted: null,
  banner: '',
  isMild: false,
  role: 'operate',
  names: [],
  state: null,
  all: null,
  answer: { key: '', content: null },
  unknown: '',
  said: { words: '', isRefused: false },
  diff: '',
};

/** @type {() => void} */
let draw = () => undefined;

/** @param {() => void} drawer */
export function setDrawer(drawer) {
  draw = drawer;
}

/** Draws again if a value differs, or none is given. @param {Partial<Model>} changes */
export function update(changes) {
  const before = { ...model };
  Object.assign(model, changes);
  const names = /** @type {(keyof Model)[]} */ (Object.keys(changes));
  if (names.length === 0 || names.some((name) => model[name] !== before[name])) draw();
}
