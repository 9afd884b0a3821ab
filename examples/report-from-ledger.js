/**
 * A report from a trader's ledger: the HTML page of `twinbook pnl --report`, and some of its figures. The program only reads
 * the ledger, so it may run beside the trader. Without a recording, figures that need mid prices are shown as unknown.
 *
 *     node examples/report-from-ledger.js data/twinbook.sqlite report.html     # after `npm start` has run for a while
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
