/** Controls under `/paper/` for tests and operators. Controls refuse calls from other machines and from web pages. */

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Micros } from '../../shared/base/micros.js';
import { marketConfig, orderbookConfig, outcome } from '../../shared/protocol/records.js';
import { CATEGORIES, MARKET_STATES } from '../../shared/protocol/states.js';
import { decimalText, money, parseBySchema, rate, text, ungiven } from '../../shared/protocol/wire.js';
import { invalid, type MarketSpec, mapResult, ok, type Result, refuse } from '../core/contract.js';
import { delaysInForce } from '../core/core-context.js';
import { detailRow } from '../core/records/market-rows.js';
import { type Answer, faultAnswer, successText } from '../service/answers.js';
import { Authenticator, reportOn, type signedRequestReport } from './authentication.js';
import { type FaultContext, type Faults, faultsBody, MAX_S } from './faults.js';
import { readBody, readSignedParts, routeUrl, type ServerOptions, send } from './messages.js';

interface FaultControlCall<B> extends FaultContext {
  readonly params: Readonly<Record<string, string>>;
  readonly body: B;
  readonly report: () => z.output<typeof signedRequestReport>;
  readonly advanceClock: (ms: number) => number;
}

/** One control: its method, path, body and action. The action's result is the answer's `data`. */
export interface FaultControl {
  readonly method: 'GET' | 'POST';
  readonly path: `/paper/${string}/`;
  readonly body: z.ZodObject | null;
  readonly run: (call: FaultControlCall<unknown>) => Result<unknown>;
}

function control<B extends z.ZodObject>(
  path: FaultControl['path'],
  body: B,
  run: (call: FaultControlCall<z.output<B>>) => Result<unknown>,
): FaultControl {
  // The cast is right: the server has parsed the control's body by this schema.
  return { method: 'POST', path, body, run: (call) => run(call as FaultControlCall<z.output<B>>) };
}

/** A control whose body is not parsed. */
const bare = (method: FaultControl['method'], path: FaultControl['path'], run: FaultControl['run']) =>
  ({ method, path, body: null, run }) satisfies FaultControl;

const bookConfig = orderbookConfig.partial().extend({
  kind: z.literal('orderbook').default('orderbook'),
  default_slippage_rate: decimalText.optional(),
});

const marginRules = {
  max_leverage_yes: '5',
  max_leverage_no: '5',
  opening_fee: '0.01',
  closing_fee: '0.01',
  annual_fee_rate: '0.1',
} as const;
const MARGIN_DEFAULTS: Readonly<Record<string, object>> = {
  polymarket: { ...marginRules, price_decimals: 2, shares_decimals: 2 },
  hyperliquid: marginRules,
};

