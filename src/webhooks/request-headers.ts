// They frame the request, name the sender or must match the body: customers cannot set them.
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

export function forbiddenHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return !TOKEN.test(name) || RESERVED.has(lower) || lower.startsWith(SIGNATURE_PREFIX);
}

/** `webhook-*` counts only in lower case, as the delivery writes it, so that no second spelling passes. */
export function requestHeaders(given: Record<string, string>): Record<string, string> {
  const headers = new Map<string, string>();
  for (const [name, value] of Object.entries(given)) {
    if (name.startsWith(SIGNATURE_PREFIX) || !forbiddenHeader(name)) headers.set(name.toLowerCase(), value);
  }
  headers.set('content-type', 'application/json');
  headers.set('user-agent', 'Kanal-Webhooks/1.0');
  return Object.fromEntries(headers);
}
