/** Limits that never bind: a strategy is measured over every window. */
export const NO_LOSS_LIMITS = { TWINBOOK__RISK__MAX_LOSS_DAY: '1000000', TWINBOOK__RISK__MAX_DRAWDOWN: '1000000' };
