/** The buttons: of one trader, or of all where all are shown; only permitted ones. */

import {
  FIRST_NAMES,
  MARKET_NAMES,
  OPERATOR_COMMANDS,
  OPERATOR_NAMES,
} from '../../../shared/protocol/operator-commands.js';
import { html } from '../../web-kit/page/template.js';
import { route } from './address.js';
import { alarm, ask, explainFailure, PATIENCE_MS } from './ask.js';
import { model, update } from './model.js';

/** A second press of KILL within this time is intended, ms. */
const KILL_WITHIN_MS = 3000;
/** @typedef {import('../../../shared/protocol/operator-commands.js').OperatorName} OperatorName */
/** @typedef {import('../../../shared/protocol/operator-commands.js').OperatorRow} OperatorRow */
/** @type {Readonly<Record<OperatorName, OperatorRow>>} */
const COMMANDS = OPERATOR_COMMANDS;
/** Actions that only an operator may take. */
const FOR_OPERATORS = ['apply', 'rollback'].concat(
  OPERATOR_NAMES.filter((name) => COMMANDS[name].role === 'operate').flatMap((name) => [name, `${name}-market`]),
);
/** @type {readonly string[]} */
const FOR_ALL = FIRST_NAMES;
/** Actions that need a confirmation, and take longer than a stop. @type {Readonly<Record<string, string>>} */
const ASKED_BEFORE = {
  flatten: 'Sell everything that is held into the book, at the prices there?',
  'flatten-market': 'Sell everything that is held in this market into the book, at the prices there?',
  apply: 'Apply the changes of the files, as compared above?',
  rollback: 'Go back to the configuration that was in force before?',
};
const LONG_PATIENCE_MS = 30_000;

const isForAll = () => model.wanted?.view === 'traders';

/** @param {string} action */
const isPermitted = (action) =>
  model.role !== 'view' &&
  (!isForAll() || FOR_ALL.includes(action)) &&
  (model.role === 'operate' || !FOR_OPERATORS.includes(action));

/** @param {{ name: string, label: string, help: string }} props */
export const ActionButton = ({ name, label, help }) =>
  isPermitted(name)
    ? html`<button type="button" data-action=${name} title=${help}
        onClick=${() => (name === 'kill' ? pressKill() : void press(name))}>${label}${isForAll() ? ' all' : ''}</button>`
    : null;

/** @param {OperatorName} name */
function commandButton(name) {
  const [label, help] = COMMANDS[name].button;
  return html`<${ActionButton} name=${name} label=${label} help=${help} />`;
}

export const Controls = () =>
  html`<section class="actions" id="controls" aria-label="Controls" hidden=${model.role === 'view'}>
    <div class="stop">${FIRST_NAMES.map(commandButton)}</div>
    <button type="button" id="more" aria-expanded="false" aria-controls="rest" onClick=${toggle}>More: widen, resume, …</button>
    <div id="rest">
      <label>Reason <input id="why" maxlength="500" placeholder="kept with what you press" /></label>
      ${OPERATOR_NAMES.filter((name) => COMMANDS[name].isFirst !== true).map(commandButton)}
    </div>
  </section>
  <p id="said" role="status" class=${model.said.isRefused ? 'refused' : ''}>${model.said.words}</p>`;

export const MarketControls = () =>
  html`<div class="actions" role="group" aria-label="Controls of this market">
    ${MARKET_NAMES.map((name) => {
      const [label, help] = OPERATOR_COMMANDS[name].marketButton;
      return html`<${ActionButton} name=${`${name}-market`} label=${label} help=${help} />`;
    })}
  </div>`;

/** @param {{ currentTarget: HTMLElement }} event */
function toggle({ currentTarget: button }) {
  button.setAttribute('aria-expanded', String(button.getAttribute('aria-expanded') !== 'true'));
}

/** @param {string} action */
function actionPath(action) {
  const { trader, market } = route();
  if (isForAll()) return `/traders/${action}`;
  const query = new URLSearchParams(trader === null ? {} : { trader });
  if (action.endsWith('-market')) query.set('market', market ?? '');
  return `/actions/${action}?${query}`;
}

/** @param {string} action */
export async function press(action) {
  const why = document.getElementById('why');
  if (model.role === 'view' || !(why instanceof HTMLInputElement)) return;
  const sure = ASKED_BEFORE[action];
  if (sure !== undefined && !confirm(sure)) return;
  say(`${action} …`, false);
  try {
    const response = await ask(actionPath(action), {
      method: 'POST',
      body: JSON.stringify({ reason: why.value }),
      signal: AbortSignal.timeout(sure === undefined ? PATIENCE_MS : LONG_PATIENCE_MS),
    });
    const answer = await response.json();
    say(response.ok ? `${action}: ${answer.text}` : answer.error, !response.ok);
    document.dispatchEvent(new CustomEvent('acted'));
    if (response.ok) why.value = '';
    else if (response.status === 409) why.focus();
  } catch (error) {
    say(`${action}: no answer, so it is not known whether it was heard`, true);
    alarm(explainFailure(error));
  }
}

let killSince = Number.NEGATIVE_INFINITY;
/** Subject of the first press. */
let killPath = '';

/** A dialog at three in the morning costs money, and so does an accidental click: KILL needs two presses. */
export function pressKill() {
  if (model.role === 'view') return undefined;
  const path = actionPath('kill');
  if (performance.now() - killSince < KILL_WITHIN_MS && path === killPath) {
    killSince = Number.NEGATIVE_INFINITY;
    return void press('kill');
  }
  killSince = performance.now();
  killPath = path;
  const whose = isForAll() ? 'of all traders everything' : 'everything';
  say(`Press KILL again within three seconds: ${whose} is canceled, and nothing new leaves until it is lifted.`, true);
  return undefined;
}

/** @param {string} words @param {boolean} isRefused */
const say = (words, isRefused) => update({ said: { words, isRefused } });

export async function compare() {
  update({ diff: 'comparing …' });
  const { trader } = route();
  try {
    const answer = await (
      await ask(`/views/diff${trader === null ? '' : `?${new URLSearchParams({ trader })}`}`)
    ).json();
    update({ diff: (answer.lines ?? [answer.error]).join('\n') });
  } catch {
    update({ diff: 'no answer' });
  }
}
