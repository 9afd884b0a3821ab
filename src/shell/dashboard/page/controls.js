/** The buttons: of one trader, or of all where all are shown; only permitted ones. */

import { route } from './address.js';
import { alarm, ask, explainFailure, PATIENCE_MS } from './ask.js';
import { field, part, setText } from './dom.js';

/** A second press of KILL within this time is intended, ms. */
const KILL_WITHIN_MS = 3000;
/** Only an operator may resume, and sell. */
const FOR_OPERATORS = ['flatten', 'resume', 'unkill', 'apply', 'rollback', 'resume-market', 'flatten-market'];
const FOR_ALL = ['pause', 'kill'];
/** Actions that need a confirmation, and take longer than a stop. @type {Readonly<Record<string, string>>} */
const ASKED_BEFORE = {
  flatten: 'Sell everything that is held into the book, at the prices there?',
  'flatten-market': 'Sell everything that is held in this market into the book, at the prices there?',
  apply: 'Apply the changes of the files, as compared above?',
  rollback: 'Go back to the configuration that was in force before?',
};
const LONG_PATIENCE_MS = 30_000;

/** @type {NodeListOf<HTMLButtonElement>} */
const buttons = document.querySelectorAll('button[data-action]');
const actionOf = (/** @type {Element} */ button) => button.getAttribute('data-action') ?? '';
const labels = new Map(Array.from(buttons, (button) => [actionOf(button), button.textContent ?? '']));

let role = 'operate';
let isForAll = false;

/** @param {import('../contract.js').Role} mine @param {boolean} isAll */
export function showControls(mine, isAll) {
  role = mine;
  isForAll = isAll;
  part('controls').hidden = mine === 'view';
  part('compare').hidden = mine !== 'operate';
  for (const button of buttons) {
    const action = actionOf(button);
    button.hidden =
      mine === 'view' || (isAll && !FOR_ALL.includes(action)) || (mine !== 'operate' && FOR_OPERATORS.includes(action));
    setText(button, `${labels.get(action) ?? action}${isAll ? ' all' : ''}`);
  }
}

/** @param {string} action */
function actionPath(action) {
  const { trader, market } = route();
  if (isForAll) return `/traders/${action}`;
  const query = new URLSearchParams(trader === null ? {} : { trader });
  if (action.endsWith('-market')) query.set('market', market ?? '');
  return `/actions/${action}?${query}`;
}

/** @param {string} action */
export async function press(action) {
  if (role === 'view') return;
  const why = field('why');
  const sure = ASKED_BEFORE[action];
  if (sure !== undefined && !confirm(sure)) return;
  said(`${action} …`, false);
  try {
    const response = await ask(actionPath(action), {
      method: 'POST',
      body: JSON.stringify({ reason: why.value }),
      signal: AbortSignal.timeout(sure === undefined ? PATIENCE_MS : LONG_PATIENCE_MS),
    });
    const answer = await response.json();
    said(response.ok ? `${action}: ${answer.text}` : answer.error, !response.ok);
    document.dispatchEvent(new CustomEvent('acted'));
    if (response.ok) why.value = '';
    else if (response.status === 409) why.focus();
  } catch (error) {
    said(`${action}: no answer, so it is not known whether it was heard`, true);
    alarm(explainFailure(error));
  }
}

let killSince = Number.NEGATIVE_INFINITY;
/** Subject of the first press. */
let killPath = '';

/** A dialog at three in the morning costs money, and so does an accidental click: KILL needs two presses. */
export function pressKill() {
  if (role === 'view') return undefined;
  const path = actionPath('kill');
  if (performance.now() - killSince < KILL_WITHIN_MS && path === killPath) {
    killSince = Number.NEGATIVE_INFINITY;
    return void press('kill');
  }
  killSince = performance.now();
  killPath = path;
  const whose = isForAll ? 'of all traders everything' : 'everything';
  said(`Press KILL again within three seconds: ${whose} is canceled, and nothing new leaves until it is lifted.`, true);
  return undefined;
}

/**
 * @param {string} words
 * @param {boolean} refused
 */
function said(words, refused) {
  part('said').textContent = words;
  part('said').classList.toggle('refused', refused);
}

export function startControls() {
  for (const button of buttons) {
    const action = actionOf(button);
    button.addEventListener('click', () => (action === 'kill' ? pressKill() : void press(action)));
  }
}
