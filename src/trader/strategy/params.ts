/** Types of parameter declarations: each states unit, range, default and help once. */

import type { Micros } from '../../shared/base/micros.js';

/** Ways to apply a changed parameter, least disruptive first; see `Described.live`. */
export const LIVE_CLASSES = ['now', 'requote', 'restart'] as const;
/** How a running trader applies a new value of a parameter. */
export type LiveClass = (typeof LIVE_CLASSES)[number];

interface Described {
  /**
   * `now`: the quoter receives the new parameters (`Quoter.params`) and keeps its orders. `requote`: likewise, and all
   * resting orders are replaced. `restart`: a new quoter is made from the saved state. Absent: `restart`. A quoter
   * without `params` is always replaced.
   */
  readonly live?: LiveClass;
  /** One sentence for tables and error messages. */
  readonly help: string;
}

interface NumericParam extends Described {
  /** Unit, such as `ticks`, `ms`, `s` or `levels`. */
  readonly unit: string;
  readonly min: number;
  readonly max: number;
  readonly default: number;
}

/** A whole number, written as a YAML number. */
export interface IntegerParam extends NumericParam {
  readonly kind: 'integer';
}

/** A number other than money or shares, such as a factor or a fraction. Written as a YAML number. */
export interface NumberParam extends NumericParam {
  readonly kind: 'number';
}

/** An amount of shares, written as a decimal string (`"25"`); the strategy gets Micros. */
export interface SharesParam extends Described {
  readonly kind: 'shares';
  readonly min: string;
  readonly max: string;
  readonly default: string;
}

/** A boolean, written as `true` or `false`. */
export interface BooleanParam extends Described {
  readonly kind: 'boolean';
  readonly default: boolean;
}

/** One of a list of words. */
export interface ChoiceParam<T extends string = string> extends Described {
  readonly kind: 'choice';
  readonly choices: readonly T[];
  readonly default: NoInfer<T>;
}

/** The name of a feed in the trader's file; `MarketView.feeds` holds its values under this name. */
export interface FeedParam extends Described {
  readonly kind: 'feed';
  /** True: the value may be `""` for no feed. Absent: a name is required. */
  readonly optional?: true;
  readonly default: string;
}

/** Every kind of parameter that holds one value. */
export type FieldSpec = IntegerParam | NumberParam | SharesParam | BooleanParam | ChoiceParam | FeedParam;
/** The fields of a row, or parameters that hold one value each, by name. */
export type FieldSpecs = Readonly<Record<string, FieldSpec>>;

/** A list of records with equal fields, for example bands. A missing field takes its default. */
export interface RowsParam<F extends FieldSpecs = FieldSpecs> extends Described {
  readonly kind: 'rows';
  readonly fields: F;
  readonly minRows: number;
  readonly maxRows: number;
  readonly default: readonly NoInfer<Readonly<{ [K in keyof F]?: unknown }>>[];
}

/** Every kind of parameter: one value, or a list of rows. */
export type ParamSpec = FieldSpec | RowsParam;
/** All parameters of a strategy, by the name under `params:` in its file. */
export type ParamSpecs = Readonly<Record<string, ParamSpec>>;

type FieldValueOf<S> = S extends { kind: 'integer' | 'number' }
  ? number
  : S extends { kind: 'shares' }
    ? Micros
    : S extends { kind: 'boolean' }
      ? boolean
      : S extends { kind: 'choice'; choices: readonly (infer T)[] }
        ? T
        : S extends { kind: 'feed' }
          ? string
          : never;

type ValueOf<S> = S extends { kind: 'rows'; fields: infer F }
  ? readonly { readonly [K in keyof F]: FieldValueOf<F[K]> }[]
  : FieldValueOf<S>;

/** The typed values that `create` receives for these declarations. */
export type ParamsOf<S extends ParamSpecs> = { readonly [K in keyof S]: ValueOf<S[K]> };

/** The parsed value of a field: shares as Micros, others as written. */
export type FieldValue = number | boolean | string;
/** The parsed value of a parameter: one value, or the rows of a list. */
export type ParamValue = FieldValue | readonly Readonly<Record<string, FieldValue>>[];
/** All parsed parameters by name, defaults filled in; frozen. */
export type ParamValues = Readonly<Record<string, ParamValue>>;
