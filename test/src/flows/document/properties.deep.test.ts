import { expect, test } from '@jest/globals';
import canonicalize from 'canonicalize';
import { type BuilderJson, builderSchema } from '../../../../src/flows/document/builder.ts';
import { canonicalJson } from '../../../../src/flows/document/canonical.ts';
import { checkFlow } from '../../../../src/flows/document/check.ts';
import { compileFlow } from '../../../../src/flows/document/compile.ts';
import { hashInSlices, hashOfDocument } from '../../../../src/flows/document/hash.ts';
import { kinds } from '../../../../src/flows/document/kinds.ts';
import { labelsOf, screensOf } from '../../../../src/flows/document/labels.ts';
import { readFlow } from '../../../../src/flows/document/read.ts';
import { fc } from '../../../support/fast-check.ts';
import { builders } from '../../../support/flow-documents.ts';

const runs = { numRuns: 1_000 };
const version = '7.2';
// biome-ignore lint/suspicious/noExplicitAny: a document is read at many depths, and a wrong step fails the test
type Json = Record<string, any>;

test('what was compiled is read back as it was built', () => {
  fc.assert(
    fc.property(builders, (builder) => {
      expect(builderSchema.validate(builder).error).toBeUndefined();
      expect(readFlow(compileFlow(builder, version), builder.flow)).toEqual(builder);
    }),
    runs,
  );
});

test('compiling leaves the builder as it is, and gives the same document again', () => {
  fc.assert(
    fc.property(builders, (builder) => {
      const before = structuredClone(builder);
      const once = compileFlow(builder, version);
      expect(builder).toEqual(before);
      expect(canonicalJson(compileFlow(before, version))).toBe(canonicalJson(once));
    }),
    runs,
  );
});

/** One thing in the document is another: a key more or less, another value, two children the other way round. */
const changed = (document: Json, seed: number): Json => {
  const copy = structuredClone(document);
  // biome-ignore lint/suspicious/noExplicitAny: an object or a list
  const places: { holder: any; key: string }[] = [];
  const collect = (value: unknown) => {
    if (value === null || typeof value !== 'object') return;
    for (const [key, inner] of Object.entries(value)) {
      places.push({ holder: value, key });
      collect(inner);
    }
  };
  collect(copy);
  const { holder, key } = places[seed % places.length]!;
  const how = seed % 4;
  if (how === 0 && !Array.isArray(holder)) delete holder[key];
  else if (how === 1 && !Array.isArray(holder)) holder[`${key}x`] = holder[key];
  else if (how === 2 && Array.isArray(holder)) holder.reverse();
  else holder[key] = typeof holder[key] === 'string' ? `${holder[key]}A` : 7;
  return copy;
};

test('a document that is read gives the same document when it is compiled, or is not read at all', () => {
  let [read, unread] = [0, 0];
  fc.assert(
    fc.property(builders, fc.nat(), (builder, seed) => {
      const document = changed(compileFlow(builder, version), seed);
      const back = readFlow(document);
      if (back === undefined) unread += 1;
      else {
        read += 1;
        expect(builderSchema.validate(back).error).toBeUndefined();
        expect(canonicalJson(compileFlow(back, document.version))).toBe(canonicalJson(document));
      }
    }),
    runs,
  );
  // Neither side of the rule may hold for want of documents.
  expect(read).toBeGreaterThan(100);
  expect(unread).toBeGreaterThan(100);
});

const shuffled = (value: unknown, order: (keys: string[]) => string[]): unknown => {
  if (Array.isArray(value)) return value.map((one) => shuffled(one, order));
  if (value === null || typeof value !== 'object') return value;
  const entries = order(Object.keys(value)).map((key) => [key, shuffled((value as Json)[key], order)] as const);
  return Object.fromEntries(entries);
};

test('the hash does not depend on the order of keys, and depends on everything else', () => {
  fc.assert(
    fc.property(builders, fc.nat(), (builder, seed) => {
      const document = compileFlow(builder, version);
      const hash = hashOfDocument(document);
      expect(hashOfDocument(shuffled(document, (keys) => keys.reverse()))).toBe(hash);
      expect(hashOfDocument(shuffled(document, (keys) => keys.sort()))).toBe(hash);
      expect(hashOfDocument(JSON.parse(JSON.stringify(document, null, 2)))).toBe(hash);
      const other = changed(document, seed);
      const isSame = canonicalize(other) === canonicalize(document);
      expect(hashOfDocument(other) === hash).toBe(isSame);
    }),
    runs,
  );
});

