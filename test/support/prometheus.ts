export type Sample = { name: string; labels: Record<string, string>; value: number };
export type Exposition = {
  types: Map<string, string>;
  samples: Sample[];
  /** The values of one series' name whose labels hold these. */
  values(name: string, labels?: Record<string, string>): number[];
  /** The one value; throws when there is another or none. */
  value(name: string, labels?: Record<string, string>): number;
};

const label = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\n"])*)"/;
// prom-client writes Nan, which Prometheus reads as NaN, whatever the case.
const sample = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (-?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?)|Na[nN]|[+-]Inf)$/;
const suffixes: Record<string, string[]> = { histogram: ['_bucket', '_sum', '_count'], counter: [''], gauge: [''] };

/**
 * Reads the text format 0.0.4 as its specification tells it, and nothing else: HELP and TYPE once each and before the samples of their
 * metric, samples of a metric together, no series twice, histograms cumulative. Throws with the line.
 */
export function readExposition(text: string): Exposition {
  const helps = new Set<string>();
  const types = new Map<string, string>();
  const closed = new Set<string>();
  const series = new Set<string>();
  const samples: Sample[] = [];
  let current = '';
  if (!text.endsWith('\n')) throw new Error('The last line does not end');
  for (const line of text.split('\n').filter(Boolean)) {
    const refuse = (why: string): never => {
      throw new Error(`${why}: ${line}`);
    };
    const about = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line);
    if (about) {
      const [, kind, name, rest] = about as unknown as [string, string, string, string];
      if (kind === 'HELP' ? helps.has(name) : types.has(name)) refuse(`A second ${kind}`);
      if (name !== current) closed.add(current);
      if (closed.has(name)) refuse('Its metric has ended before');
      current = name;
      if (kind === 'HELP') helps.add(name);
      else types.set(name, rest);
      continue;
    }
    const [, name = '', labelled = '', value = ''] = sample.exec(line) ?? refuse('No sample');
    const type = types.get(current) ?? refuse('No TYPE before it');
    if (!helps.has(current)) refuse('No HELP before it');
    if (!(suffixes[type] ?? refuse('An unknown type')).some((suffix) => name === current + suffix)) refuse(`Not of ${current}`);
    const labels = labelsOf(labelled) ?? refuse('Labels that cannot be read');
    const key = `${name}${JSON.stringify(Object.entries(labels).sort())}`;
    if (series.has(key)) refuse('A series twice');
    series.add(key);
    samples.push({ name, labels, value: Number(value.replace('Inf', 'Infinity')) });
  }
  const values = (name: string, wanted: Record<string, string> = {}) =>
    samples
      .filter((one) => one.name === name && Object.entries(wanted).every(([key, value]) => one.labels[key] === value))
      .map((one) => one.value);
  const exposition: Exposition = {
    types,
    samples,
    values,
    value(name, labels) {
      const [first, ...more] = values(name, labels);
      if (first === undefined || more.length > 0)
        throw new Error(`${more.length + (first === undefined ? 0 : 1)} series of ${name} ${JSON.stringify(labels)}`);
      return first;
    },
  };
  for (const [name, type] of types) if (type === 'histogram') checkHistogram(name, exposition);
  return exposition;
}

function labelsOf(text: string): Record<string, string> | undefined {
  const labels: Record<string, string> = {};
  let rest = text;
  while (rest) {
    const found = new RegExp(`^${label.source}(?:,|$)`).exec(rest);
    if (!found || found[1]! in labels) return undefined;
    labels[found[1]!] = found[2]!;
    rest = rest.slice(found[0].length);
  }
  return labels;
}

/** Each set of labels has buckets that only rise, up to +Inf, which is the count. */
function checkHistogram(name: string, { samples, value }: Exposition) {
  const own = samples.filter((one) => one.name === `${name}_bucket`);
  const groups = Map.groupBy(own, ({ labels: { le: _, ...labels } }) => JSON.stringify(labels));
  for (const [key, buckets] of groups) {
    const labels = JSON.parse(key) as Record<string, string>;
    const bounds = buckets.map((one) => Number(one.labels.le!.replace('Inf', 'Infinity')));
    const counts = buckets.map((one) => one.value);
    const isRising = (list: number[]) => list.every((one, index) => index === 0 || one >= list[index - 1]!);
    if (!isRising(bounds) || !isRising(counts) || bounds.at(-1) !== Number.POSITIVE_INFINITY)
      throw new Error(`The buckets of ${name}${key} do not rise to +Inf`);
    if (counts.at(-1) !== value(`${name}_count`, labels)) throw new Error(`The count of ${name}${key} is not that of +Inf`);
    if (value(`${name}_sum`, labels) < 0) throw new Error(`The sum of ${name}${key} is below 0`);
  }
}
