import { GraphError } from '../graph/errors.ts';
import type { Fields } from '../messages/checks.ts';
import type { Flow, Flows } from './store.ts';

const categories = [
  'SIGN_UP',
  'SIGN_IN',
  'APPOINTMENT_BOOKING',
  'LEAD_GENERATION',
  'CONTACT_US',
  'CUSTOMER_SUPPORT',
  'SURVEY',
  'SHOPPING',
  'OTHER',
];

const invalid = (message: string) => new GraphError(100, { message: `(#100) ${message}` });
export const refusedAs = (title: string, userMessage: string) =>
  new GraphError(100, { message: 'Invalid parameter', title, userMessage });

export function readName(value: unknown, wabaId: string, flows: Flows, own?: Flow): string {
  if (typeof value !== 'string' || value.trim() === '') throw invalid('The parameter name is required.');
  if ([...value].length > 200) throw invalid('Param name must be at most 200 characters long.');
  if (flows.ofWaba(wabaId).some((flow) => flow !== own && flow.name === value))
    throw refusedAs('Flow name is not unique', 'Please specify a different name for your Flow.');
  return value;
}

/** A list, or in a form its JSON. */
export function readCategories(value: unknown): string[] {
  const list = typeof value === 'string' ? parsed(value) : value;
  if (!Array.isArray(list) || list.length === 0) throw invalid('The parameter categories is required.');
  for (const one of list)
    if (!categories.includes(one as string))
      throw invalid(`Param categories[0] must be one of {${categories.join(', ')}} - got "${String(one)}".`);
  return [...new Set(list as string[])];
}

export function readEndpointUri(value: unknown): string {
  if (typeof value !== 'string' || URL.parse(value)?.protocol !== 'https:')
    throw refusedAs('Invalid Endpoint URI', 'The endpoint_uri must be a valid https address.');
  return value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const isYes = (value: unknown): boolean => value === true || value === 'true' || value === '1';

/** What a request may set of a flow; a part that is not given is left out. */
export function readMetadata(body: Fields, wabaId: string, flows: Flows, own?: Flow) {
  return {
    ...(body.name !== undefined && { name: readName(body.name, wabaId, flows, own) }),
    ...(body.categories !== undefined && { categories: readCategories(body.categories) }),
    ...(body.endpoint_uri !== undefined && { endpointUri: readEndpointUri(body.endpoint_uri) }),
  };
}
