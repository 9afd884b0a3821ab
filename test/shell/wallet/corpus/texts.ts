/** Texts that differ from the intent that they imitate, each as a draft and as the memo of a transaction. */

import { type DraftTerms, type DraftText, writeDraftText } from '../../../../src/shared/protocol/drafts/draft-text.js';
import { challengeText } from '../../../../src/shared/protocol/signing.js';
import type { Draw, Honest, Hostile, OrderTerms } from './draw.js';

type HostileText = Hostile<(honest: Honest<OrderTerms>, draw: Draw) => string>;

const UNREADABLE = /not a readable draft/;

/** A different statement in the correct form. */
const says = (
  name: string,
  because: RegExp,
  change: (honest: Honest<OrderTerms>, draw: Draw) => Partial<DraftText>,
): HostileText => ({
  name,
  because,
  make: (honest, draw) => writeDraftText({ ...honest.draft, ...change(honest, draw) }),
});

const terms = (name: string, because: RegExp, change: (meant: OrderTerms, draw: Draw) => DraftTerms) =>
  says(name, because, ({ draft }, draw) => ({ terms: change(draft.terms, draw) }));

type Change = (text: string, draw: Draw, honest: Honest<OrderTerms>) => string;

/** A form other than a draft's. */
const spelled = (name: string, change: Change, because = UNREADABLE): HostileText => ({
  name,
  because,
  make: (honest, draw) => change(writeDraftText(honest.draft), draw, honest),
});

/** A changed character may leave a readable draft with another meaning. */
const blurred = (name: string, change: Change) => spelled(name, change, /not a readable draft|the draft says/);

/** One of the words, which commas separate. */
const one = (draw: Draw, words: string) => words.split(',')[draw.below(words.split(',').length)] ?? '';

const otherSide = ({ side }: OrderTerms) => (side === 'buy' ? 'sell' : 'buy');

const OTHERS: readonly HostileText[] = [
  says('another market', /^market: the draft says/, ({ draft }, draw) => ({
    marketConditionId: draw.other(draft.marketConditionId, () => draw.pick(`mkt-${draw.below(1_000)}`, draw.key())),
  })),
  says('another draft', /^draft: the draft says/, (_, draw) => ({ draftPubkey: draw.key() })),
  says('another service', /^service: the draft says/, (_, draw) => ({
    serviceName: draw.pick('Worm', 'svc', 'SVC2', 'S V C', 'SVC ', ' SVC', 'SVC.', 'ЅVC'),
  })),
  terms('another price', /^price: the draft says/, (meant, draw) => ({
    ...meant,
    price: draw.other(meant.price, () => draw.price()),
  })),
  terms('another amount', /^amount: the draft says/, (meant, draw) => ({
    ...meant,
    amount: draw.other(meant.amount, () => draw.quantity()),
  })),
  terms('another side', /^side: the draft says/, (meant) => ({ ...meant, side: otherSide(meant) })),
  terms('another outcome', /^isYes: the draft says/, (meant) => ({ ...meant, isYes: !meant.isYes })),
  terms('the mirrored order at the same price', /^isYes: the draft says/, (meant) => ({
    ...meant,
    isYes: !meant.isYes,
    side: otherSide(meant),
  })),
  terms('a market order for a limit order', /^(type|side): the draft says/, ({ isYes, amount }, draw) =>
    draw.chance(0.5)
      ? { action: 'place-order', isYes, side: 'buy', type: 'market', funds: amount }
      : { action: 'place-order', isYes, side: 'sell', type: 'market', amount },
  ),
  terms('another action', /^action: the draft says/, ({ amount }, draw) =>
    draw.pick<DraftTerms>(
      { action: 'merge-shares', amount },
      { action: 'split-shares', amount },
      { action: 'redeem-shares', yes: amount, no: amount },
    ),
  ),
  terms('the cancel of an order', /^action: the draft says cancel-order/, (_, draw) => ({
    action: 'cancel-order',
    orderPubkey: draw.key(),
  })),
  terms('a margin position in place of an order', /^action: the draft says open-margin/, ({ isYes, amount }, draw) => ({
    action: 'open-margin-position',
    isYes,
    type: 'market',
    leverage: draw.quantity(),
    funds: amount,
  })),
  says('the draft of another intent of ours', /the draft says/, (_, draw) => draw.honest(draw.terms()).draft),
];

