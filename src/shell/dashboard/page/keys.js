/** Keyboard shortcuts; each of them is also a button or a link. */

import { byId, NEVER } from './model.js';

/** Letter after `g`, its view, and the view's name in the list. */
const VIEWS = [
  ['o', 'overview', 'overview'],
  ['t', 'orders', 'orders and fills (trades)'],
  ['m', 'money', 'money'],
  ['r', 'risk', 'risk'],
  ['h', 'health', 'health'],
  ['a', 'alerts', 'alerts'],
  ['l', 'log', 'log'],
  ['c', 'config', 'configuration'],
  ['u', 'runs', 'runs'],
  ['s', 'traders', 'all traders, where there are several'],
];
/** As the page lists them. */
export const KEYS = [
  ...VIEWS.map(([letter, , name]) => [`g ${letter}`, name]),
  ['j, k', 'next and last row'],
  ['Enter', 'opens the row'],
  ['e', 'explains the market'],
  ['t', 'the chart as tables'],
  ['/', 'filter'],
  ['p', 'pause'],
  ['Shift K, twice', 'KILL'],
  ['?', 'this list'],
];
/** Time to press the letter of a view after `g`, ms. */
const GO_WITHIN_MS = 1500;

/** @typedef {{ go: (view: string) => void, explain: () => void, pause: () => void, kill: () => void }} KeyActions */

let goSince = NEVER;

/** @param {KeyActions} actions */
export function startKeys(actions) {
  document.addEventListener('keydown', (event) => {
    const { target, key } = event;
    const isTyping = target instanceof Element && target.closest('input, select, textarea, dialog') !== null;
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    const isView = performance.now() - goSince < GO_WITHIN_MS;
    const view = isView ? VIEWS.find(([letter]) => letter === key)?.[1] : undefined;
    goSince = key === 'g' ? performance.now() : NEVER;
    if (view !== undefined) actions.go(view);
    else if (!pressed(key, actions)) return;
    event.preventDefault();
  });
}

/** Whether the key has an action. @param {string} key @param {KeyActions} actions */
function pressed(key, actions) {
  switch (key) {
    case '?':
      showKeys();
      return true;
    case '/':
      shownPart('input[type=search]')?.focus();
      return true;
    case 'j':
    case 'k':
      moveBy(key === 'j' ? 1 : -1);
      return true;
    case 'e':
      actions.explain();
      return true;
    case 'p':
      actions.pause();
      return true;
    case 'K':
      actions.kill();
      return true;
    case 't': {
      const table = /** @type {HTMLDetailsElement | null} */ (shownPart('details.table'));
      if (table !== null) table.open = !table.open;
      return true;
    }
    default:
      return false;
  }
}

export function showKeys() {
  const help = byId('help');
  if (help instanceof HTMLDialogElement && !help.open) help.showModal();
}

/** The first match in the shown view. @param {string} selector @returns {HTMLElement | null} */
const shownPart = (selector) => document.querySelector(`.view:not([hidden]) ${selector}`);

/** Moves to the next or previous link of the rows. @param {number} step */
function moveBy(step) {
  const links = [...document.querySelectorAll('.view:not([hidden]) tbody tr > td a:first-of-type')].filter(
    (one) => one instanceof HTMLElement && one.offsetParent !== null,
  );
  const at = document.activeElement === null ? -1 : links.indexOf(document.activeElement);
  const next = at < 0 ? (step > 0 ? 0 : links.length - 1) : Math.min(links.length - 1, Math.max(0, at + step));
  const found = links[next];
  if (found instanceof HTMLElement) found.focus();
}
