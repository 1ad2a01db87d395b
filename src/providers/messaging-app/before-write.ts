const connecting = new Set(['connect', 'getaddrinfo']);
// The certificate is checked before the request is sent; seen with TLS 1.2 and 1.3.
const badCertificate = new Set([
  'CERT_HAS_EXPIRED',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);
const phasesBefore: unknown[] = ['lookup', 'connect', 'secureConnect'];

type SystemError = { code?: unknown; syscall?: unknown; errors?: unknown };

/** True: no byte was sent, so a send may be repeated. The code is not enough: a half-written request can fail with the same. */
export function failedBeforeWrite(error: unknown): boolean {
  // Our own timeout names its phase.
  const { event, cause } = error as { event?: unknown; cause?: unknown };
  return event === undefined ? isOfConnecting(cause) : phasesBefore.includes(event);
}

function isOfConnecting(fault: unknown): boolean {
  const { code, syscall, errors } = (fault ?? {}) as SystemError;
  // Several addresses were tried, each with an error of its own.
  if (Array.isArray(errors)) return errors.length > 0 && errors.every(isOfConnecting);
  return connecting.has(syscall as string) || badCertificate.has(code as string);
}
