/** Controls under `/paper/` for a test or operator: only when enabled, only for this machine, never for a web page. */

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Micros } from '../../shared/base/micros.js';
import { marketConfig, orderbookConfig, outcome } from '../../shared/protocol/records.js';
import { CATEGORIES, MARKET_STATES } from '../../shared/protocol/states.js';
import { decimalText, money, parseBySchema, text } from '../../shared/protocol/wire.js';
import type { MarketSpec, Result } from '../core/contract.js';
import { detailRow } from '../core/records/market-rows.js';
import { type Answer, badField, faultAnswer, NOT_FOUND, refuse, successText } from '../service/answers.js';
import { Authenticator, reportOn, type SignedRequestReport } from './authentication.js';
import { type FaultContext, type Faults, faultsBody, setFaults, shownFaults } from './faults.js';
import { readBody, readSignedParts, routeUrl, type ServerOptions, send } from './messages.js';

/** A call of a control with its validated body. */
export interface ControlCall<B> extends FaultContext {
  readonly params: Readonly<Record<string, string>>;
  readonly body: B;
  /** The exchange's analysis of this request's signature. */
  readonly report: () => SignedRequestReport;
  /** Moves the exchange's clock and does the due work. Returns the new time, ms. */
  readonly advanceClock: (ms: number) => number;
}

/** One control: its path, body and action. The answer's `data` is the result. */
export interface Control {
  readonly method: 'GET' | 'POST';
  readonly path: `/paper/${string}/`;
  readonly body: z.ZodObject | null;
  readonly run: (call: ControlCall<unknown>) => Result<unknown>;
}

function control<B extends z.ZodObject>(
  path: Control['path'],
  body: B,
  run: (call: ControlCall<z.output<B>>) => Result<unknown>,
): Control {
  // The server passes only bodies parsed by this schema.
  return { method: 'POST', path, body, run: (call) => run(call as ControlCall<z.output<B>>) };
}

/** A year: more is a typing error. */
const MAX_ADVANCE_S = 366 * 86_400;

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
  config: z
    .unknown()
    .transform((value, context) => readConfig(value, context))
    .optional(),
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

const depositBody = z.object({ funds: money.refine((value: Micros) => value > 0, 'Must be greater than zero.') });

const signedRequest = (method: Control['method']): Control => ({
  method,
  path: '/paper/signed-request/',
  // Any body is reported as received.
  body: null,
  run: ({ report }) => ({ ok: true, value: report() }),
});

export const CONTROLS: readonly Control[] = [
  control('/paper/markets/', marketBody, ({ nowMs, body, core }) => {
    const created = core.at(nowMs).markets.create(marketSpec(body));
    return created.ok
      ? { ok: true, value: detailRow(core.catalog, core.catalog.market(created.value.index)) }
      : created;
  }),
  control('/paper/markets/{condition_id}/state/', stateBody, changeState),
  control('/paper/markets/{condition_id}/resolve/', z.object({ is_yes: z.boolean().nullable() }), (call) =>
    changeMarket(call, (id) => call.core.at(call.nowMs).markets.resolve(id, call.body.is_yes)),
  ),
  control('/paper/markets/{condition_id}/reference-price/', z.object({ price: money }), (call) =>
    changeMarket(call, (id) => call.core.at(call.nowMs).margin.setReferencePrice(id, call.body.price)),
  ),
  control('/paper/accounts/{wallet}/deposit/', depositBody, ({ nowMs, params, body, core }) =>
    core.at(nowMs).identity.deposit(params['wallet'] ?? '', body.funds),
  ),
  control('/paper/accounts/{wallet}/', z.object({ custodial: z.boolean() }), ({ nowMs, params, body, core }) =>
    core.at(nowMs).identity.setCustodial(params['wallet'] ?? '', body.custodial),
  ),
  {
    method: 'GET',
    path: '/paper/accounts/{wallet}/',
    body: null,
    run: ({ params, core }) => {
      const funds = core.identity.fundsOfWallet(params['wallet'] ?? '');
      return funds === null ? refuse(NOT_FOUND) : { ok: true, value: funds };
    },
  },
  control('/paper/signing-service/', z.object({ available: z.boolean() }), ({ nowMs, body, core }) => {
    core.at(nowMs).setSigningAvailable(body.available);
    return { ok: true, value: { available: body.available } };
  }),
  control(
    '/paper/clock/',
    z.object({ advance_s: z.number().positive().max(MAX_ADVANCE_S) }),
    ({ body, advanceClock }) => {
      const nowMs = advanceClock(Math.round(body.advance_s * 1000));
      return { ok: true, value: { now: Math.floor(nowMs / 1000) } };
    },
  ),
  control('/paper/faults/', faultsBody, (call) => setFaults(call, call.body)),
  {
    method: 'GET',
    path: '/paper/faults/',
    body: null,
    run: (call) => ({ ok: true, value: shownFaults(call) }),
  },
  signedRequest('GET'),
  signedRequest('POST'),
];