const CREDENTIAL = /is a credential challenge/;
const CHALLENGES: readonly HostileText[] = [
  {
    name: 'a credential challenge',
    because: CREDENTIAL,
    make: ({ draft }, draw) =>
      challengeText(draw.pick(draft.serviceName, 'Worm'), draw.wallet.address, draw.below(2 ** 30).toString(36)),
  },
  {
    name: 'a draft with a credential challenge in it',
    because: CREDENTIAL,
    make: ({ draft }, draw) => {
      const [text, challenge] = [writeDraftText(draft), challengeText('SVC', draw.wallet.address, 'n0nce')];
      return draw.pick(
        `${text} | ${challenge}`,
        `${challenge}\n${text}`,
        text.replace('SVC', 'create svc api CREDENTIAL'),
      );
    },
  },
];

const INVISIBLE = [...'\u200b\u200c\u200d\u2060\ufeff\u00ad\u202e\u2066\u2069\u061c\u180e'];
const CONTROL = ['\u0000', '\u0007', '\b', '\u001b[2K', '\u007f', '\u0085', '\u009b'];
const BREAKS = ['\n', '\r', '\r\n', '\u2028', '\u2029', '\u000b', '\f'];
const BLANKS = ['\u00a0', '\t', '\u2009', '\u3000', '  ', '\u2002', '\u205f'];
const TAGS = ['\ufe0f', '\u{e0001}', '\u{e0041}', '\u034f', '\u115f', '\u3164'];
/** Letters, and in the same order letters of other scripts that look alike. */
const [LETTERS, LOOK_ALIKES] = ['SaceopixyMOTAEPdrtl', 'ЅасеоріхуМОТАЕРԁгтӏ'] as const;

const insertAt = (text: string, at: number, more: string) => text.slice(0, at) + more + text.slice(at);
/** Any place outside the digits of the expiry, which the venue chooses. */
const place = (text: string, draw: Draw) => draw.below(text.lastIndexOf(': ') + 2);
const insert = (text: string, draw: Draw, more: readonly string[]) =>
  insertAt(text, place(text, draw), more[draw.below(more.length)] ?? '');
/** Replaces every digit of price and amount with another one. */
const digits = (text: string, zero: number) =>
  text.replace(
    /(Price: |Amount: )([\d.]+)/g,
    (_, name: string, number: string) =>
      name + number.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit))),
  );
const numbers = (text: string, change: (number: string) => string) =>
  text.replace(/(Price: |Amount: )([\d.]+)/g, (_, name: string, number: string) => name + change(number));
/** Splits the details of an order: `Outcome: …, Side: …, Type: …, Price: …, Amount: …`. */
const fields = (text: string, change: (rows: string[]) => readonly string[]) => {
  return text
    .split(' | ')
    .map((part, at) => (at === 3 ? change(part.split(', ')).join(', ') : part))
    .join(' | ');
};

