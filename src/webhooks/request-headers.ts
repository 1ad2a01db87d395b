// What frames the request, names the sender or must match the body: never a customer's to set.
const RESERVED = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
]);

const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
const SIGNATURE_PREFIX = 'webhook-';

/** Whether an endpoint may not carry a header of this name, because it is reserved or not a header name at all. */
export function forbiddenHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return !TOKEN.test(name) || RESERVED.has(lower) || lower.startsWith(SIGNATURE_PREFIX);
}

/**
 * The headers that go out: ours, the `webhook-*` ones the delivery wrote, and the customer's others. Names are compared without
 * case and the `webhook-*` ones count only in lower case, as the delivery writes them, so no second spelling rides along.
 */
export function requestHeaders(given: Record<string, string>): Record<string, string> {
  const headers = new Map<string, string>();
  for (const [name, value] of Object.entries(given)) {
    if (name.startsWith(SIGNATURE_PREFIX) || !forbiddenHeader(name)) headers.set(name.toLowerCase(), value);
  }
  headers.set('content-type', 'application/json');
  headers.set('user-agent', 'Kanal-Webhooks/1.0');
  return Object.fromEntries(headers);
}
