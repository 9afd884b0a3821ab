/** Exported metrics and their documents: each document, alert rule and dashboard names only existing metrics. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { OUTSIDE_HOURS } from '../../../src/shared/protocol/trader-status.js';
import { packageRoot } from '../../../src/shell/config/shipped.js';
import { METRICS, renderMetrics } from '../../../src/shell/console/metrics.js';
import { ACCOUNT, facts, market, toldTrader } from './state-of-markets.js';

const linesOf = (text: string, name: string): readonly string[] =>
  text.split('\n').filter((line) => line.startsWith(`${name}{`));

describe('metrics', () => {
  test('say every declared figure, each under its one heading', () => {
    const text = renderMetrics(facts());
    const declared = Object.keys(METRICS).filter((name) => !name.startsWith('twinbook_feed_'));
    const headed = [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name);
    expect(headed.toSorted()).toEqual(
      declared.filter((name) => name !== 'twinbook_market_queue_ahead_shares').toSorted(),
    );
  });

  test('are in whole currency, shares and seconds', () => {
    const text = renderMetrics(facts());
    for (const line of [
      'twinbook_cash_currency{trader="paper"} 990',
      'twinbook_told_timestamp_seconds{trader="paper"} 5',
      'twinbook_limit_used_ratio{trader="paper",limit="max_loss_day"} 0.2',
      'twinbook_market_position_shares{trader="paper",market="m"} 3',
      'twinbook_market_quote_price{trader="paper",market="m",side="bid"} 0.59',
      'twinbook_market_quote_shares{trader="paper",market="m",side="bid"} 20',
      'twinbook_mode{trader="paper",mode="quoting"} 1',
      'twinbook_mode{trader="paper",mode="killed"} 0',
    ])
      expect(text.split('\n')).toContain(line);
  });

  test('tell markets outside their quote hours from markets that wait', () => {
    const idle = (id: string, note: string) => ({ ...market(id), orders: [], note });
    const markets = [market('m'), idle('n', OUTSIDE_HOURS), idle('o', 'the book has not been read yet'), idle('p', '')];
    expect(linesOf(renderMetrics(facts({ trader: toldTrader(markets) })), 'twinbook_markets')).toEqual([
      'twinbook_markets{trader="paper",state="quoting"} 1',
      'twinbook_markets{trader="paper",state="outside_hours"} 1',
      'twinbook_markets{trader="paper",state="waiting"} 2',
    ]);
  });

  test('count histograms upwards', () => {
    const buckets = linesOf(renderMetrics(facts()), 'twinbook_request_duration_seconds_bucket');
    expect(buckets.map((line) => Number(line.split(' ').at(-1)))).toEqual([0, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 5]);
    expect(buckets.at(-1)).toContain('le="+Inf"');
  });

  test('leave out what is not known', () => {
    const trader = toldTrader([], { ...ACCOUNT, equityMicros: null, reconciled: null });
    const text = renderMetrics(facts({ trader, isGuarded: null, eventCount: () => null }));
    for (const name of ['equity_currency', 'reconciled_timestamp_seconds', 'guardian_watching', 'events_total'])
      expect(text).not.toContain(`twinbook_${name}`);
  });

  test('let no title of the exchange end its line or its quotes', () => {
    const title = 'a"} 1\ntwinbook_up{trader="paper"} 1 \\';
    const text = renderMetrics(facts({ trader: toldTrader([market('m', title)]) }));
    expect(linesOf(text, 'twinbook_market_info')).toEqual([
      'twinbook_market_info{trader="paper",market="m",title="a\\"} 1 twinbook_up{trader=\\"paper\\"} 1 \\\\",strategy="maker"} 1',
    ]);
  });

  test('say what runs beside trading, where the trader tells it', () => {
    const upkeep = { backupFailed: { at: 2_000, why: 'no room' }, journalEnded: 'no room', hasJournal: true };
    const text = renderMetrics(facts({ trader: toldTrader([], { ...ACCOUNT, upkeep }) }));
    expect(linesOf(text, 'twinbook_backup_failing')).toEqual(['twinbook_backup_failing{trader="paper"} 1']);
    expect(linesOf(text, 'twinbook_journal_writing')).toEqual(['twinbook_journal_writing{trader="paper"} 0']);
    expect(renderMetrics(facts({ refusedLogins: null }))).not.toContain('twinbook_logins_refused_total');
  });

  test('are bounded, however many markets there are', () => {
    const markets = Array.from({ length: 1_000 }, (_, i) => market(`market-${i}`));
    const series = (text: string) => text.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length;
    const few = series(renderMetrics(facts({ trader: toldTrader(markets.slice(0, 100)) })));
    expect(few).toBeLessThan(650 + 14 * 100);
    expect(series(renderMetrics(facts({ trader: toldTrader(markets) })))).toBe(few);
  });
});

const read = (path: string): string => readFileSync(join(packageRoot, path), 'utf8');
const guide = read('docs/monitoring.md');
const headings = [...guide.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => title.toLowerCase().replaceAll(' ', '-'));

/** Names of metrics in an expression, with a histogram's own name. */
const namesIn = (expr: string): readonly string[] =>
  (expr.match(/twinbook_\w+/g) ?? []).map((name) => name.replace(/_(?:bucket|sum|count)$/, ''));

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly description?: string;
  readonly fieldConfig?: { readonly defaults: { readonly unit: string } };
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string }[];
}

describe('what is written about metrics', () => {
  test('alarms on declared figures, says them, and leads to a heading', () => {
    const { groups } = parse(read('config/prometheus/twinbook.rules.yml')) as { groups: { rules: Rule[] }[] };
    const rules = groups.flatMap((group) => group.rules);
    expect(rules.length).toBeGreaterThan(15);
    for (const { expr, labels, annotations } of rules) {
      expect(namesIn(expr).length, expr).toBeGreaterThan(0);
      expect(namesIn(expr).filter((name) => !(name in METRICS))).toEqual([]);
      expect(['critical', 'warning']).toContain(labels.severity);
      const [file, heading = ''] = annotations.runbook.split('#');
      expect([file, headings.includes(heading)], annotations.runbook).toEqual(['docs/monitoring.md', true]);
    }
  });

  test('draws declared figures, each panel with unit and words, none over another', () => {
    const { panels } = JSON.parse(read('config/grafana/twinbook.json')) as { panels: Panel[] };
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const taken = new Set<string>();
    for (const { type, description, fieldConfig, gridPos, targets = [] } of panels) {
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(taken.has(`${x} ${y}`)).toBe(false);
          taken.add(`${x} ${y}`);
        }
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      if (type === 'row') continue;
      expect([description, fieldConfig?.defaults.unit]).toEqual([expect.stringMatching(/\.$/), expect.any(String)]);
      expect(targets.flatMap(({ expr }) => namesIn(expr)).filter((name) => !(name in METRICS))).toEqual([]);
      expect(targets.length).toBeGreaterThan(0);
    }
  });
});