function changeState(call: ControlCall<z.output<typeof stateBody>>): Result<unknown> {
  const { nowMs, core, body } = call;
  return changeMarket(call, (id) => {
    const { state, paused, unbacked_collateral: unbacked } = body;
    let changed: Result<unknown> = refuse(
      badField('state', 'One of state, paused and unbacked_collateral is required.'),
    );
    // First, because only the state can be refused: a refusal has then changed nothing.
    if (state !== undefined) {
      changed = core.at(nowMs).markets.setState(id, state);
      if (!changed.ok) return changed;
    }
    if (paused !== undefined) changed = core.at(nowMs).markets.setPaused(id, paused);
    if (unbacked !== undefined) changed = core.at(nowMs).markets.setUnbacked(id, unbacked);
    return changed;
  });
}

/** Runs `change` for the path's market, or answers `not_found`. */
function changeMarket<B>({ params, core }: ControlCall<B>, change: (id: string) => Result<unknown>): Result<unknown> {
  const id = params['condition_id'] ?? '';
  return core.catalog.findIndex(id) === null ? refuse(NOT_FOUND) : change(id);
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
  // A margin kind's fields are kept unchanged; a book's rules are parsed into micros. Undefined fields count as absent.
  const kept = isBook ? withoutUndefined(read.data) : fieldsOf(read.data, rules as object); // No book: an object, see above.
  return kept as MarketSpec['config'];
}

const fieldsOf = (known: object, given: object) =>
  Object.fromEntries(Object.entries(given).filter(([name]) => name in known));

function marketSpec(body: z.output<typeof marketBody>): MarketSpec {
  const { outcomes, ...fields } = body;
  const label = (isYes: boolean) => outcomes?.find((row) => row.is_yes === isYes)?.text;
  const nullable = { description: body.description, logo: body.logo, resolution_date: body.resolution_date };
  const spec = {
    ...withoutNull({ yes_outcome_label: label(true), no_outcome_label: label(false) }),
    ...withoutNull(fields),
    ...withoutUndefined(nullable),
    config: body.config ?? { kind: 'orderbook' },
  };
  // The body's types without null and undefined, which the spec treats as absent.
  return spec as MarketSpec;
}

const withoutUndefined = (fields: object) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
const withoutNull = (fields: object) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));

/** Adds the routes under `/paper/` to the server. */
export function serveControls(server: FastifyInstance, options: ServerOptions, faults: Faults): void {
  const authenticator = new Authenticator(options.profile);
  for (const control of CONTROLS) {
    server.route({
      method: control.method,
      url: routeUrl(control.path),
      config: { scope: 'paper' },
      handler: (request, reply) => {
        const answer = serve(control, request, options, { authenticator, faults });
        // Again: this call may have moved the clock, and clients read this header.
        reply.header('date', options.clock.dateHeader(options.clock.nowMs()));
        send(reply, answer);
      },
    });
  }
}

function serve(
  control: Control,
  request: FastifyRequest,
  { core, settle, advanceClock, rateLimits: hasLimits }: ServerOptions,
  { authenticator, faults }: { readonly authenticator: Authenticator; readonly faults: Faults },
): Answer {
  if (!LOOPBACK.test(request.ip)) return faultAnswer(NOT_FOUND);
  if (isFromPage(request)) return faultAnswer({ slug: 'permission_denied' });
  const body = control.body === null ? null : readBody(request, control.body);
  if (body !== null && !body.ok) return faultAnswer(body.fault);
  // The router's params are strings by name.
  const params = request.params as Readonly<Record<string, string>>;
  const nowMs = settle();
  const report = () => reportOn(readSignedParts(request), authenticator, core, nowMs);
  const done = control.run({ nowMs, params, body: body?.value ?? null, core, advanceClock, report, faults, hasLimits });
  return done.ok ? { status: 200, text: successText(done.value, {}) } : faultAnswer(done.fault);
}

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;

/** Any web page can reach a loopback port through a browser, which marks such requests with these headers. */
const isFromPage = ({ headers }: FastifyRequest): boolean =>
  headers.origin !== undefined || (headers['sec-fetch-site'] ?? 'none') !== 'none';
