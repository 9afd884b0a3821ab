/** In every test file: fails the test during which an exchange gave an answer that the OpenAPI document does not allow. */

import { afterAll, afterEach } from 'vitest';
import { takeViolations } from './watch.js';

function report(): void {
  const violations = takeViolations();
  if (violations.length > 0)
    throw new Error(`answers that the OpenAPI document does not allow:\n${violations.join('\n')}`);
}

afterEach(report);
// Answers outside of any test: while a file sets up or tears down.
afterAll(report);
