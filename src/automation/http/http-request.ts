import Joi from 'joi';
import { isOurOutage } from '../../platform/database/errors.ts';
import { checkUrl } from '../../platform/network/address-guard.ts';
import { CannotOpen } from '../../platform/secrets.ts';
import type { HttpCall } from '../../webhooks/http-caller.ts';
import { forbiddenHeader } from '../../webhooks/request-headers.ts';
import type { CallAction, CallOutcome, StepContext } from '../actions/action.ts';
import { rootsOf } from '../conditions/roots.ts';
import { secretsIn, withoutMarks, withSecrets } from '../secret-marks.ts';
import { hostOfUrl, openSecret } from '../secrets.ts';
import { outcomeOf } from './outcome.ts';
import { urlRules } from './url-rules.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type Method = (typeof methods)[number];

export type HttpRequest = {
  method?: Method;
  url: string;
  headers?: Record<string, string>;
  body?: unknown;
  idempotent?: boolean;
  timeout_ms?: number;
};

const maxTimeoutMs = 10_000;
const maxUrl = 4_096;
const maxHeaders = 20;
const maxHeader = 4_096;
const maxBodyBytes = 64 * 1024;
/** The answer is searched for each of them. */
const maxSecretsOfCall = 20;
/** A secret of 8 kB may stand in a body a thousand times. */
const maxBytesOfSecrets = 64 * 1024;
/** Calls of an organization to one host at once. */
const width = 10;

const isOurs = (name: string) =>
  name.toLowerCase() === 'idempotency-key' || (forbiddenHeader(name) && name.toLowerCase() !== 'content-type');

