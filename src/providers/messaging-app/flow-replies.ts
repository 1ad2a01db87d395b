import { cut } from '../../platform/cut.ts';
import { ProviderUnknown } from '../errors.ts';
import type { FlowKey, FlowStatus, FlowSummary, ProviderFlow, ProviderFlowFault } from './flow-calls.ts';
import { type Json, object, textOf } from './json.ts';
import { idOf, isObject, type Next, strange, text, toPage } from './replies.ts';

const statuses: readonly string[] = ['draft', 'published', 'deprecated', 'blocked', 'throttled'] satisfies FlowStatus[];

export function flowStatusOf(value: unknown): FlowStatus | undefined {
  const status = textOf(value).toLowerCase();
  return statuses.includes(status) ? (status as FlowStatus) : undefined;
}

/** One unreadable entry fails the page: left out, it would count as deleted. */
export function toFlowPage(reply: unknown): { flows: FlowSummary[] } & Next {
  const { data, ...next } = toPage(reply, 'a list of flows');
  return { flows: data.map(toSummary), ...next };
}

function toSummary(raw: unknown): FlowSummary {
  const { id, name, status, categories }: Json = isObject(raw) ? raw : {};
  const known = { id: idOf(id), name: text(name), status: flowStatusOf(status) };
  if (!known.id || !known.name || !known.status) throw strange('a flow');
  const words = Array.isArray(categories) ? categories.map((one) => textOf(one).toLowerCase()).filter(Boolean) : [];
  return { id: known.id, name: known.name, status: known.status, categories: words };
}

export function toFlow(reply: unknown): ProviderFlow {
  const { preview, ...flow }: Json = isObject(reply) ? reply : {};
  const { preview_url, expires_at } = object(preview);
  return {
    ...toSummary(flow),
    validationErrors: toFlowFaults(flow.validation_errors),
    jsonVersion: textOf(flow.json_version),
    dataApiVersion: textOf(flow.data_api_version),
    // Flows of older versions have it under the other name.
    endpointUri: textOf(flow.endpoint_uri) || textOf(flow.data_channel_uri),
    previewUrl: webAddress(preview_url),
    previewExpiresAt: timeOf(expires_at),
  };
}

/** People follow it from our replies. */
const webAddress = (value: unknown) => (/^https?:$/.test(URL.parse(textOf(value))?.protocol ?? '') ? textOf(value) : null);

/** 2023-05-21T11:18:09+0000 has no colon in its zone; without one the form is a standard's. */
function timeOf(value: unknown): Date | null {
  const at = new Date(textOf(value).replace(/([+-]\d\d)(\d\d)$/, '$1:$2'));
  return Number.isNaN(at.getTime()) ? null : at;
}

const maxFaults = 1_000;
const longestText = 2_000;

/** What is no list is none; a line that is no object is kept as its text. */
export function toFlowFaults(value: unknown): ProviderFlowFault[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, maxFaults).map((line) => {
    const fault: Json = isObject(line) ? line : { message: typeof line === 'string' ? line : JSON.stringify(line) };
    const pointer = Array.isArray(fault.pointers) ? object(fault.pointers[0]) : {};
    const place = (name: string) => lineOf(fault[name] ?? pointer[name]);
    return {
      error: shortened(fault.error),
      errorType: shortened(fault.error_type),
      message: shortened(fault.message),
      path: shortened(pointer.path),
      lineStart: place('line_start'),
      lineEnd: place('line_end'),
      columnStart: place('column_start'),
      columnEnd: place('column_end'),
    };
  });
}

const shortened = (value: unknown) => cut(textOf(value), longestText);
const lineOf = (value: unknown) => (Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null);

/** Without an id the provider may still have made the flow. */
export function toNewFlow(reply: unknown): { id: string; validationErrors: ProviderFlowFault[] } {
  const { id, validation_errors }: Json = isObject(reply) ? reply : {};
  const known = idOf(id);
  if (!known) throw new ProviderUnknown('The provider answered without a flow id');
  return { id: known, validationErrors: toFlowFaults(validation_errors) };
}

/** The address of the document; undefined: there is none yet. */
export function toDocumentLink(reply: unknown): string | undefined {
  const asset = toPage(reply, 'a list of assets').data.find((one) => isObject(one) && one.asset_type === 'FLOW_JSON');
  if (!isObject(asset)) return undefined;
  const link = text(asset.download_url);
  if (!link) throw strange('the address of a document');
  return link;
}

/** Alone, or as the one entry of a list. */
export function toFlowKey(reply: unknown): FlowKey {
  if (!isObject(reply)) throw strange('a public key');
  const key = Array.isArray(reply.data) ? object(reply.data[0]) : reply;
  const publicKey = text(key.business_public_key) ?? null;
  return { publicKey, isTrusted: publicKey !== null && key.business_public_key_signature_status === 'VALID' };
}
