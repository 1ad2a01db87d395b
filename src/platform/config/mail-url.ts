export type MailServer = {
  host: string;
  port: number;
  /** TLS from the first byte. */
  isSecure: boolean;
  /** `required`: STARTTLS before anything else, or no mail. */
  startTls: 'required' | 'off';
  credentials?: { user: string; password: string };
};

const isLoopback = (host: string) => host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);

/** Parses `smtps://user:password@host:port`, or smtp:// with `?tls=required` or `?tls=off`. Errors do not show the URL. */
export function parseMailUrl(text: string): MailServer {
  const url = URL.parse(text);
  if (!url || !['smtp:', 'smtps:'].includes(url.protocol) || !url.hostname)
    throw new Error('is not smtp:// or smtps:// with a host');
  const isSecure = url.protocol === 'smtps:';
  const tls = url.searchParams.get('tls');
  const isKnown =
    url.searchParams.size === (tls === null ? 0 : 1) && (tls === null || (!isSecure && ['required', 'off'].includes(tls)));
  if (!isKnown || url.hash || !['', '/'].includes(url.pathname))
    throw new Error('has more than a host, a port and, for smtp://, tls=required or tls=off');
  if (Boolean(url.username) !== Boolean(url.password))
    throw new Error('has a user without a password, or a password without a user');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return {
    host,
    port: Number(url.port) || (isSecure ? 465 : 587),
    isSecure,
    startTls: tls === 'off' || (tls === null && isLoopback(host)) ? 'off' : 'required',
    ...(url.username && { credentials: { user: decoded(url.username), password: decoded(url.password) } }),
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Error('has credentials that are not percent-encoded');
  }
}

/** One `Name <local@domain>` or address, with nothing around it that could become another header or recipient. */
export const mailbox =
  /^(?:[^<>@,;:"\\\p{Cc}]{1,100} <([^\s<>@,;:"\\]{1,64}@[^\s<>@,;:"\\]{1,190})>|([^\s<>@,;:"\\]{1,64}@[^\s<>@,;:"\\]{1,190}))$/u;

export const domainOf = (from: string) => from.slice(from.lastIndexOf('@') + 1).replace(/>$/, '');
