/** How a strategy declares its parameters: once, with unit, range, default and help. */

import type { Micros } from '../../shared/base/micros.js';

interface Described {
  /** One sentence for tables and error messages. */
  readonly help: string;
}

/** A whole number, written as a YAML number. */
export interface IntegerParam extends Described {
  readonly kind: 'integer';
  /** E.g. `ticks`, `ms`, `s`, `levels`. */
  readonly unit: string;
  readonly min: number;
  readonly max: number;
  readonly default: number;
}

/** A number that is neither money nor shares: a factor, a share of something, a volatility. Written as a YAML number. */
export interface NumberParam extends Described {
  readonly kind: 'number';
  readonly unit: string;
  readonly min: number;
  readonly max: number;
  readonly default: number;
}

/** An amount of shares, written as a decimal string (`"25"`); the strategy gets Micros. */
export interface SharesParam extends Described {
  readonly kind: 'shares';
  readonly min: string;
  readonly max: string;
  readonly default: string;
}

export interface BooleanParam extends Described {
  readonly kind: 'boolean';
  readonly default: boolean;
}

/** One of a few words. */
export interface ChoiceParam<T extends string = string> extends Described {
  readonly kind: 'choice';
  readonly choices: readonly T[];
  readonly default: NoInfer<T>;
}

export type FieldSpec = IntegerParam | NumberParam | SharesParam | BooleanParam | ChoiceParam;
export type FieldSpecs = Readonly<Record<string, FieldSpec>>;

/** A list of records with the same fields, e.g. bands. A field that a row leaves out takes the field's default. */
export interface RowsParam<F extends FieldSpecs = FieldSpecs> extends Described {
  readonly kind: 'rows';
  readonly fields: F;
  readonly minRows: number;
  readonly maxRows: number;
  readonly default: readonly NoInfer<Readonly<{ [K in keyof F]?: unknown }>>[];
}

export type ParamSpec = FieldSpec | RowsParam;
export type ParamSpecs = Readonly<Record<string, ParamSpec>>;

type FieldValueOf<S> = S extends { kind: 'integer' | 'number' }
  ? number
  : S extends { kind: 'shares' }
    ? Micros
    : S extends { kind: 'boolean' }
      ? boolean
      : S extends { kind: 'choice'; choices: readonly (infer T)[] }
        ? T
        : never;

type ValueOf<S> = S extends { kind: 'rows'; fields: infer F }
  ? readonly { readonly [K in keyof F]: FieldValueOf<F[K]> }[]
  : FieldValueOf<S>;

/** The typed values that `create` receives for these declarations. */
export type ParamsOf<S extends ParamSpecs> = { readonly [K in keyof S]: ValueOf<S[K]> };

export type FieldValue = number | boolean | string;
export type ParamValue = FieldValue | readonly Readonly<Record<string, FieldValue>>[];
export type ParamValues = Readonly<Record<string, ParamValue>>;
