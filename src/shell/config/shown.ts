/** Formats a configuration with the setting names and units of its files, and compares two configurations. */

import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { formatDecimal, micros } from '../../shared/base/micros.js';
import { limitChanges, type RiskLimits } from '../../trader/risk/limits.js';
import type { LiveClass, ParamSpec, ParamValue, ParamValues, Strategy } from '../../trader/strategy/contract.js';
import type { Config, ReadConfig, ReadStrategy } from './config.js';
import { liveClass, traderSchema } from './schema.js';

type Shown = Readonly<Record<string, unknown>>;

const SECRET = /secret|passphrase|password|private|token/i;

/** Returns a configuration with setting names as in its files, money as decimal strings, and secrets as stars. */
export function shownConfig(config: Config | ReadConfig, hide: Hide = (_, shown) => shown): Shown {
  const { texts: _texts, ...rest } = config;
  return shownObject({ ...rest, strategies: config.strategies.map(spellStrategy) }, hide);
}

/** Returns what replaces a value that may be secret. `shown`: the value with stars. */
type Hide = (value: unknown, shown: string) => unknown;

/** A value that may be secret: two are compared by their values, and written with stars. */
class Hidden {
  readonly value: unknown;
  readonly shown: string;

  constructor(value: unknown, shown: string) {
    this.value = value;
    this.shown = shown;
  }

  toJSON(): string {
    return this.shown;
  }
}

const hidden: Hide = (value, shown) => new Hidden(value, shown);

/** Returns a strategy's settings. If the strategy's code is not loaded, `params` are those of its file. */
function spellStrategy(strategy: ReadStrategy) {
  const { module, moduleKey: _key, moduleName, params, writtenParams, quoteHours, ...rest } = strategy;
  const shown = module === null ? writtenParams : shownParams(module, params);
  return { ...rest, strategy: moduleName, quote_hours: quoteHours, params: shown };
}

/** Returns parameters in the format of a strategy file, with share amounts as decimal strings. */
export const shownParams = ({ params: specs }: Pick<Strategy, 'params'>, params: ParamValues) =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [name, shownParam(specs[name], value)]));

/** Converts a parameter's share amounts from micros to decimal strings, also in each row of a list. */
function shownParam(spec: ParamSpec | undefined, value: ParamValue): unknown {
  if (spec?.kind === 'shares' && typeof value === 'number') return formatDecimal(micros(value));
  if (spec?.kind !== 'rows' || typeof value !== 'object') return value;
  return value.map((row) => shownParams({ params: spec.fields }, row));
}

/** The cast is safe: `shownValue` returns a plain object for a plain object. */
const shownObject = (value: object, hide: Hide): Shown => shownValue('', value, hide) as Shown;

function shownValue(name: string, value: unknown, hide: Hide): unknown {
  if (SECRET.test(name) && value !== null) return hide(value, '********');
  if (typeof value === 'number') return inSettingUnit(name, value);
  if (typeof value === 'string') return USER_INFO.test(value) ? hide(value, withoutUserInfo(value)) : value;
  if (Array.isArray(value)) return value.map((item: unknown) => shownValue('', item, hide));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [settingName(key), shownValue(key, one, hide)]));
}

/** Fields in ms whose settings are in seconds. */
const IN_SECONDS: readonly string[] = ['cancelAllWithinMs', 'leaseMs', 'maxAgeMs'];

/** Converts a field's number to the unit of its setting: decimal text for money and shares, MB, or seconds. */
export function inSettingUnit(key: string, value: number): number | string {
  if (key.endsWith('Micros')) return formatDecimal(micros(value));
  if (key.endsWith('Bytes')) return value / 1_000_000;
  return IN_SECONDS.includes(key) ? value / 1_000 : value;
}

