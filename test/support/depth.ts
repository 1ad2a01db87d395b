/** `npm run test:deep`: walks and properties at their full size. */
export const isDeep = process.env.KANAL_TEST_DEEP === 'true';

/** By default `count` of them, different ones for each `index`, so that a walk over many meets them all; all of them in the deep run. */
export function some<Value>(all: readonly Value[], count: number, index: number): Value[] {
  if (isDeep || all.length <= count) return [...all];
  return Array.from({ length: count }, (_, nth) => all[(index * count + nth) % all.length]!);
}

/** By default `count` of them, evenly spread; all of them in the deep run. */
export function sample<Value>(all: readonly Value[], count: number): Value[] {
  if (isDeep || all.length <= count) return [...all];
  return Array.from({ length: count }, (_, nth) => all[Math.floor((nth * all.length) / count)]!);
}

/** `sample` of the rows of a `test.each`, each with its new index in place of its last value. */
export const sampleRows = <Name, Case>(all: readonly (readonly [Name, Case, number])[], count: number) =>
  sample(all, count).map(([name, one], index) => [name, one, index] as const);

/** `some` of the entries of an object. */
export const someOf = <Value>(all: Record<string, Value>, count: number, index: number): Record<string, Value> =>
  Object.fromEntries(some(Object.entries(all), count, index));
