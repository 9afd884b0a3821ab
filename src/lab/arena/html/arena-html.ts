/** The page of an arena: one self-contained HTML file in the report's style, whose figures need no script. */

import { count, decimal, formatQuantity, UNKNOWN } from '../../report/figures.js';
import { pageScript } from '../../report/html/assets.js';
import { html, Markup, shorten } from '../../report/html/markup.js';
import { type Cell, dataTable, section, tone } from '../../report/html/parts.js';
import { policy } from '../../report/html/report-html.js';
import { styleFor } from '../../report/html/style.js';
import type { ArenaResult, Mean, NamedSimulation, Standing } from '../contract.js';
import { conditionsText, meanText, rerunCommand } from '../describe.js';
import { edgeChart, MOST_POINTS } from './edge-chart.js';

/** Of each strategy in each world. */
const WORST_SHOWN = 5;
/** Fewer say little of a mean whose simulations differ as these do. */
const FEW_SEEDS = 20;

/** The same result gives the same page, to the byte. */
export function arenaHtml(result: ArenaResult): string {
  const script = pageScript(['theme', 'tables']);
  const names = result.strategies.map(({ name }) => name).join(', ');
  const body = html`<div class="page"><main>${heading(result, names)}${notes(result)}${standingSection(result)}${differenceSection(result)}${distributionSection(result)}${worstSection(result)}${assumptionSection(result)}</main><footer>Twinbook ${result.version}. A dash means not known or not defined, never zero.</footer></div>`;
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy([script])}"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer"><title>${shorten(names, 120)} – Twinbook arena</title><style>${new Markup(styleFor(0))}</style></head><body>${body}
<script type="module">${new Markup(script)}</script>
</body></html>
`.text;
}

function heading({ worlds, firstSeed, seeds }: ArenaResult, names: string): Markup {
  const what = `Arena · ${worlds.map(({ name }) => name).join(', ')} · ${formatQuantity(seeds, 'seed')}, ${firstSeed} to ${firstSeed + seeds - 1}`;
  return html`<header><div><h1>${shorten(names, 200)}</h1><p class="sub">${what}</p></div><button class="button" id="theme" data-needs-script type="button">Light / dark</button></header>`;
}

function notes({ standings, seeds }: ArenaResult): Markup {
  const cautions = [
    ...standings.flatMap(({ strategy, world, failed, simulations, firstFailure }) =>
      failed === 0
        ? []
        : [
            `${strategy} failed in ${failed} of ${simulations} simulations of ${world}, which count as far as they went; the first, ${firstFailure}`,
          ],
    ),
    ...standings.flatMap(({ strategy, world, halted, simulations }) =>
      halted === 0
        ? []
        : [`A limit of risk halted ${strategy} in ${halted} of ${simulations} simulations of ${world}.`],
    ),
    ...(seeds < FEW_SEEDS
      ? [`${formatQuantity(seeds, 'seed')}: too few for a mean whose simulations differ so much.`]
      : []),
  ];
  const rule =
    'The best of several that were tried on these seeds is good by luck in part: report it on seeds that nothing was chosen on.';
  return html`<ul class="warnings" aria-label="What to know before believing a figure">${cautions.map((text) => html`<li class="caution">${shorten(text, 600)}</li>`)}<li class="note">${rule}</li></ul>`;
}

const meanCell = (mean: Mean, isToned = false): Cell => ({
  text: meanText(mean),
  value: mean.mean,
  class: isToned ? tone(mean.mean) : '',
});

const plainCell = (mean: Mean | null, places: number): Cell => ({
  text: mean === null ? UNKNOWN : decimal(mean.mean, places),
  value: mean?.mean ?? null,
});

function standingSection({ standings }: ArenaResult): Markup {
  const heads = [
    { title: 'World', isText: true },
    { title: 'Strategy', isText: true },
    { title: 'Edge', explains: 'shares × (true probability − price), mean a simulation ± standard error' },
    { title: 'Below 0', explains: 'part of the simulations whose edge is negative' },
    { title: 'Uninformed', explains: 'the part that takers brought who do not know the truth' },
    { title: 'Informed', explains: 'the part that those took who know it' },
    { title: 'Fills' },
    { title: 'Shares' },
    { title: 'Actions', explains: 'orders placed and canceled' },
    { title: 'Requests' },
    { title: 'Result', explains: 'won or lost after settlement, luck included' },
    { title: 'Drawdown', explains: 'largest fall of wealth at the truth' },
  ];
  const rows = standings.map((standing) => ({
    id: `${standing.world} ${standing.strategy}`,
    cells: [
      { text: standing.world },
      { text: shorten(standing.strategy, 60) },
      meanCell(standing.edge, true),
      belowCell(standing),
      meanCell(standing.uninformedEdge),
      meanCell(standing.informedEdge),
      plainCell(standing.fills, 1),
      plainCell(standing.shares, 0),
      plainCell(standing.actions, 0),
      plainCell(standing.requests, 0),
      meanCell(standing.result),
      plainCell(standing.drawdown, 1),
    ],
  }));
  const lead =
    'What fills were worth at the true probability of their moment, in currency: the luck of the settlement is not in it.';
  return section(
    'standings',
    'Standings',
    lead,
    dataTable(heads, rows, { caption: 'Strategies by world', sorts: true }),
  );
}

const belowCell = ({ belowZero, simulations }: Standing): Cell => ({
  text: `${count(belowZero)} of ${count(simulations)}`,
  value: belowZero / simulations,
});

function differenceSection({ differences }: ArenaResult): Markup | null {
  if (differences.length === 0) return null;
  const heads = [
    { title: 'World', isText: true },
    { title: 'Strategy', isText: true },
    { title: 'Against', isText: true },
    { title: 'Edge more', explains: 'mean of the differences seed by seed ± their standard error' },
    { title: 'In errors', explains: 'below 2 it may well be chance' },
    { title: 'Better', explains: 'seeds with more edge' },
  ];
  const rows = differences.map(({ world, strategy, against, edge, better, simulations }) => {
    const errors = edge.standardError === null || edge.standardError === 0 ? null : edge.mean / edge.standardError;
    return {
      id: `${world} ${strategy} ${against}`,
      cells: [
        { text: world },
        { text: shorten(strategy, 60) },
        { text: shorten(against, 60) },
        meanCell(edge, true),
        { text: errors === null ? UNKNOWN : decimal(errors, 1), value: errors },
        { text: `${count(better)} of ${count(simulations)}`, value: better / simulations },
      ],
    };
  });
  const lead = 'Every strategy meets the same luck in a seed, so what all met alike falls out of the difference.';
  return section(
    'differences',
    'Differences on the same seeds',
    lead,
    dataTable(heads, rows, { caption: 'Paired differences', sorts: true }),
  );
}

function distributionSection(result: ArenaResult): Markup {
  const charts = result.worlds.map((world) => {
    const rows = result.standings
      .filter((standing) => standing.world === world.name)
      .map((standing) => ({ standing, edges: listSimulations(result, standing).map(({ edge }) => edge) }));
    const conditions = conditionsText(world, result.conditions);
    return html`<div class="chart"><h3>${world.name} <span>${conditions === '' ? world.summary : conditions}</span></h3>${edgeChart(world.name, rows)}</div>`;
  });
  const thinned = result.seeds > MOST_POINTS ? ` Of each strategy ${count(MOST_POINTS)} are drawn, evenly.` : '';
  const lead = `A line is one simulation; the dot is the mean, its bar two standard errors to each side.${thinned}`;
  return section('distribution', 'Edge, seed by seed', lead, charts);
}

const listSimulations = (result: ArenaResult, { world, strategy }: Standing): readonly NamedSimulation[] =>
  result.simulations.filter((simulation) => simulation.world === world && simulation.strategy === strategy);

function worstSection(result: ArenaResult): Markup {
  const heads = [
    { title: 'World', isText: true },
    { title: 'Strategy', isText: true },
    { title: 'Seed' },
    { title: 'Edge' },
    { title: 'Uninformed' },
    { title: 'Informed' },
    { title: 'Fills' },
    { title: 'Result' },
    { title: 'Run it again', isText: true },
  ];
  const worst = result.standings.flatMap((standing) =>
    [...listSimulations(result, standing)].sort((a, b) => a.edge - b.edge || a.seed - b.seed).slice(0, WORST_SHOWN),
  );
  const money = (value: number): Cell => ({ text: decimal(value, 2), value, class: tone(value) });
  const rows = worst.map((simulation) => ({
    id: `${simulation.world} ${simulation.strategy} ${simulation.seed}`,
    cells: [
      { text: simulation.world },
      { text: shorten(simulation.strategy, 60) },
      { text: String(simulation.seed), value: simulation.seed },
      money(simulation.edge),
      money(simulation.uninformedEdge),
      money(simulation.informedEdge),
      { text: count(simulation.fills), value: simulation.fills },
      money(simulation.result),
      { text: html`<code>${shorten(rerunCommand(result, simulation), 300)}</code>` },
    ],
  }));
  const lead = `The ${WORST_SHOWN} of each strategy with the least edge, for whoever wants to know why.`;
  return section('worst', 'Worst seeds', lead, dataTable(heads, rows, { caption: 'Worst seeds', sorts: true }));
}

function assumptionSection({ worlds, strategies, conditions, firstSeed, seeds }: ArenaResult): Markup {
  const rows: readonly (readonly [string, string | Markup])[] = [
    ...worlds.map((world): readonly [string, string] => {
      const text = conditionsText(world, conditions);
      return [world.name, `${world.summary}${text === '' ? '' : `; ${text}`}`];
    }),
    ...strategies.map(({ name, file, module, params, configHash }): readonly [string, Markup] => [
      shorten(name, 60),
      html`${shorten(module, 200)} of ${shorten(file, 200)}, ${shorten(JSON.stringify(params), 1_000)}<br><code>${configHash}</code>`,
    ]),
    ['Seeds', `${firstSeed} to ${firstSeed + seeds - 1}, the same for every strategy`],
    ['Amounts', 'currency; prices and shares as in params are millionths'],
  ];
  const list = html`<dl class="assume">${rows.map(([name, text]) => html`<dt>${name}</dt><dd>${text}</dd>`)}</dl>`;
  return section('assumptions', 'What was run', 'The same command gives the same figures.', list);
}
