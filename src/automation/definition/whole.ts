import { sql } from 'kysely';
import { Channel } from '../../channels/channel.entity.ts';
import { isLiquid } from '../../liquid/parse.ts';
import { readsOf } from '../../liquid/value.ts';
import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import { AppError, type ErrorDetail, fieldOf, type Path } from '../../platform/errors.ts';
import { slices } from '../../platform/load/slices.ts';
import type { ObjectType } from '../../records/types/definition.ts';
import { recordFieldsOf } from '../../records/types/listing.ts';
import { loadType, loadTypes } from '../../records/types/object-type.ts';
import { segmentsOf } from '../../segments/segments.ts';
import { AutomationSecret } from '../rule.entity.ts';
import { secretNamesIn } from '../secret-names.ts';
import { hostOfUrl } from '../secrets.ts';
import type { Definition, Trigger } from './definition.ts';
import type { Kit } from './read-steps.ts';
import { inBody } from './shape.ts';
import { builtIn, dateFieldFaults, listingFaults } from './trigger-faults.ts';
import { conditionsIn, stepsIn } from './walk.ts';

/** What a definition that was read names, and is not there: the rule cannot be published so. All at once, each with its path. */
export async function wholeWith(kit: Kit, own: Own, definition: Definition): Promise<ErrorDetail[]> {
  const { trigger, steps } = definition;
  const faults = [...(await triggerFaults(own, trigger)), ...(await recordFieldFaults(kit, own, definition))];
  if (steps.length === 0) faults.push(inBody(['steps'], 'steps.none', 'A rule needs at least one step'));
  for (const { step, path } of stepsIn(steps)) {
    const { id: _, type, ...fields } = step as Record<string, unknown> & { type: string };
    const action = kit.actions.get(type);
    const found = action?.check ? await action.check(own, fields) : [];
    faults.push(...found.map((one) => ({ ...one, field: within(path, one.field), location: 'body' })));
  }
  return [...faults, ...(await secretFaults(kit, own, steps))];
}

/** Of conditions that name fields of records: those that each type declares. */
async function recordFieldFaults(kit: Kit, own: Own, definition: Definition): Promise<ErrorDetail[]> {
  const named = [...conditionsIn(definition)].filter(({ conditions }) => JSON.stringify(conditions).includes('"record.'));
  if (named.length === 0) return [];
  const kind = kindOf(definition.trigger);
  const all = await loadTypes(own);
  const picked = all.filter((type) => type.kind === kind);
  const types = picked.length > 0 ? picked : all;
  const turnOfOthers = slices();
  const faults: ErrorDetail[] = [];
  for (const { conditions, path } of named) {
    faults.push(...kit.conditionFaults(conditions, path, { types }));
    await turnOfOthers();
  }
  return faults;
}

/** Of the subjects that the trigger picks. */
const kindOf = (trigger: Trigger) =>
  trigger.type === 'schedule' ? trigger.for_each?.kind : trigger.type === 'date' ? trigger.kind : undefined;

const within = (path: Path, field = '') => (field === '' ? fieldOf(path) : `${fieldOf(path)}.${field}`);

const secretsNamed = statement((select, { names }: { names: string[] }) =>
  select(AutomationSecret).select(['name', 'hosts']).where('name', '=', sql<string>`any(${names})`),
);

/** Each text that names one which is not there, or does not name it itself. */
async function secretFaults(kit: Kit, own: Own, steps: Definition['steps']): Promise<ErrorDetail[]> {
  const named = [...textsIn(steps, ['steps'])].flatMap(({ text, path }) =>
    readsOf(text)
      .filter(({ root }) => root === 'secrets')
      .map(({ field: name }) => ({ name, path })),
  );
  if (named.length === 0) return [];
  const names = named.flatMap(({ name }) => name ?? []);
  const there = new Map((await secretsNamed(own, { names })).map(({ name, hosts }) => [name, hosts]));
  const missing = named
    .filter(({ name }) => name === undefined || !there.has(name))
    .map(({ name, path }) =>
      name === undefined
        ? inBody(path, 'secret.unnamed', 'A text names its secret itself, as secrets.CRM_TOKEN')
        : inBody(path, 'secret.unknown', `There is no secret ${name}`),
    );
  return [...missing, ...hostFaults(kit, steps, there)];
}

/** A host that Liquid gives is judged at the call. */
function hostFaults(kit: Kit, steps: Definition['steps'], hostsOf: ReadonlyMap<string, string[]>): ErrorDetail[] {
  return [...stepsIn(steps)].flatMap(({ step, path }) => {
    const { type, url, headers, body } = step as { type: string; url?: string; headers?: unknown; body?: unknown };
    if (kit.actions.get(type)?.kind !== 'call' || typeof url !== 'string' || isLiquid(url.split(/[?#]/, 1)[0]!)) return [];
    const host = hostOfUrl(url);
    const unbound = [...secretNamesIn([url, headers, body])].filter((name) => hostsOf.get(name)?.includes(host ?? '') === false);
    return unbound.map((name) => inBody([...path, 'url'], 'secret.host', `The secret ${name} is not bound to the host ${host}`));
  });
}

function* textsIn(value: unknown, path: Path): Generator<{ text: string; path: Path }> {
  if (typeof value === 'string') yield { text: value, path };
  if (value === null || typeof value !== 'object') return;
  const entries: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  for (const [name, one] of entries) yield* textsIn(one, [...path, name]);
}

async function triggerFaults(own: Own, trigger: Trigger): Promise<ErrorDetail[]> {
  if (trigger.type === 'keyword') return channelFaults(own, trigger.channel_ids ?? []);
  if (trigger.type === 'date') {
    const read = await typeOf(own, trigger.kind, ['trigger', 'kind']);
    return read.type ? dateFieldFaults(recordFieldsOf(read.type), trigger.field) : read.faults;
  }
  if (trigger.type !== 'schedule' || !trigger.for_each) return [];
  const { kind, segment_ids = [] } = trigger.for_each;
  const read = await typeOf(own, kind, ['trigger', 'for_each', 'kind']);
  const listed = read.type ? listingFaults(recordFieldsOf(read.type), trigger.for_each) : [];
  return [...read.faults, ...listed, ...(await segmentFaults(own, segment_ids))];
}

/** Of a kind of records; neither a type nor a fault: a kind that is built in. */
async function typeOf(own: Own, kind: string, path: Path): Promise<{ type?: ObjectType; faults: ErrorDetail[] }> {
  if (Object.hasOwn(builtIn, kind)) return { faults: [] };
  const type = await loadType(own, kind);
  return type ? { type, faults: [] } : { faults: [inBody(path, 'kind.unknown', `There is no kind ${kind}`)] };
}

const channelsById = statement((select, { ids }: { ids: string[] }) =>
  select(Channel).select('id').where('id', '=', sql<string>`any(${ids}::uuid[])`).where('deleted_at', 'is', null),
);

async function channelFaults(own: Own, ids: string[]): Promise<ErrorDetail[]> {
  if (ids.length === 0) return [];
  const there = new Set((await channelsById(own, { ids })).map(({ id }) => id));
  return ids.flatMap((id, index) =>
    there.has(id) ? [] : [inBody(['trigger', 'channel_ids', index], 'channel.unknown', 'There is no such channel')],
  );
}

async function segmentFaults(own: Own, ids: string[]): Promise<ErrorDetail[]> {
  if (ids.length === 0) return [];
  try {
    await segmentsOf(own, ids, 'trigger.for_each.segment_ids');
    return [];
  } catch (error) {
    if (!(error instanceof AppError) || !error.details) throw error;
    return error.details;
  }
}