/** Converts the name of a field to the setting's name in files: `maxLossDayMicros` becomes `max_loss_day`. */
export function settingName(key: string): string {
  const name = IN_SECONDS.includes(key) ? key.replace(/Ms$/, 'S') : key.replace(/Micros$/, '').replace(/Bytes$/, 'Mb');
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Masks user and password of an address. Paths and strategy parameters may contain addresses with a password. */
const withoutUserInfo = (text: string): string => text.replace(USER_INFO, '://********@');
const USER_INFO = /:\/\/[^/@\s]+@/;

interface ConfigChange {
  readonly text: string;
  /** Condition for applying the change: none (`nothing`), a reason from the operator, or a restart. */
  readonly wants: 'nothing' | 'reason' | 'restart';
}

/** Lists the differences of two configurations; empty if a trader would behave the same with both. */
export function configChanges(before: ReadConfig, after: ReadConfig): readonly ConfigChange[] {
  const [then, now] = [shownConfig(before, hidden), shownConfig(after, hidden)];
  const names = [...new Set([...Object.keys(then), ...Object.keys(now)])];
  return [
    ...names
      .filter((name) => !OF_THEIR_OWN.includes(name))
      .flatMap((name) => {
        const wants = liveClass(traderSchema, name) === 'restart' ? 'restart' : 'nothing';
        return leafChanges(name, then[name], now[name]).map((text): ConfigChange => ({ text, wants }));
      }),
    ...capitalChange(before, after),
    ...limitTexts('risk', before.risk, after.risk),
    ...strategyChanges(before, after),
  ];
}

/** Fields that other functions compare (capital, limits, strategies), and fields that are not settings. */
const OF_THEIR_OWN = ['file', 'config_hash', 'capital', 'risk', 'strategies'];

function capitalChange(before: ReadConfig, { capitalMicros: now }: ReadConfig): readonly ConfigChange[] {
  const then = before.capitalMicros;
  if (then === now) return [];
  // In a fleet, more capital needs a restart, because the fleet's database assigns capital only at the start.
  const wants = before.fleet === null ? 'reason' : 'restart';
  return [{ text: `capital: ${formatDecimal(then)} → ${formatDecimal(now)}`, wants: now > then ? wants : 'nothing' }];
}

function limitTexts(name: string, then: RiskLimits, now: RiskLimits, said: readonly string[] = []) {
  return limitChanges(then, now)
    .filter(({ limit }) => !said.includes(limit))
    .map(
      ({ limit, isLooser }): ConfigChange => ({
        text: `${name}.${settingName(limit)}: ${figure(limit, then)} → ${figure(limit, now)} (${isLooser ? 'looser' : 'tighter'})`,
        wants: isLooser ? 'reason' : 'nothing',
      }),
    );
}

function figure(limit: keyof RiskLimits, limits: RiskLimits): string {
  const value = limits[limit];
  // Names that end with `Micros` belong to limits in micros.
  return limit.endsWith('Micros') ? formatDecimal(value as RiskLimits['maxOrderSharesMicros']) : String(value);
}

function strategyChanges(before: ReadConfig, after: ReadConfig): readonly ConfigChange[] {
  const gone = before.strategies.filter(({ name }) => !after.strategies.some((other) => other.name === name));
  const general = limitChanges(before.risk, after.risk).map(({ limit }) => limit);
  const [oldOrder, newOrder] = [order(before, after), order(after, before)];
  return [
    ...(oldOrder === newOrder ? [] : [{ text: `strategies: ${oldOrder} → ${newOrder}`, wants: 'nothing' } as const]),
    ...gone.map(({ name }): ConfigChange => ({ text: `strategy ${name} is removed`, wants: 'nothing' })),
    ...after.strategies.flatMap((strategy): readonly ConfigChange[] => {
      const then = before.strategies.find(({ name }) => name === strategy.name);
      if (then === undefined)
        return [{ text: `strategy ${strategy.name} is added (${strategy.moduleName})`, wants: 'reason' }];
      // A limit that changed for all strategies is listed only once.
      const said = general.filter(
        (limit) => then.risk[limit] === before.risk[limit] && strategy.risk[limit] === after.risk[limit],
      );
      return oneStrategyChanges(then, strategy, said);
    }),
  ];
}

/** Returns the names of the strategies that both configurations have, in the order of the first. */
const order = ({ strategies }: ReadConfig, other: ReadConfig): string =>
  strategies.flatMap(({ name }) => (other.strategies.some((one) => one.name === name) ? name : [])).join(', ');

function oneStrategyChanges(then: ReadStrategy, now: ReadStrategy, said: readonly string[]): readonly ConfigChange[] {
  const name = `strategy ${now.name}`;
  const other =
    then.moduleName === now.moduleName ? 'its code has changed' : `its module: ${then.moduleName} → ${now.moduleName}`;
  const code: ConfigChange[] = then.moduleKey === now.moduleKey ? [] : [{ text: `${name}: ${other}`, wants: 'reason' }];
  // The code defines units and defaults of parameters. Without loaded code, the files' parameters are compared.
  const isWritten = then.module === null || now.module === null;
  const [shownThen, shownNow] = [then, now].map((one) =>
    shownObject(spellStrategy(isWritten ? { ...one, module: null } : one), hidden),
  );
  const leaves = ['params', 'markets', 'quote_hours'].flatMap((part) =>
    leafChanges(part, shownThen?.[part], shownNow?.[part]).map((text) =>
      part === 'params' ? withClass(text, now) : text,
    ),
  );
  return [
    ...code,
    ...leaves.map((text): ConfigChange => ({ text: `${name}: ${text}`, wants: 'nothing' })),
    ...limitTexts(`${name}: risk`, then.risk, now.risk, said),
  ];
}

/** Appends how a running trader applies the changed parameter, if the strategy's module declares it. */
function withClass(text: string, { module }: ReadStrategy): string {
  const [, name = ''] = /^params\.([^.:]+)/.exec(text) ?? [];
  const live = module?.params[name]?.live;
  return live === undefined ? text : `${text} [${LIVE_TEXTS[live]}]`;
}

const LIVE_TEXTS: Readonly<Record<LiveClass, string>> = {
  now: 'now: applied without a restart of strategies',
  requote: 'requote: resting orders are canceled and placed again',
  restart: 'restart: strategies restart from their saved state',
};

function leafChanges(name: string, then: unknown, now: unknown): readonly string[] {
  if (isDeepStrictEqual(then, now)) return [];
  if (isGroup(then) && isGroup(now)) {
    return [...new Set([...Object.keys(then), ...Object.keys(now)])].flatMap((key) =>
      leafChanges(`${name}.${key}`, then[key], now[key]),
    );
  }
  return [`${name}: ${valueText(then)} → ${valueText(now)}`];
}

const isGroup = (value: unknown): value is Shown =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Hidden);