/** A text that Liquid gives later is judged at the call; so is where a name leads. */
const url: Joi.CustomValidator<string> = (text, helpers) => {
  try {
    const parsed = checkUrl(text, urlRules());
    const beforeQuery = text.split(/[?#]/, 1)[0]!;
    if (secretsIn(beforeQuery).size > 0) throw new Error('a secret stands in the query, in a header or in the body');
    return parsed && text;
  } catch (error) {
    return helpers.message({ custom: `{{#label}}: ${(error as Error).message.replaceAll(/[{}]/g, '')}` });
  }
};

const headers: Joi.CustomValidator<Record<string, string>> = (given, helpers) => {
  const ours = Object.keys(given).find(isOurs);
  if (ours === undefined) return given;
  return helpers.message({ custom: `{{#label}}: the header ${ours.replaceAll(/[{}]/g, '')} cannot be set` });
};

/** A secret is put in at the call, which judges it. */
const headerValue: Joi.CustomValidator<string> = (text, helpers) =>
  /[^\t\x20-\x7e\x80-\xff]/.test(String(withoutMarks(text)))
    ? helpers.message({ custom: '{{#label}} has a character that a header cannot have: a line break, or one beyond Latin-1' })
    : text;

const body: Joi.CustomValidator<unknown> = (given, helpers) =>
  Buffer.byteLength(textOf(given)) > maxBodyBytes
    ? helpers.message({ custom: `{{#label}} has more than ${maxBodyBytes} bytes` })
    : given;

const fields = Joi.object<HttpRequest>({
  method: Joi.string()
    .valid(...methods)
    .default('POST'),
  url: Joi.string().max(maxUrl).custom(url).required().description('https. A secret may stand in its query, which encodes it'),
  headers: Joi.object()
    .pattern(Joi.string().max(200), Joi.string().max(maxHeader).allow('').custom(headerValue))
    .max(maxHeaders)
    .custom(headers)
    .description('Idempotency-Key is set by the call itself: the same at each attempt of the step'),
  body: Joi.any()
    .custom(body)
    .description('A text is sent as it is, anything else as JSON')
    .when('method', { not: Joi.valid('GET', 'HEAD'), otherwise: Joi.forbidden() }),
  idempotent: Joi.boolean()
    .strict()
    .description('It may be made again where the answer was lost. GET, HEAD, PUT and DELETE always are'),
  timeout_ms: Joi.number().strict().integer().min(100).max(maxTimeoutMs).default(maxTimeoutMs),
});

const textOf = (given: unknown): string => (given === undefined ? '' : typeof given === 'string' ? given : JSON.stringify(given));

const isRepeatable = ({ method = 'POST', idempotent = false }: HttpRequest) =>
  idempotent || ['GET', 'HEAD', 'PUT', 'DELETE'].includes(method);

/** A secret is opened for its call alone. */
export const httpRequest: CallAction<HttpRequest> = {
  kind: 'call',
  type: 'http_request',
  description:
    'Calls a system of yours. Where it sends anything that the run reads, whoever saves or publishes the rule needs contacts:read. Its output has status, content_type, body (JSON where it is) and is_cut',
  scopes: ['contacts:read'],
  // Whatever a run reads may be of a person: an event has their words, and a variable may hold them.
  scopesFor: (given) => (rootsOf(given).size > 0 ? ['contacts:read'] : []),
  fields,
  example: {
    method: 'POST',
    url: 'https://crm.example.com/leads',
    headers: { Authorization: 'Bearer {{ secrets.CRM_TOKEN }}' },
    body: { name: '{{ contact.name }}' },
    idempotent: true,
  },
  pool: (organizationId, request) => ({ id: `http:${organizationId}:${hostOf(request.url)}`, width }),
  isRepeatable,
  async call(context, request, key) {
    const opened = await openSecrets(context, request);
    if ('kind' in opened) return opened;
    if (!context.http) throw new Error('Only a worker calls outside');
    const reply = await context.http.call({ ...callOf(request, key, opened), timeoutMs: request.timeout_ms ?? maxTimeoutMs });
    return outcomeOf(reply, opened, isRepeatable(request));
  },
};

const hostOf = (text: string) => URL.parse(text)?.host.toLowerCase() ?? '';

const invalid = (message: string): CallOutcome => ({ kind: 'refused', code: 'request_invalid', message });

/** By name; or why the call cannot be made. */
async function openSecrets({ own, secrets }: StepContext, request: HttpRequest): Promise<Map<string, string> | CallOutcome> {
  const opened = new Map<string, string>();
  const named = secretsIn(request);
  if (named.size > maxSecretsOfCall) return invalid(`A call names at most ${maxSecretsOfCall} secrets`);
  const host = hostOfUrl(request.url);
  let bytes = 0;
  for (const [name, times] of named) {
    try {
      const secret = await openSecret(own, secrets, name);
      if (secret === undefined) return { kind: 'refused', code: 'secret_unknown', message: `There is no secret ${name}` };
      const { value, hosts } = secret;
      if (host === undefined || !hosts.includes(host))
        return { kind: 'refused', code: 'secret_host', message: `The secret ${name} is not bound to the host ${host}` };
      opened.set(name, value);
      bytes += times * Buffer.byteLength(value);
      if (bytes > maxBytesOfSecrets) return invalid(`The secrets of a call have at most ${maxBytesOfSecrets} bytes together`);
    } catch (error) {
      // Nothing was sent: whatever the call is, it can be made later.
      if (isOurOutage(error)) return { kind: 'failed', code: 'unavailable', message: 'The secrets could not be read' };
      if (!(error instanceof CannotOpen)) throw error;
      return { kind: 'refused', code: 'secret_unreadable', message: `The secret ${name} cannot be opened: store it again` };
    }
  }
  return opened;
}

function callOf(
  { method = 'POST', url, headers = {}, body }: HttpRequest,
  key: string,
  secrets: ReadonlyMap<string, string>,
): Omit<HttpCall, 'timeoutMs'> {
  const inQuery = new Map([...secrets].map(([name, value]) => [name, encodeURIComponent(value)]));
  const own = Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !isOurs(name))
      .map(([name, value]) => [name.toLowerCase(), value]),
  );
  const type: Record<string, string> =
    body === undefined ? {} : { 'content-type': typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json' };
  return {
    method,
    url: withSecrets(url, inQuery) as string,
    headers: {
      ...type,
      ...(withSecrets(own, secrets) as Record<string, string>),
      'user-agent': 'Kanal-Automation/1.0',
      'idempotency-key': key,
    },
    ...(body !== undefined && { body: textOf(withSecrets(body, secrets)) }),
  };
}
