/**
 * What to ask next, within what the venue allows. `RequestQueue` is the one gate through which every request leaves: it
 * counts each scope's budget, goes by lanes and never spends the reserve that can cancel every open order. `PollPlan`
 * decides what to look at: where a stale quote would cost most, and nothing never.
 *
 * This room sends nothing, reads no clock and draws no random number: the same calls give the same requests. It does
 * not retry either; who asked hears of the outcome and decides.
 */
export {};
