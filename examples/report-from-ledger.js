/**
 * A report from a trader's ledger: the HTML page of `twinbook pnl --report`, and single figures of it. It may be run beside
 * the trader; the ledger is only read. Without a recording, figures that need middle prices say that they are not known.
 *
 *     node examples/report-from-ledger.js data/twinbook.sqlite report.html     # after a while of `npm start`
 */
import { writeFileSync } from 'node:fs';
import { analyse, reportHtml, sessionOfLedger, summaryTable } from 'twinbook/report';

const [ledger = 'data/twinbook.sqlite', page = 'report.html'] = process.argv.slice(2);
const session = sessionOfLedger(ledger, { title: 'my report' });
const analysis = analyse(session);
writeFileSync(page, reportHtml({ sessions: [session] }, [analysis]));

console.log(summaryTable([analysis]));
for (const { title, fills } of session.markets) console.log(`${title}: ${fills.length} fills`);
console.log(`report: ${page}`);
