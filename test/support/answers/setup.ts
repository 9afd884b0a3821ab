/** In every test file: fails a test during which an exchange gave an answer against the OpenAPI document. */

import { afterAll, afterEach } from 'vitest';
import { takeViolations } from './watch.js';

function report(): void {
  const violations = takeViolations();
  if (violations.length > 0)
    throw new Error(`answers that the OpenAPI document does not allow:\n${violations.join('\n')}`);
}

afterEach(report);
// Answers outside any test, during a file's setup or teardown.
afterAll(report);
