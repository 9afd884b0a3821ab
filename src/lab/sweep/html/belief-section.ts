/** How far the best configuration may be believed: what luck alone would have given, overfitting, walking forward. */

import { count, formatGain, formatPercent, ratio, UNKNOWN } from '../../report/figures.js';
import { html, type Markup } from '../../report/html/markup.js';
import { dataTable, section, tone } from '../../report/html/parts.js';
import type { SweepResult, WalkForward } from '../contract.js';
import {
  capitalise,
  deflatedText,
  FRESH_HEADS,
  freshLead,
  freshRows,
  overfittingText,
  sharpeText,
  TERMS,
} from '../describe.js';

export function beliefSection({ subject, models, counts }: SweepResult): Markup {
  const { model, event } = TERMS[subject];
  const heads = [
    { title: capitalise(model), isText: true },
    { title: 'Tried (N)', explains: 'different configurations ever tried in this folder' },
    { title: 'V[Sharpe]', explains: 'variance over the configurations' },
    { title: 'Best by luck', explains: 'the highest Sharpe ratio that is to be expected of N without any skill' },
    {
      title: 'Overfitting',
      explains: `how often the best of one half of the ${event}s is not above the median in the other`,
    },
    { title: 'Loss unseen', explains: 'how often it loses money there' },
  ];
  const rows = models.map(({ fillModel, sharpeVariance, luckySharpe, overfitting }) => ({
    id: fillModel,
    cells: [
      { text: fillModel },
      { text: count(counts.tried) },
      { text: sharpeVariance?.toFixed(4) ?? UNKNOWN },
      { text: ratio(luckySharpe) },
      { text: overfittingText(overfitting) },
      { text: formatPercent(overfitting?.lossProbability ?? null) },
    ],
  }));
  return section(
    'belief',
    'What luck would have given',
    `The best of many is good by luck alone. Ratios are per ${event}, the only independent samples that there are; a deflated one is the probability that there is more than luck.`,
    dataTable(heads, rows, { caption: `The search, by ${model}` }),
  );
}

export function freshSection({ fresh }: SweepResult): Markup | null {
  if (fresh === null) return null;
  const heads = FRESH_HEADS.map((title, index) => ({ title, isText: index === 0 }));
  const rows = freshRows(fresh).map((cells) => ({ id: cells[0] ?? '', cells: cells.map((text) => ({ text })) }));
  const table = dataTable(heads, rows, { caption: 'On fresh seeds' });
  return section('fresh', 'On fresh seeds', freshLead(fresh), table);
}

export function walkForwardSection(result: SweepResult): Markup | null {
  const { walkForward, assumptions } = result;
  if (walkForward === null) return null;
  const minutes = assumptions.embargoMs / 60_000;
  const rule = `Whole events, in order of time. Learned from is what was over ${minutes > 0 ? `${count(minutes)} minutes before` : 'when'} the fold began; earlier events that were not are purged.`;
  return section(
    'forward',
    'Walking forward',
    `The configuration that was best on all earlier events, on those that follow. ${rule}`,
    html`${stepTable(walkForward, assumptions.fillModels)}${totals(walkForward)}`,
  );
}

function stepTable({ steps }: WalkForward, fillModels: readonly string[]): Markup {
  const heads = [
    { title: 'Fold' },
    { title: 'Learned from', explains: 'events' },
    { title: 'Purged', explains: 'events' },
    { title: 'Tested on', explains: 'events' },
    { title: 'Config', explains: 'the best until then' },
    ...fillModels.flatMap((model) => [
      { title: `${model}, in sample` },
      { title: 'Out of sample', explains: `under ${model}` },
    ]),
  ];
  const rows = steps.map((step) => ({
    id: String(step.fold),
    cells: [
      { text: count(step.fold + 1) },
      { text: count(step.trainEvents) },
      { text: count(step.purgedEvents) },
      { text: count(step.testEvents) },
      { text: count(step.chosen) },
      ...fillModels.flatMap((_, model) => {
        const [inside, outside] = [step.inSampleMicros[model] ?? null, step.outOfSampleMicros[model] ?? null];
        return [{ text: formatGain(inside) }, { text: formatGain(outside), class: tone(outside) }];
      }),
    ],
  }));
  return dataTable(heads, rows, { caption: 'Walking forward, fold by fold' });
}

const totals = ({ outOfSample, testedEvents }: WalkForward): readonly Markup[] =>
  outOfSample.map(
    ({ fillModel, resultMicros, sharpe }) =>
      html`<p class="note">Out of sample in all, ${fillModel}: <b class="${tone(resultMicros)}">${formatGain(resultMicros)}</b> over ${count(testedEvents)} events; Sharpe per event ${sharpeText(sharpe, testedEvents)}, deflated ${deflatedText(sharpe)}.</p>`,
  );
