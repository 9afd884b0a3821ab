/** The trader's state, kept from one observation to the next. */

import type { Executor } from '../executor/executor.js';
import type { Ledger } from '../ledger/contract.js';
import { Reconciler } from '../reconcile/reconciler.js';
import { Safety } from './control/safety.js';
import { Feeds } from './feeds.js';
import { Markets } from './markets.js';
import { Notices } from './notices.js';
import { Account } from './own/account.js';
import { Requests } from './requests.js';
import { Selection } from './selection.js';
import type { TraderSettings } from './settings.js';
import { StepClock } from './venue-clock.js';

/** The objects that hold the trader's state. */
export class TraderState {
  settings: TraderSettings;
  readonly ledger: Ledger;
  readonly executor: Executor;
  readonly reconciler: Reconciler;
  readonly clock = new StepClock();
  readonly notices: Notices;
  readonly markets: Markets;
  readonly account: Account;
  readonly safety: Safety;
  readonly requests: Requests;
  readonly feeds: Feeds;
  readonly selection = new Selection();

  constructor(settings: TraderSettings, ledger: Ledger, executor: Executor) {
    this.settings = settings;
    this.ledger = ledger;
    this.executor = executor;
    this.reconciler = new Reconciler(ledger, executor, settings.profile.own_trades);
    this.notices = new Notices(ledger);
    this.markets = new Markets(settings, ledger);
    this.account = new Account(ledger, executor, this.markets, settings.events);
    this.safety = new Safety(this, settings.risk);
    this.requests = new Requests(this, settings, ledger, executor);
    this.feeds = new Feeds(settings.feeds ?? []);
  }
}
