import { ProviderFailed, ProviderUnknown } from '../errors.ts';
import { type GraphError, sortedError } from './error-codes.ts';
import { tierOf } from './messaging-limit.ts';
import type { Accepted, Address, NumberHealth, ProviderTemplate } from './provider.ts';

type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
export const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
const firstOf = (value: unknown): Json => (Array.isArray(value) && isObject(value[0]) ? value[0] : {});
/** Decimal strings here, numbers in webhooks. */
export const idOf = (value: unknown) => (typeof value === 'number' ? String(value) : text(value));
export const strange = (what: string) => new ProviderFailed(`The provider's answer is not ${what}`);

/** Without a message id the provider may still have taken the message. */
export function toAccepted(reply: unknown): Accepted {
  const { messages, contacts }: Json = isObject(reply) ? reply : {};
  const id = text(firstOf(messages).id);
  if (!id) throw new ProviderUnknown('The provider answered without a message id');
  const { wa_id, user_id } = firstOf(contacts);
  return { providerMessageId: id, phoneId: text(wa_id), userId: text(user_id) };
}

/** Of a call that answers nothing else. */
export function checkDone(reply: unknown) {
  if (!isObject(reply) || reply.success !== true) throw strange('that it is done');
}

export function toMedia(reply: unknown): { url: string; mimeType: string; bytes: number | undefined } {
  const { url, mime_type, file_size }: Json = isObject(reply) ? reply : {};
  const [link, bytes] = [text(url), Number(file_size)];
  if (!link) throw strange('the link of a file');
  return { url: link, mimeType: text(mime_type) ?? '', bytes: file_size !== undefined && bytes >= 0 ? bytes : undefined };
}

export function toUploaded(reply: unknown): string {
  const id = isObject(reply) ? idOf(reply.id) : undefined;
  if (!id) throw strange('the id of a file');
  return id;
}

export function toNumber(reply: unknown): { displayPhone: string; verifiedName: string } {
  const { display_phone_number, verified_name }: Json = isObject(reply) ? reply : {};
  const phone = text(display_phone_number);
  if (!phone) throw strange('a phone number');
  return { displayPhone: phone.replace(/\D/g, ''), verifiedName: text(verified_name) ?? '' };
}

/** A header carries it. */
export function toAccessToken(reply: unknown): string {
  const token = isObject(reply) ? text(reply.access_token) : undefined;
  if (!token || !/^[\x21-\x7e]{1,4096}$/.test(token)) throw strange('an access token');
  return token;
}

const word = (value: unknown) => (text(value) ?? '').toLowerCase();

export function toHealth(reply: unknown): NumberHealth {
  if (!isObject(reply) || !idOf(reply.id)) throw strange('a phone number');
  const { throughput, verified_name } = reply;
  return {
    verifiedName: text(verified_name) ?? '',
    nameStatus: word(reply.name_status),
    quality: word(reply.quality_rating),
    messagingLimit: tierOf(word(reply.messaging_limit_tier)),
    throughput: isObject(throughput) ? word(throughput.level) : '',
  };
}

export type Next = { after?: string };

export function toPage(reply: unknown, what: string): Next & { data: unknown[] } {
  if (!isObject(reply) || !Array.isArray(reply.data)) throw strange(what);
  const paging: Json = isObject(reply.paging) ? reply.paging : {};
  const after = paging.next && isObject(paging.cursors) ? text(paging.cursors.after) : undefined;
  return { data: reply.data, ...(after && { after }) };
}

export const hasEntries = (reply: unknown): boolean => toPage(reply, 'a list of apps').data.length > 0;

export function toIdPage(reply: unknown): Next & { ids: string[] } {
  const { data, ...next } = toPage(reply, 'a list of numbers');
  const ids = data.map((entry) => {
    const id = isObject(entry) ? idOf(entry.id) : undefined;
    if (!id) throw strange('a number');
    return id;
  });
  return { ids, ...next };
}

export function toAppIds(reply: unknown): string[] {
  const { data } = toPage(reply, 'a list of apps');
  return data.flatMap((entry) => {
    const app = isObject(entry) ? entry.whatsapp_business_api_data : undefined;
    return (isObject(app) && idOf(app.id)) || [];
  });
}

/** One unreadable entry fails the page: left out, it would count as deleted. */
export function toTemplatePage(reply: unknown): Next & { templates: ProviderTemplate[] } {
  const { data, ...next } = toPage(reply, 'a list of templates');
  return { templates: data.map(toTemplate), ...next };
}

function toTemplate(raw: unknown): ProviderTemplate {
  const { id, name, language, category, status, components, quality_score, rejected_reason }: Json = isObject(raw) ? raw : {};
  const quality = isObject(quality_score) ? text(quality_score.score) : undefined;
  const reason = rejected_reason === 'NONE' ? undefined : text(rejected_reason);
  const known = { id: idOf(id), name: text(name), language: text(language) };
  if (!known.id || !known.name || !known.language) throw strange('a template');
  return {
    id: known.id,
    name: known.name,
    language: known.language,
    category: (text(category) ?? '').toLowerCase(),
    status: text(status) ?? '',
    components: Array.isArray(components) ? components : [],
    ...(quality && { quality: quality.toLowerCase() }),
    ...(reason && { reason }),
  };
}

/** Without an id the provider may still have taken the template. */
export function toNewTemplate(reply: unknown): Pick<ProviderTemplate, 'id' | 'status' | 'category'> {
  const { id, status, category }: Json = isObject(reply) ? reply : {};
  const known = idOf(id);
  if (!known) throw new ProviderUnknown('The provider answered without a template id');
  return { id: known, status: text(status) ?? 'PENDING', category: (text(category) ?? '').toLowerCase() };
}

const listsOf = (reply: unknown): Json => (isObject(reply) && isObject(reply.block_users) ? reply.block_users : {});

/** The error of the whole says only that some failed; this is the user's own. */
export function userFault(reply: unknown): GraphError | undefined {
  const { code, message, error_data } = firstOf(firstOf(listsOf(reply).failed_users).errors);
  if (typeof code !== 'number') return undefined;
  const details = isObject(error_data) ? text(error_data.details) : undefined;
  return { code, message: text(message) ?? 'Refused', ...(details && { details }) };
}

/** A user listed neither as done nor as failed was skipped. */
export function checkListed(reply: unknown, list: 'added_users' | 'removed_users', { phone, userId }: Address) {
  const fault = userFault(reply);
  if (fault) throw sortedError(fault);
  const users = listsOf(reply)[list];
  const isMeant = ({ input, wa_id, user_id }: Json) =>
    phone ? wa_id === phone || text(input)?.replace(/\D/g, '') === phone : user_id === userId || input === userId;
  if (!Array.isArray(users) || !users.some((user) => isObject(user) && isMeant(user))) throw strange('about the user');
}
