/** Cleans texts before they leave: market titles come from the exchange, and an error may contain a secret. */

import { secrets } from '../wallet/secrets.js';

export const cleanText = (text: string): string => secrets.clean(text.replaceAll(/(?!\n)\p{C}/gu, '?'));
