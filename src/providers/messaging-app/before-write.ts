const connecting = new Set(['connect', 'getaddrinfo']);
// The certificate is looked at before the request is sent; seen with TLS 1.2 and 1.3.
const badCertificate = new Set([
  'CERT_HAS_EXPIRED',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);
const phasesBefore: unknown[] = ['lookup', 'connect', 'secureConnect'];

type SystemError = { code?: unknown; syscall?: unknown; errors?: unknown };

/**
 * Whether a request failed while its connection was being made, so that not one byte of it has left and a send may be repeated. The
 * code alone does not tell: a host can become unreachable, or a socket time out, under a request that is half written.
 */
export function failedBeforeWrite(error: unknown): boolean {
  // Our own limit on time says in which phase it struck.
  const { event, cause } = error as { event?: unknown; cause?: unknown };
  return event === undefined ? isOfConnecting(cause) : phasesBefore.includes(event);
}

function isOfConnecting(fault: unknown): boolean {
  const { code, syscall, errors } = (fault ?? {}) as SystemError;
  // Several addresses were tried, and each has an error of its own.
  if (Array.isArray(errors)) return errors.length > 0 && errors.every(isOfConnecting);
  return connecting.has(syscall as string) || badCertificate.has(code as string);
}