test('canonical form is that of RFC 8785, as its own library writes it, and in slices the hash is the same', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue({ noUnicodeString: false }), async (value) => {
      fc.pre(JSON.stringify(value).isWellFormed());
      expect(canonicalJson(value)).toBe(canonicalize(value));
      expect(await hashInSlices(value)).toBe(hashOfDocument(value));
    }),
    runs,
  );
});

/** A phone: goes through the flow, fills everything in, and tells what it sends at the end. */
function playedThrough(document: Json): Json {
  const forms: Record<string, Json> = {};
  const given: Record<string, Json> = {};
  let screen: Json = document.screens[0];
  let data: Json = {};
  for (;;) {
    const id: string = screen.id;
    const children: Json[] = screen.layout.children;
    given[id] = data;
    forms[id] = Object.fromEntries(children.filter(({ name }) => name).map(({ name }) => [name, `answer to ${name}`]));
    const footers = children.filter(({ type }) => type === 'Footer');
    expect(footers).toHaveLength(1);
    const action: Json = footers[0]!['on-click-action'];
    const payload: Json = Object.fromEntries(
      Object.entries(action.payload as Json).map(([key, value]) => {
        const [, of, store, name] = /^\$\{(?:screen\.(\w+)\.)?(form|data)\.(\w+)\}$/.exec(value)!;
        const filled = (store === 'form' ? forms : given)[of ?? id]![name!];
        expect(filled).toBeDefined();
        return [key, filled];
      }),
    );
    if (action.name === 'complete') return payload;
    const next: string | undefined = action.name === 'navigate' ? action.next.name : document.routing_model[id][0];
    if (next === undefined) return payload;
    screen = document.screens.find((one: Json) => one.id === next)!;
    // The button stays disabled until all that the next screen declares is there; an endpoint gives nothing back here.
    data = action.name === 'navigate' ? payload : {};
    expect(Object.keys(data).sort()).toEqual(Object.keys(screen.data).sort());
  }
}

const inputsOf = (builder: BuilderJson) =>
  builder.flow.screens!.flatMap(({ components }) => (components ?? []).filter(({ type }) => kinds[type].isInput));

test('every answer of every screen arrives at the end under its id, past an endpoint too', () => {
  fc.assert(
    fc.property(builders, (builder) => {
      const expected = inputsOf(builder).map(({ id }) => [id, `answer to ${id}`]);
      expect(playedThrough(compileFlow(builder, version))).toEqual(Object.fromEntries(expected));
    }),
    runs,
  );
});

test('the fields of an endpoint are there if and only if an action asks it', () => {
  fc.assert(
    fc.property(builders, (builder) => {
      const { data_api_version, routing_model } = compileFlow(builder, version);
      const asks = builder.flow.screens!.some(({ actions }) => actions!.some(({ type }) => type === 'data_exchange'));
      expect(data_api_version).toBe(asks ? '3.0' : undefined);
      expect(Object.keys(routing_model ?? {})).toEqual(asks ? builder.flow.screens!.map(({ id }) => id) : []);
    }),
    runs,
  );
});

test('what can be built without faults has none, in the builder and as a document', () => {
  fc.assert(
    fc.property(builders, (builder) => {
      const flowJson = compileFlow(builder, version);
      const dataApiVersion = (flowJson.data_api_version as string | undefined) ?? '';
      const errors = (of: { builder?: BuilderJson }) =>
        checkFlow({ ...of, flowJson, jsonVersion: version, dataApiVersion }).filter(({ severity }) => severity === 'error');
      expect(errors({ builder })).toEqual([]);
      expect(errors({})).toEqual([]);
    }),
    runs,
  );
});

test('labels and screens are those of the builder', () => {
  fc.assert(
    fc.property(builders, (builder) => {
      const document = compileFlow(builder, version);
      const inputs = inputsOf(builder);
      const labels = labelsOf(document);
      expect(Object.keys(labels).sort()).toEqual(inputs.map(({ id }) => id).sort());
      for (const { id, label, options } of inputs) {
        expect(labels[id]!.label).toBe(label);
        expect({ ...labels[id]!.options }).toEqual(Object.fromEntries((options ?? []).map((one) => [one.id, one.label])));
      }
      expect(screensOf(document)).toEqual(builder.flow.screens!.map(({ id }) => id));
    }),
    runs,
  );
});
