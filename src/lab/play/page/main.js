/** The page's own program: sliders to questions, answers to tables and curves. */

/** @typedef {{ min: number, max: number, usual: number, isLog: boolean }} Range */
/** @typedef {{ x: number, bid: number | null, ask: number | null, fair: number | null }} Point */
/** @typedef {[number, number]} Level */
/** @typedef {{ bids: Level[], asks: Level[], fair: number | null, note: string, factors: Record<string, number>, book: { bids: Level[], asks: Level[] } }} Said */

const LABELS = new Map([
  ['fair', 'fair price'],
  ['spread', 'spread'],
  ['inventory', 'inventory, shares'],
  ['ageS', 'age of the book, s'],
  ['sigma', 'sigma, log-odds/√s'],
  ['leftS', 'time left'],
  ['feed', 'the feed says'],
]);
const CURVES = /** @type {const} */ (['inventory', 'leftS', 'sigma']);

/** @param {string} id */
const byId = (id) => {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`no element ${id}`);
  return found;
};

/** @param {string} id */
const inputOf = (id) => /** @type {HTMLInputElement} */ (byId(id));

/** @param {string} tag @param {Record<string, string>} attributes @param {string} [text] */
function svg(tag, attributes, text) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

/** @param {string} tag @param {string} text @param {string} [className] */
function cell(tag, text, className) {
  const element = document.createElement(tag);
  element.textContent = text;
  if (className !== undefined) element.className = className;
  return element;
}

/** @param {string} name @param {number} value */
function shown(name, value) {
  if (name !== 'leftS') return String(Number(value.toPrecision(4)));
  for (const [unit, size] of /** @type {const} */ ([
    ['d', 86_400],
    ['h', 3600],
    ['min', 60],
  ])) {
    if (value >= size) return `${(value / size).toFixed(1)} ${unit}`;
  }
  return `${value.toFixed(0)} s`;
}

/** @type {Record<string, Range>} */
let ranges = {};

/** @param {string} name */
function sliderValue(name) {
  const { min, max, isLog } = ranges[name] ?? { min: 0, max: 1, isLog: false };
  const part = Number(inputOf(`slider-${name}`).value) / 1000;
  return isLog ? min * (max / min) ** part : min + (max - min) * part;
}

/** @param {string} name @param {Range} range */
function addSlider(name, { min, max, usual, isLog }) {
  const part = isLog ? Math.log(usual / min) / Math.log(max / min) : (usual - min) / (max - min);
  const label = document.createElement('label');
  label.textContent = LABELS.get(name) ?? name;
  const input = document.createElement('input');
  Object.assign(input, {
    type: 'range',
    id: `slider-${name}`,
    min: '0',
    max: '1000',
    value: String(Math.round(part * 1000)),
  });
  const output = document.createElement('output');
  output.id = `value-${name}`;
  input.addEventListener('input', () => void ask());
  label.append(input, output);
  byId('sliders').append(label);
}

/** @param {Said} said */
function showSaid({ bids, asks, fair, note, factors, book }) {
  byId('note').textContent = note;
  const prices = new Set([...bids, ...asks, ...book.bids, ...book.asks].map(([price]) => price));
  const at = (/** @type {Level[]} */ levels, /** @type {number} */ price) =>
    levels
      .filter(([other]) => other === price)
      .map(([, shares]) => String(shares))
      .join(' + ');
  byId('book').replaceChildren(
    ...[...prices]
      .sort((a, b) => b - a)
      .map((price) => {
        const row = document.createElement('tr');
        row.append(
          cell('td', at(bids, price), 'bid own'),
          cell('td', at(book.bids, price), 'bid'),
          cell('td', String(price)),
          cell('td', at(book.asks, price), 'ask'),
          cell('td', at(asks, price), 'ask own'),
        );
        return row;
      }),
  );
  showPairs('factors', { ...(fair === null ? {} : { 'fair price': fair }), ...factors });
}

/** @param {string} id @param {Record<string, unknown>} pairs */
function showPairs(id, pairs) {
  byId(id).replaceChildren(
    ...Object.entries(pairs).map(([name, value]) => {
      const row = document.createElement('tr');
      const text = typeof value === 'number' ? String(Number(value.toPrecision(6))) : JSON.stringify(value);
      row.append(cell('th', name), cell('td', text));
      return row;
    }),
  );
}

