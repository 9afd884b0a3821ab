/** The trader's side of its fleet: messages from the fleet to the core and back, and the end of the membership. */

import { formatDecimal } from '../../../shared/base/decimal.js';
import { TwinbookError } from '../../../shared/base/errors.js';
import { type Micros, ZERO } from '../../../shared/base/micros.js';
import type { FleetCommand } from '../../../shared/protocol/seam.js';
import type { MarketStatus } from '../../../shared/protocol/trader-status.js';
import type { Snapshot } from '../../../trader/engine/snapshot.js';
import type { DraftSigner } from '../../../trader/executor/contract.js';
import type { StoredDraftRow } from '../../../trader/ledger/contract.js';
import { VERSION } from '../../config/version.js';
import type { FleetMember } from '../../fleet/member.js';
import type { TraderSummary } from '../../fleet/owner-desk.js';

/** Time between two checks of the lease: at most a beat of the loop. */
const LOOK_MS = 100;

export interface FleetHooks {
  readonly loop: { command(command: FleetCommand): boolean };
  snapshot(): Snapshot;
  /** The wallet is not ours any more: nothing may be signed, and nothing canceled unless it has no owner. */
  fail(error: TwinbookError): void;
}

export class FleetSession {
  readonly #member: FleetMember;
  readonly #capitalMicros: Micros;
  #hooks: FleetHooks | null = null;
  #timer: NodeJS.Timeout | null = null;
  #told: FleetCommand | null = null;

  constructor(member: FleetMember, capitalMicros: Micros) {
    this.#member = member;
    this.#capitalMicros = capitalMicros;
  }

  /** Before the first step of the core. */
  start(hooks: FleetHooks): void {
    this.#hooks = hooks;
    this.#member.attach({
      summarize: () => summarize(hooks.snapshot()),
      wanted: () => listWanted(hooks.snapshot()),
      onChange: () => this.#look(),
    });
    this.#look();
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
  }

  /** Nothing rests, proven. Capital stays with the wallet where shares are held. */
  async release({ markets }: Pick<Snapshot, 'markets'>): Promise<void> {
    this.#stopLooking();
    await this.#member.release(markets.some(isHeld) ? this.#capitalMicros : ZERO);
  }

  async close(): Promise<void> {
    this.#stopLooking();
    await this.#member.close();
  }

  /** Time during which no other trader can have the wallet, ms. */
  get oursForMs(): number {
    return this.#member.oursForMs;
  }

  #stopLooking(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  #look(): void {
    const hooks = this.#hooks;
    if (hooks === null) return;
    const { standing, markets } = this.#member;
    if (standing === 'lost') {
      this.#hooks = null;
      this.#stopLooking();
      return hooks.fail(explainLoss(this.#member.lease));
    }
    const hold = standing === 'held' ? null : this.#describeTrouble();
    const told = this.#told;
    if (told !== null && (told.hold === null) === (hold === null) && told.markets === markets) return;
    this.#told = { kind: 'fleet', hold, markets };
    hooks.loop.command(this.#told);
  }

  #describeTrouble(): string {
    const { trouble, lease } = this.#member;
    const why = trouble ?? 'no renewal of the lease for too long';
    return `the fleet's lease on the wallet was not renewed for ${lease.rules.pullMs / 1000} s, so everything is pulled until it is (${why})`;
  }
}

/** Why the trader ends: the wallet has another owner, whose orders rest; or it has none, and only we can cancel ours. */
export function explainLoss({ successor, term }: Pick<FleetMember['lease'], 'successor' | 'term'>): TwinbookError {
  if (successor === null || successor.isFree) {
    return new TwinbookError(
      'fleet_unusable',
      `in the fleet nobody has the wallet, after our term ${term}: it was released, or the database has lost it`,
      'Everything is canceled, as nobody else will. `twinbook fleet status` shows who has what.',
    );
  }
  return new TwinbookError(
    'wallet_taken',
    `the wallet is not this trader's any more: in the fleet ${successor.holder} (term ${successor.term}) has it, after our term ${term}`,
    'Nothing is canceled here: what rests is theirs. `twinbook fleet status` shows who has what.',
  );
}

/** The end of a trader whose wallet is another's now. */
export const isTakenOver = (error: unknown): boolean => error instanceof TwinbookError && error.code === 'wallet_taken';

/** Whatever the wallet's signer would sign, but only while the wallet is surely ours; cancels always. */
export const leasedSigner = (
  inner: DraftSigner,
  member: Pick<FleetMember, 'objection' | 'markets'>,
  loadDraft: (intentId: string) => StoredDraftRow | null,
): DraftSigner => ({
  sign: (intentId) => {
    const draft = loadDraft(intentId);
    const action = draft?.terms.action;
    if (draft === null || action === 'cancel-order') return inner.sign(intentId);
    const isForeign = action === 'place-order' && !member.markets.includes(draft.marketConditionId);
    const reason = member.objection() ?? (isForeign ? 'its market is not claimed in the fleet' : null);
    return reason === null ? inner.sign(intentId) : { ok: false, reason, isWithheld: true };
  },
});

const isHeld = ({ yesMicros, noMicros }: MarketStatus): boolean => yesMicros > ZERO || noMicros > ZERO;

/** Null before own data has been read: until then no earlier market is released. */
const listWanted = ({ mode, markets }: Snapshot): readonly string[] | null =>
  mode === 'starting'
    ? null
    : markets
        .filter(
          (market) =>
            (market.strategies.length > 0 && market.leftOutBecause === null) ||
            market.orders.length > 0 ||
            isHeld(market),
        )
        .map(({ conditionId }) => conditionId);

const summarize = (now: Snapshot): TraderSummary => ({
  mode: now.mode,
  reason: now.reason,
  cash: formatDecimal(now.cashMicros),
  equity: now.equityMicros === null ? null : formatDecimal(now.equityMicros),
  result: now.resultMicros === null ? null : formatDecimal(now.resultMicros),
  openOrders: now.openOrders,
  fills: now.fills,
  version: VERSION,
});