const marketBody = z.object({
  config: z.unknown().transform(readConfig).optional(),
  event: z
    .union([text(300), z.object({ title: text(300) }).transform(({ title }) => title)], {
      error: 'The title of the event is required.',
    })
    .optional(),
  condition_id: z
    .string()
    .regex(/^[^\s|,/?#%]{1,128}$/, 'At most 128 characters without blanks, commas, pipes and slashes.')
    .optional(),
  title: text(300).optional(),
  description: text(5000).nullish(),
  logo: text(1000).nullish(),
  category: z.enum(CATEGORIES, { error: `Must be one of: ${CATEGORIES.join(', ')}.` }).optional(),
  sport: text(100).nullish(),
  league: text(100).nullish(),
  margin_enabled: z.boolean().nullish(),
  reference_price: money.nullish(),
  maker_fee: ungiven(rate),
  taker_fee: ungiven(rate),
  yes_outcome_label: text(100).nullish(),
  no_outcome_label: text(100).nullish(),
  outcomes: z.array(outcome).nullish(),
  rules: z.array(text(5000)).max(100).nullish(),
  resolution_date: z.number().int().min(0).max(100_000_000_000).nullish(),
  state: z.enum(MARKET_STATES, { error: `Must be one of: ${MARKET_STATES.join(', ')}.` }).optional(),
});

const stateBody = z.object({
  state: z.enum(MARKET_STATES, { error: `Must be one of: ${MARKET_STATES.join(', ')}.` }).optional(),
  paused: z.boolean().optional(),
  unbacked_collateral: z.boolean().optional(),
});

const resolveBody = z.object({ is_yes: z.boolean().nullable() });
const priceBody = z.object({ price: money });
const clockBody = z.object({ advance_s: z.number().positive().max(MAX_S) });
const depositBody = z.object({ funds: money.refine((value: Micros) => value > 0, 'Must be greater than zero.') });

export const CONTROLS: readonly FaultControl[] = [
  control('/paper/markets/', marketBody, ({ nowMs, body, core }) => {
    const created = core.at(nowMs).markets.create(marketSpec(body));
    return mapResult(created, ({ index }) => detailRow(core.catalog, core.catalog.market(index)));
  }),
  control('/paper/markets/{condition_id}/state/', stateBody, changeState),
  control('/paper/markets/{condition_id}/resolve/', resolveBody, ({ nowMs, params, body, core }) =>
    core.at(nowMs).markets.resolve(params['condition_id'] ?? '', body.is_yes),
  ),
  control('/paper/markets/{condition_id}/reference-price/', priceBody, ({ nowMs, params, body, core }) =>
    core.at(nowMs).margin.setReferencePrice(params['condition_id'] ?? '', body.price),
  ),
  control('/paper/accounts/{wallet}/deposit/', depositBody, ({ nowMs, params, body, core }) =>
    core.at(nowMs).identity.deposit(params['wallet'] ?? '', body.funds),
  ),
  control('/paper/accounts/{wallet}/', z.object({ custodial: z.boolean() }), ({ nowMs, params, body, core }) =>
    core.at(nowMs).identity.setCustodial(params['wallet'] ?? '', body.custodial),
  ),
  bare('GET', '/paper/accounts/{wallet}/', ({ params, core }) => core.identity.fundsOfWallet(params['wallet'] ?? '')),
  control('/paper/signing-service/', z.object({ available: z.boolean() }), ({ nowMs, body, core }) => {
    core.at(nowMs).setSigningAvailable(body.available);
    return ok({ available: body.available });
  }),
  control('/paper/clock/', clockBody, ({ body, advanceClock }) => {
    return ok({ now: Math.floor(advanceClock(Math.round(body.advance_s * 1000)) / 1000) });
  }),
  control('/paper/faults/', faultsBody, (call) => setFaults(call, call.body)),
  bare('GET', '/paper/faults/', (call) => ok(shownFaults(call))),
  // The request's body is not parsed, because the report contains the body as received.
  bare('GET', '/paper/signed-request/', ({ report }) => ok(report())),
  bare('POST', '/paper/signed-request/', ({ report }) => ok(report())),
];

/** Replaces all present faults, and returns the new faults in wire format. */
function setFaults(context: FaultContext, body: z.output<typeof faultsBody>): Result<unknown> {
  const { nowMs, core, faults, hasLimits } = context;
  const { answers = [], limits, landing_ms: landingMs, closing_ms: closingMs, for_s: forS } = body;
  if (limits !== undefined && !hasLimits) return invalid('limits', 'The exchange runs without request limits.');
  const untilMs = forS === undefined ? null : nowMs + Math.round(forS * 1000);
  faults.set(answers, limits ?? {}, untilMs);
  core.at(nowMs).setDelays({ landingMs, closingMs, ...(untilMs === null ? {} : { untilMs }) });
  return ok(shownFaults(context));
}

/** Returns the faults that apply now, in wire format. */
function shownFaults({ nowMs, core, faults }: FaultContext): object {
  const { answers, limits, untilMs } = faults.inForce(nowMs);
  const { landingMs, closingMs } = delaysInForce({ delays: core.delays, nowMs });
  return {
    answers,
    limits: { public: limits.public ?? null, signed: limits.signed ?? null, bootstrap: limits.bootstrap ?? null },
    landing_ms: landingMs ?? null,
    closing_ms: closingMs ?? null,
    until: untilMs === null ? null : Math.ceil(untilMs / 1000),
  };
}

function changeState({ nowMs, core, params, body }: FaultControlCall<z.output<typeof stateBody>>): Result<unknown> {
  const { state, paused, unbacked_collateral: unbacked } = body;
  const id = params['condition_id'] ?? '';
  if (core.catalog.byId(id) === null) return refuse('not_found');
  let changed: Result<unknown> = invalid('state', 'One of state, paused and unbacked_collateral is required.');
  // `state` is applied first: only its change can be refused, and a refused call must not change other fields.
  if (state !== undefined) {
    changed = core.at(nowMs).markets.setState(id, state);
    if (!changed.ok) return changed;
  }
  if (paused !== undefined) changed = core.at(nowMs).markets.setPaused(id, paused);
  if (unbacked !== undefined) changed = core.at(nowMs).markets.setUnbacked(id, unbacked);
  return changed;
}

function readConfig(value: unknown, context: z.core.$RefinementCtx): MarketSpec['config'] {
  const isBook = typeof value !== 'object' || value === null || !('kind' in value) || value.kind === 'orderbook';
  const rules = isBook ? value : { ...MARGIN_DEFAULTS[String(value.kind)], ...value };
  const read = isBook ? parseBySchema(bookConfig, rules) : parseBySchema(marketConfig, rules);
  if (!read.success) {
    for (const issue of read.error.issues)
      context.addIssue({ code: 'custom', path: [...issue.path], message: issue.message });
    return z.NEVER;
  }
  // The rules of a margin market keep their given values. The rules of an order book are parsed into micros.
  const given = Object.entries(rules as object).filter(([name]) => name in read.data);
  return (isBook ? read.data : Object.fromEntries(given)) as MarketSpec['config'];
}

function marketSpec({ outcomes, maker_fee, taker_fee, ...fields }: z.output<typeof marketBody>): MarketSpec {
  const fees = { maker_fee_rate: maker_fee, taker_fee_rate: taker_fee };
  const config = fields.config ?? { kind: 'orderbook' };
  const label = (isYes: boolean) => outcomes?.find((row) => row.is_yes === isYes)?.text;
  return {
    ...fields,
    yes_outcome_label: fields.yes_outcome_label ?? label(true),
    no_outcome_label: fields.no_outcome_label ?? label(false),
    // The cast is safe: the core drops undefined fields.
    config: (config.kind === 'orderbook' ? { ...fees, ...config } : config) as MarketSpec['config'],
  };
}

/** Adds the routes of all controls to the server. */
export function serveControls(server: FastifyInstance, options: ServerOptions, faults: Faults): void {
  const authenticator = new Authenticator(options);
  for (const control of CONTROLS) {
    server.route({
      method: control.method,
      url: routeUrl(control.path),
      config: { scope: 'paper' },
      handler: (request, reply) => {
        const answer = serve(control, request, options, { authenticator, faults });
        // The control may have moved the clock, so the `Date` header is set again.
        reply.header('date', new Date(options.clock.nowMs()).toUTCString());
        send(reply, answer);
      },
    });
  }
}

function serve(
  control: FaultControl,
  request: FastifyRequest,
  { core, settle, advanceClock, rateLimits: hasLimits }: ServerOptions,
  { authenticator, faults }: { readonly authenticator: Authenticator; readonly faults: Faults },
): Answer {
  if (!LOOPBACK.test(request.ip)) return faultAnswer({ slug: 'not_found' });
  if (isFromPage(request)) return faultAnswer({ slug: 'permission_denied' });
  const body = control.body === null ? null : readBody(request, control.body);
  if (body !== null && !body.ok) return faultAnswer(body.fault);
  // The cast is right: all path parameters of the router are strings.
  const params = request.params as Readonly<Record<string, string>>;
  const nowMs = settle();
  const report = () => reportOn(readSignedParts(request), authenticator);
  const done = control.run({ nowMs, params, body: body?.value ?? null, core, advanceClock, report, faults, hasLimits });
  return done.ok ? { status: 200, text: successText(done.value, {}) } : faultAnswer(done.fault);
}

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;

/** True for a request from a web page: browsers send `Origin` or `Sec-Fetch-Site` with such a request. */
const isFromPage = ({ headers }: FastifyRequest): boolean =>
  headers.origin !== undefined || (headers['sec-fetch-site'] ?? 'none') !== 'none';
