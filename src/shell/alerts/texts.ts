/** Cleans texts before they leave: titles of markets come from the exchange, and an error may hold a secret. */

import { secrets } from '../wallet/secrets.js';

export const cleanText = (text: string): string => secrets.clean(text.replaceAll(/(?!\n)\p{C}/gu, '?'));