const [WIDTH, HEIGHT] = [320, 180];

/** @param {string} name @param {readonly Point[]} points */
function curve(name, points) {
  const { min, max, isLog } = ranges[name] ?? { min: 0, max: 1, isLog: false };
  const prices = points.flatMap(({ bid, ask, fair }) => [bid, ask, fair]).filter((price) => price !== null);
  const low = Math.min(...prices, 1) - 0.01;
  const high = Math.max(...prices, 0) + 0.01;
  const xOf = (/** @type {number} */ x) =>
    WIDTH * (isLog ? Math.log(x / min) / Math.log(max / min) : (x - min) / (max - min));
  const yOf = (/** @type {number} */ price) => HEIGHT - (HEIGHT * (price - low)) / (high - low);
  const figure = svg('svg', {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    role: 'img',
    'aria-label': `against ${LABELS.get(name)}`,
  });
  const now = String(xOf(sliderValue(name)));
  figure.append(svg('line', { class: 'now', x1: now, x2: now, y1: '0', y2: String(HEIGHT) }));
  for (const line of /** @type {const} */ (['bid', 'fair', 'ask'])) {
    /** @type {string[][]} */
    const runs = [[]];
    for (const point of points) {
      const price = point[line];
      // Where nothing is quoted there is no line.
      if (price === null) runs.push([]);
      else runs.at(-1)?.push(`${xOf(point.x).toFixed(1)},${yOf(price).toFixed(1)}`);
    }
    for (const run of runs)
      if (run.length > 0) figure.append(svg('polyline', { class: `l-${line}`, points: run.join(' ') }));
  }
  if (prices.length > 0) {
    figure.append(
      svg('text', { x: '4', y: '12' }, high.toFixed(2)),
      svg('text', { x: '4', y: String(HEIGHT - 4) }, low.toFixed(2)),
    );
  }
  const place = document.createElement('figure');
  place.append(figure, cell('figcaption', `against ${LABELS.get(name)}: ${shown(name, min)} to ${shown(name, max)}`));
  return place;
}

let asked = 0;

async function ask() {
  asked += 1;
  const mine = asked;
  const names = Object.keys(ranges);
  for (const name of names) byId(`value-${name}`).textContent = shown(name, sliderValue(name));
  const isRecorded = inputOf('source').value === 'recorded';
  const query = isRecorded
    ? `recorded?market=${inputOf('market').value}&look=${inputOf('look').value}`
    : `quotes?${names.map((name) => `${name}=${sliderValue(name)}`).join('&')}`;
  const answer = await (await fetch(`/${query}`)).json().catch(() => ({ error: 'no answer' }));
  // A later question was asked meanwhile.
  if (mine !== asked) return;
  byId('error').textContent = answer.error ?? '';
  if (answer.said !== undefined) showSaid(answer.said);
  if (answer.curves !== undefined)
    byId('curves').replaceChildren(...CURVES.map((name) => curve(name, answer.curves[name])));
}

/** @param {{ title: string, times: number[] }[]} markets */
function offerRecording(markets) {
  if (markets.length === 0) return;
  byId('recording').hidden = false;
  byId('market').replaceChildren(
    ...markets.map(({ title }, index) =>
      Object.assign(document.createElement('option'), { value: String(index), textContent: title }),
    ),
  );
  const look = () => {
    const times = markets[Number(inputOf('market').value)]?.times ?? [];
    inputOf('look').max = String(Math.max(0, times.length - 1));
    const time = times[Number(inputOf('look').value)];
    byId('time').textContent = time === undefined ? '' : new Date(time).toISOString().slice(11, 19);
    inputOf('source').value = 'recorded';
    void ask();
  };
  byId('market').addEventListener('change', look);
  byId('look').addEventListener('input', look);
}

const about = await (await fetch('/about')).json();
ranges = about.ranges;
for (const [name, range] of Object.entries(ranges)) addSlider(name, range);
showPairs('params', about.params);
offerRecording(about.markets);
byId('source').addEventListener('change', () => void ask());
await ask();