const MOST_SHOWN = 80;

function valueText(value: unknown): string {
  if (value === undefined) return 'absent';
  // As JSON, a hidden value consists of its stars.
  const plain: unknown = JSON.parse(JSON.stringify(value));
  const text = typeof plain === 'string' ? plain : canonicalJson(plain);
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}

/** Returns the SHA-256 of the settings and code that affect decisions, without paths, ports and log settings. */
export function configHash(config: Omit<Config, 'configHash'>, sourceHashes: readonly string[]): string {
  const { exchange, feeds, strategies } = config;
  const { venue, capitalMicros, risk, polling, merge, economics, events, schedule } = config;
  const wholeSections = { venue, capitalMicros, risk, polling, merge, economics, events, schedule };
  const shaping = {
    ...wholeSections,
    exchange:
      exchange === null ? null : { ...exchange, dataDir: null, port: null, marketData: exchange.marketData.length },
    // A feed's source is omitted, as it depends on the machine. An empty `feeds` is omitted to keep old hashes.
    feeds: feeds.length === 0 ? undefined : feeds.map(({ name, maxAgeMs }) => ({ name, maxAgeMs })),
    strategies: strategies.map(({ name, params, markets, quoteHours, risk: limits, module }, index) => ({
      name,
      strategy: module.name,
      source: sourceHashes[index],
      params,
      markets,
      quoteHours,
      risk: limits,
    })),
  };
  return createHash('sha256').update(canonicalJson(shaping)).digest('hex');
}

/** Returns JSON with sorted keys and no blanks, so that equal values give equal text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
    const sorted = entries.sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${sorted.map(([key, inner]) => `${JSON.stringify(key)}:${canonicalJson(inner)}`).join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}
