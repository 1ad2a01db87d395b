import { holdable, type Json, object } from './json.ts';

/** What a person filled in. */
export type FlowAnswer = {
  /** The JSON as it came, whole. */
  text: string;
  /** Undefined: it is no JSON object, or is nested too deep to be kept as one. */
  data?: Record<string, unknown>;
  /** Of the message that opened the flow; a flow without an endpoint may answer without it. */
  token?: string;
};

const maxDepth = 64;
const longestToken = 1_000;

/** The form of an address is the provider's own, and no flow. Other names are let through: an answer is lost if it counts as none. */
const notFlows = new Set<unknown>(['address_message']);

/** Of the content of a received interactive message; undefined for one of another kind. */
export function flowAnswerIn(content: Json): FlowAnswer | undefined {
  const { name, response_json: response } = object(content.nfm_reply);
  if (content.type !== 'nfm_reply' || notFlows.has(name)) return undefined;
  const text = typeof response === 'string' ? response : response === undefined ? '' : JSON.stringify(response);
  const data = parsed(text);
  const token = data && Object.hasOwn(data, 'flow_token') ? data.flow_token : undefined;
  const known = typeof token === 'string' && token !== '' && token.length <= longestToken ? token : undefined;
  return { text: holdable(text), ...(data && { data }), ...(known !== undefined && { token: known }) };
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? (kept(value, 0) as Json) : undefined;
  } catch {
    return undefined;
  }
}

/** As the database can hold it: an escaped NUL passes JSON, and a name `__proto__` is lost on the way. */
function kept(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return holdable(value);
  if (value === null || typeof value !== 'object') return value;
  if (depth > maxDepth) throw new Error('Nested too deep');
  if (Array.isArray(value)) return value.map((one) => kept(one, depth + 1));
  const entries = Object.entries(value).filter(([name]) => name !== '__proto__');
  return Object.fromEntries(entries.map(([name, one]) => [holdable(name), kept(one, depth + 1)]));
}
