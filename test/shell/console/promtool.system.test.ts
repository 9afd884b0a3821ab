/** The exporter, the alert rules and the dashboard's expressions, checked by Prometheus' own tool, if installed. */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { packageRoot } from '../../../src/shell/config/shipped.js';
import { renderMetrics } from '../../../src/shell/console/metrics.js';
import { folderOf } from '../../support/folders.js';
import { facts, market, toldTrader } from './state-of-markets.js';

const isMissing = spawnSync('promtool', ['--version']).error !== undefined;
const RULES = join(packageRoot, 'config/prometheus/twinbook.rules.yml');

function promtool(args: readonly string[], input = '') {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' });
  return { status, said: stdout + stderr };
}

/** For each alert: series that must fire it after this number of minutes, and series that must not. */
const CASES: Readonly<Record<string, { readonly fires: Inputs; readonly silent: Inputs; readonly minutes?: number }>> =
  {
    TwinbookDown: levels('twinbook_up', 0, 1),
    // No console, one console that is dead, and one of two.
    TwinbookConsoleAbsent: {
      fires: [
        {},
        { 'up{job="twinbook",instance="a"}': '0x60' },
        { 'up{job="twinbook",instance="a"}': '0x60', 'twinbook_up{trader="t",instance="b"}': '1x60' },
      ],
      silent: { 'up{job="twinbook",instance="a"}': '1x60', 'twinbook_up{trader="t"}': '0x60' },
    },
    TwinbookHalted: { fires: modes({ killed: '1x60' }), silent: modes({ killed: '0x60', paused: '1x60' }) },
    TwinbookUnknownOrder: courses('twinbook_orders_unknown', '1x60', '1 1 0 1 1 1 0 1 1 1 1'),
    TwinbookLedgerDiffers: levels('twinbook_reconciliation_differences', 2, 0),
    TwinbookGuardianAbsent: levels('twinbook_guardian_watching', 0, 1),
    TwinbookSigningRefused: counts('signing_refused', 'command'),
    TwinbookForeignOrder: counts('signed_elsewhere', 'command'),
    TwinbookDiskLow: levels('twinbook_disk_free_bytes', 5e8, 5e9),
    TwinbookLossUsed: {
      fires: labelled('limit_used_ratio', 'limit', { max_loss_day: '0.81x60' }),
      silent: labelled('limit_used_ratio', 'limit', { max_loss_day: '0.79x60', max_open_orders: '1x60' }),
    },
    TwinbookNotQuoting: {
      fires: { ...markets({ quoting: '0x60' }), ...modes({ quoting: '1x60' }) },
      silent: [
        { ...markets({ quoting: '0x60' }), ...modes({ quoting: '0x60' }) },
        { ...markets({ quoting: '0x60', outside_hours: '2x60' }), ...modes({ quoting: '1x60' }) },
      ],
      minutes: 15,
    },
    TwinbookVenueSilent: levels('twinbook_venue_silent', 1, 0),
    TwinbookThrottled: levels('twinbook_throttled', 1, 0),
    TwinbookBudgetStarved: {
      fires: { 'twinbook_budget_remaining{trader="t"}': '10x60', 'twinbook_budget_limit{trader="t"}': '300x60' },
      silent: { 'twinbook_budget_remaining{trader="t"}': '20x60', 'twinbook_budget_limit{trader="t"}': '300x60' },
    },
    TwinbookClockSkew: levels('twinbook_venue_clock_offset_seconds', -3, -1),
    TwinbookBookStale: {
      fires: labelled('market_book_timestamp_seconds', 'market', { a: '0x60' }),
      silent: [
        labelled('market_book_timestamp_seconds', 'market', { a: '0x60', b: '0+60x60' }),
        afterStop('twinbook_market_book_timestamp_seconds'),
      ],
    },
    // Times: a fixed one, and one that advances.
    TwinbookReconciledOld: { ...aged('twinbook_reconciled_timestamp_seconds'), minutes: 15 },
    TwinbookStrategyFailed: counts('strategy_failed', 'command'),
    TwinbookBackupOld: { ...aged('twinbook_backup_timestamp_seconds'), minutes: 14 * 60 },
    TwinbookBackupFailed: levels('twinbook_backup_failing', 1, 0),
    TwinbookJournalEnded: levels('twinbook_journal_writing', 0, 1),
    TwinbookLoginRefused: courses('twinbook_logins_refused_total', '0 0 0 0 1 2 3 4 4 4 4', '4 4 4 4 4 5 6 6 6 6 6'),
    TwinbookReaderCut: courses('twinbook_telemetry_readers_cut_total', '0 0 0 0 0 0 1 1 1 1 1', '1x60'),
    TwinbookWalGrowing: {
      fires: labelled('ledger_size_bytes', 'file', { wal: '65000000x60' }),
      silent: labelled('ledger_size_bytes', 'file', { main: '65000000x60' }),
      minutes: 15,
    },
    TwinbookNotificationsFailing: {
      fires: [
        labelled('notifications_total', 'result', { failed: '0x4 1x4 2x4 3x4 4x4 5x4 6x4 7x4 8x4 9x4' }),
        labelled('notifications_total', 'result', { failed: '0x19 1x40', lost: '0x19 1x40' }),
      ],
      silent: labelled('notifications_total', 'result', { delivered: '0+1x60', failed: '0x19 1x40' }),
      minutes: 45,
    },
    TwinbookTelemetrySlowed: { ...levels('twinbook_telemetry_brake_level', 2, 0), minutes: 15 },
  };