const SPELLINGS: readonly HostileText[] = [
  blurred('a look-alike letter', (text, draw) => {
    const places = [...text.matchAll(/[a-zA-Z]/g)].filter(
      ({ 0: letter, index }) => LETTERS.includes(letter) && !/Market: \S*$/.test(text.slice(0, index)) && index > 3,
    );
    const at = places[draw.below(places.length)]?.index ?? 0;
    return text.slice(0, at) + (LOOK_ALIKES[LETTERS.indexOf(text[at] ?? '')] ?? '') + text.slice(at + 1);
  }),
  blurred('an invisible character', (text, draw) => insert(text, draw, INVISIBLE)),
  blurred('a control character', (text, draw) => insert(text, draw, CONTROL)),
  blurred('a variation selector, a tag or a filler', (text, draw) =>
    insertAt(text, 6 + draw.below(4), TAGS[draw.below(TAGS.length)] ?? ''),
  ),
  blurred('a combining mark', (text, draw) =>
    insertAt(text, 5 + draw.below(6), draw.pick('\u0301', '\u0323', '\u20dd', '\u0489')),
  ),
  blurred('a line break within', (text, draw) => insert(text, draw, BREAKS)),
  spelled('a line break at its end', (text, draw) => text + (BREAKS[draw.below(BREAKS.length)] ?? '')),
  blurred('another blank', (text, draw) => {
    const blanks = [...text.matchAll(/ /g)];
    const at = blanks[draw.below(blanks.length)]?.index ?? 0;
    return text.slice(0, at) + (BLANKS[draw.below(BLANKS.length)] ?? '') + text.slice(at + 1);
  }),
  blurred('a blank too few', (text, draw) => {
    const blanks = [...text.matchAll(/ /g)];
    const at = blanks[draw.below(blanks.length)]?.index ?? 0;
    return text.slice(0, at) + text.slice(at + 1);
  }),
  blurred('another case', (text, draw) =>
    draw.pick(
      text.toUpperCase(),
      text.toLowerCase(),
      text.replace(/buy|sell/, (side) => side.toUpperCase()),
      text.replace('Price', 'price'),
      text.replace('Draft', 'DRAFT'),
      text.replace('limit', 'Limit'),
      text.replace(/YES|NO/, (outcome) => outcome.toLowerCase()),
    ),
  ),
  blurred('full-width forms', (text, draw) =>
    draw.pick(
      digits(text, 0xff10),
      text.replaceAll('|', '｜'),
      text.replaceAll(':', '：'),
      text.replace('.', '．').replaceAll(',', '，'),
    ),
  ),
  spelled('digits of another script', (text, draw) =>
    digits(text, draw.pick(0x660, 0x6f0, 0x966, 0x9e6, 0xe50, 0x1d7ce)),
  ),
  blurred('numbers in other notation', (text, draw) => {
    const form = one(draw, '#e0,#E+0,+#,-#,0x#,#n,#%,$#,(#),_');
    return numbers(text, (n) => (form === '_' ? n.replace(/\d/, '$&_') : form.replace('#', n)));
  }),
  spelled('zeros before or behind numbers', (text, draw) =>
    numbers(
      text,
      draw.pick<(n: string) => string>(
        (n) => `0${n}`,
        (n) => (n.includes('.') ? `${n}0` : `${n}.0`),
        (n) => (n.includes('.') ? `00${n}` : `${n}.000000`),
        (n) => (n.startsWith('0.') ? `.${n.slice(2)}` : `${n}.`),
      ),
    ),
  ),
  spelled('another decimal sign', (text, draw) =>
    numbers(text, (n) => (n.includes('.') ? n.replace('.', draw.pick(',', '·', '٫', '。', '..')) : `${n},0`)),
  ),
  spelled('no number at all', (text, draw) =>
    numbers(text, () => draw.pick('', 'NaN', 'Infinity', 'null', 'all', '*', '-0', '1/2')),
  ),
  blurred('a number beyond all bounds', (text, draw) =>
    numbers(text, () =>
      draw.pick('9'.repeat(17), '9'.repeat(60), '9007199254740993', '0.0000001', `1.${'0'.repeat(30)}1`),
    ),
  ),
  spelled(
    'text behind it',
    (text, draw) =>
      text + draw.pick(' ', '0x', ' | Amount: 5', ';', ' and more', ' | ', '.', ',', ` | Draft: ${draw.key()}`),
  ),
  blurred(
    'text before it',
    (text, draw) => draw.pick(' ', '\ufeff', '0x', '| ', 'Create ', '"', '\u202e', 'https://x/?') + text,
  ),
  spelled('a second draft behind it', (text, draw, { draft }) => {
    const second = writeDraftText({ ...draft, terms: draw.order() });
    return text + draw.pick('\n', ' ', ' | ', '\0', ', ') + second;
  }),
  spelled('a field twice', (text, draw) =>
    fields(text, (rows) => {
      const at = draw.below(rows.length);
      const row = rows[at] ?? '';
      const again = draw.chance(0.5) ? row : `${row.split(': ')[0]}: ${draw.pick('0.99', '1', 'NO', 'sell')}`;
      return draw.chance(0.5) ? rows.toSpliced(at, 0, again) : [...rows, again];
    }),
  ),
  spelled('a field less', (text, draw) => {
    const parts = text.split(' | ');
    return draw.chance(0.5)
      ? fields(text, (rows) => rows.toSpliced(draw.below(rows.length), 1))
      : parts.toSpliced(draw.below(parts.length), 1).join(' | ');
  }),
  spelled('a field more', (text, draw) =>
    fields(text, (rows) =>
      rows.toSpliced(
        draw.below(rows.length + 1),
        0,
        draw.pick('Fee: 0.9', 'Recipient: x', '__proto__: 1', 'constructor: 1', 'Funds: 100', 'Leverage: 10', 'Tip: 1'),
      ),
    ),
  ),
  spelled('fields in another order', (text, draw) => {
    const parts = text.split(' | ');
    const swapped = (rows: string[]) => {
      const at = draw.below(rows.length - 1);
      return rows.toSpliced(at, 2, rows[at + 1] ?? '', rows[at] ?? '');
    };
    return draw.chance(0.5) ? fields(text, swapped) : swapped(parts).join(' | ');
  }),
  blurred('other separators', (text, draw) =>
    draw.pick(
      text.replaceAll(' | ', ' || '),
      text.replaceAll(' | ', '|'),
      text.replaceAll(', ', '; '),
      text.replaceAll(': ', '='),
      text.replaceAll(' | ', ' ¦ '),
      text.replaceAll(' | ', '\n'),
    ),
  ),
  spelled('another version', (text, draw) =>
    text.replace(
      'draft v1',
      draw.pick('draft v2', 'draft V1', 'draft v1.0', 'draft v01', 'draft', 'draft v¹', 'order v1'),
    ),
  ),
  spelled('an action that nobody knows', (text, draw) =>
    text.replace(
      'place-order',
      one(draw, 'transfer,withdraw,place_order,place-order ,approve,toString,__proto__,place-orders'),
    ),
  ),
  spelled('values that nobody knows', (text, draw) =>
    draw.pick(
      text.replace(/YES|NO/, draw.pick('MAYBE', 'Y', 'true', 'YES NO', '')),
      text.replace(/buy|sell/, draw.pick('short', 'bid', 'buysell', '')),
      text.replace('limit', draw.pick('stop', 'fok', '')),
    ),
  ),
  spelled('an expiry that is none', (text, draw) =>
    text.replace(/\d+$/, (at) =>
      draw.pick(`0${at}`, `-${at}`, `${at}.5`, `${at}e3`, '', 'never', `${at}0000`, `+${at}`, `${at} `, '٣'),
    ),
  ),
  spelled('itself in another coding', (text, draw) => {
    const bytes = Buffer.from(text, 'utf8');
    return draw.pick(
      bytes.toString('hex'),
      bytes.toString('base64'),
      bytes.toString('base64url'),
      encodeURIComponent(text),
      JSON.stringify(text),
      JSON.stringify({ message: text }),
      [...text].reverse().join(''),
      Buffer.from(text, 'utf16le').toString('latin1'),
    );
  }),
  blurred('halves of characters', (text, draw) =>
    insertAt(text, place(text, draw), draw.pick('\ud800', '\udc00', '\ufffd', '\ufffe', '\uffff')),
  ),
  spelled('nothing, or next to nothing', (_, draw) =>
    draw.pick('', ' ', '0', '|', 'SVC', 'SVC draft v1', 'null', '{}', ' | | | | | '),
  ),
  spelled('any characters', (_, draw) =>
    String.fromCodePoint(
      ...Array.from({ length: 1 + draw.below(300) }, () => draw.pick(32 + draw.below(95), draw.below(0xd800))),
    ),
  ),
  blurred('one character changed', (text, draw) => {
    const at = place(text, draw);
    const by = draw.other(text[at] ?? '', () =>
      String.fromCharCode(draw.pick(32 + draw.below(95), draw.below(256), draw.below(0x3000))),
    );
    return text.slice(0, at) + by + text.slice(at + 1);
  }),
];

/** All disguises of a text. */
export const HOSTILE_TEXTS: readonly HostileText[] = [...OTHERS, ...CHALLENGES, ...SPELLINGS];