type Series = Readonly<Record<string, string>>;
type Inputs = Series | Series[];

/** Series of one name with different values of one label. */
function labelled(name: string, label: string, values: Series): Series {
  const rows = Object.entries(values).map(([value, course]) => [
    `twinbook_${name}{trader="t",${label}="${value}"}`,
    course,
  ]);
  return Object.fromEntries(rows);
}

function modes(values: Series): Series {
  return labelled('mode', 'mode', values);
}

function markets(values: Series): Series {
  return labelled('markets', 'state', values);
}

function courses(name: string, bad: string, good: string) {
  return { fires: { [`${name}{trader="t"}`]: bad }, silent: { [`${name}{trader="t"}`]: good } };
}

/** A time that no longer advances after a proven stop. */
function afterStop(name: string) {
  return { [`${name}{trader="t"}`]: '0x900', 'twinbook_mode{trader="t",mode="stopped"}': '1x900' };
}

/** Before the time exists, the start of the trader counts. */
function aged(name: string) {
  const own = courses(name, '0x900', '0+60x900');
  const start = courses('twinbook_start_time_seconds', '0x900', '0+60x900');
  const afterStops = [name, 'twinbook_start_time_seconds'].map(afterStop);
  return { fires: [own.fires, start.fires], silent: [{ ...start.fires, ...own.silent }, start.silent, ...afterStops] };
}

function levels(name: string, bad: number, good: number) {
  return courses(name, `${bad}x60`, `${good}x60`);
}

function counts(kind: string, other: string) {
  const series = (of: string) => ({ [`twinbook_events_total{trader="t",kind="${of}"}`]: '0 0 0 0 0 0 1 1 1 1 1' });
  return { fires: series(kind), silent: series(other) };
}

describe.skipIf(isMissing)('Prometheus’ own checker (promtool)', () => {
  test('takes what is exported', () => {
    const trader = toldTrader([market('m', 'Will "it"?'), market('n')]);
    const text = renderMetrics(facts({ trader, eventCount: () => 3 }));
    expect(promtool(['check', 'metrics'], text)).toEqual({ status: 0, said: '' });
  });

  test('lets each rule fire when it must, and no other time', () => {
    const { groups } = parse(readFileSync(RULES, 'utf8')) as { groups: { rules: { alert: string }[] }[] };
    const alerts = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
    expect(Object.keys(CASES).toSorted()).toEqual(alerts.toSorted());
    // Queries the alert as a series, so that its text is not repeated.
    const firing = (alert: string, minutes: number, samples: number) => ({
      expr: `count(ALERTS{alertname="${alert}",alertstate="firing"})`,
      eval_time: `${minutes}m`,
      exp_samples: samples === 0 ? [] : [{ labels: '{}', value: samples }],
    });
    const tests = Object.entries(CASES).flatMap(([alert, { fires, silent, minutes = 10 }]) =>
      [fires, silent].flatMap((cases, i) =>
        [cases].flat().map((series) => ({
          interval: '1m',
          input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
          promql_expr_test: [firing(alert, minutes, 1 - i)],
        })),
      ),
    );
    const folder = folderOf({ 'tests.yml': stringify({ rule_files: [RULES], evaluation_interval: '1m', tests }) });
    expect(promtool(['test', 'rules', join(folder, 'tests.yml')])).toMatchObject({ status: 0 });
  });

  test('can read every expression of the dashboard', () => {
    const { panels } = JSON.parse(readFileSync(join(packageRoot, 'config/grafana/twinbook.json'), 'utf8')) as {
      panels: { targets?: { expr: string }[] }[];
    };
    const rules = panels
      .flatMap(({ targets = [] }) => targets)
      .map(({ expr }, i) => ({ record: `panel:${i}`, expr: expr.replaceAll(/\$\w+/g, 'x') }));
    const folder = folderOf({ 'panels.yml': stringify({ groups: [{ name: 'panels', rules }] }) });
    expect(promtool(['check', 'rules', join(folder, 'panels.yml')])).toMatchObject({ status: 0 });
  });
});
