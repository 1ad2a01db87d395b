import { unions } from '../src/platform/schemas/variants.ts';
import type { Endpoint, ErrorShape } from './http/endpoint.ts';
import { errorBodies } from './http/errors.ts';
import { secureName } from './http/middleware/session-cookie.ts';
import { errorSchemas, sharedErrorResponses } from './http/openapi/errors.ts';
import { headerComponents } from './http/openapi/headers.ts';
import { type Json, referring, schemaOf, showingUnions, variantsOf } from './http/openapi/json-schema.ts';
import { operationOf } from './http/openapi/operation.ts';
import { webhooksOf } from './http/openapi/webhooks.ts';
import { endpoints } from './index.ts';
import { namedSchemas } from './named-schemas.ts';

const description = `
Messaging, CRM and commerce over one HTTP API, self-hosted.

Programs send the API key of their organization in \`X-Api-Key\`, people a bearer token of their own (\`Authorization: Bearer\`) or the
cookie of their session; each operation names the scope it needs. Bodies are JSON of at most 1 MiB and 10,000
values, 16 kB where no credential is needed; times are ISO 8601 in UTC, ids are UUIDs.

Whatever has to talk to a provider happens after the reply: a message goes from \`queued\` to \`sent\`, \`delivered\` and \`read\`, and
other work is an operation, named in \`Operation-Id\`. Every change is an event, and told to the webhook endpoints you create, signed
after [Standard Webhooks](https://www.standardwebhooks.com). All events are listed under *Webhooks*, after the operations.

Every reply says in \`RateLimit\` how many requests are left in this minute; beyond them the answer is 429, and \`Retry-After\` says how long
to wait.

A request with an \`Idempotency-Key\` may be repeated without harm. Lists are paged: \`meta.next_cursor\` is the \`cursor\` of the next page.

Single messages, contacts and what belongs to them, login and \`/v1/auth/me\` come as \`{data}\`; other records come as they are. Lists of
contacts and of what belongs to them are \`{data, meta}\`, other lists \`{items, meta}\`; the schema of each reply says which.
Errors are \`{error: {code, message, details, request_id}}\`, but for the lookup of contacts, login and single messages, which show their own.
`.trim();

/** The parts of the document, in the order a reader needs them. */
const tags = [
  { name: 'Messages', description: 'Send, follow and retry messages' },
  { name: 'Conversations', description: 'What is said with one contact on one channel, and what the team does with it' },
  { name: 'Contacts', description: 'The people you talk to: who they are, what they allow, what you know of them' },
  { name: 'Segments', description: 'Named sets of contacts, by filters or by hand, to write to' },
  {
    name: 'Campaigns',
    description: 'One template to many people: each once, as fast as the channels, and never ahead of an answer',
  },
  {
    name: 'Automation',
    description: 'Rules that act by themselves: what they begin with, what they ask, what they do, and each of their runs',
  },
  { name: 'CRM', description: 'Deals in their pipelines, tasks, and records of types you define' },
  { name: 'Media', description: 'Files to send, and those that came in with messages' },
  { name: 'Channels', description: 'The numbers messages go out from and come in to' },
  { name: 'Templates', description: 'Messages the provider has reviewed, which may be sent at any time' },
  { name: 'Flows', description: 'Forms inside the chat: their documents, their state at the provider, and what people answered' },
  { name: 'Commerce', description: 'What a shop sells, its orders, what was paid for them, and how they are delivered' },
  { name: 'Bookings', description: 'Services that are done at a time, who does them, and what their calendars show' },
  { name: 'Connections', description: 'Accounts at calendar, video, shipper and payment services' },
  {
    name: 'Onboarding',
    description:
      "How a number comes to a channel through the provider's embedded signup, step by step; each step is an operation",
  },
  { name: 'Webhooks', description: 'Your servers that hear of events; the events themselves stand below' },
  {
    name: 'Events',
    description: 'What happened, to look at or to read on from where you stopped: for programs no webhook can reach',
  },
  { name: 'Operations', description: 'What became of work that was asked for' },
  { name: 'Accounts', description: 'Log in and out, your password, your bearer tokens' },
  { name: 'Organization', description: 'Members and their roles, invitations, API keys, the audit log' },
  { name: 'Provider webhooks', description: 'For the messaging, payment and shipping providers, not for you' },
];

function pathsOf(definitions: Endpoint<unknown, unknown>[]): Json {
  const paths: Record<string, Json> = {};
  for (const endpoint of definitions) {
    const path = endpoint.path.replace(/:([A-Za-z]+)/g, '{$1}');
    paths[path] = { ...paths[path], [endpoint.method]: operationOf(endpoint) };
  }
  return paths;
}

/** The whole document, OpenAPI 3.1, from the endpoints and the events. */
export function openapiDocument(url = '/'): Json {
  const definitions = endpoints as unknown as Endpoint<unknown, unknown>[];
  const shapes = (Object.keys(errorBodies) as ErrorShape[]).filter((shape) =>
    definitions.some(({ errorShape = 'standard' }) => errorShape === shape),
  );
  const variants = definitions.flatMap(({ body }) => (body ? variantsOf(body, 'input') : []));
  const replies = [...Object.entries(namedSchemas), ...errorSchemas(shapes)];
  const { show, named: ofUnions } = showingUnions(unions);
  const named = Object.fromEntries([
    ...replies.map(([name, schema]) => [name, schemaOf(schema, 'output')]),
    ...variants.map(({ name, json }) => [name, show(json)]),
    ...Object.entries(ofUnions),
  ]);
  const refer = referring(named);
  const partsReferred = (json: Json) => Object.fromEntries(Object.entries(json).map(([key, part]) => [key, refer(part)]));
  return {
    openapi: '3.1.0',
    info: { title: 'Kanal', version: '0.1.0', description, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url }],
    tags,
    paths: refer(show(pathsOf(definitions))),
    webhooks: webhooksOf(),
    components: {
      securitySchemes: {
        apiKeyAuth: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: 'The API key of an organization' },
        bearerAuth: { type: 'http', scheme: 'bearer', description: 'A bearer token a person made for themselves, `kt_…`' },
        sessionAuth: {
          type: 'apiKey',
          in: 'cookie',
          name: secureName,
          description:
            'The session of a person who has logged in. Changes something only from an allowed `Origin`. On localhost without TLS: `kanal_session`',
        },
      },
      schemas: Object.fromEntries(
        Object.entries(named as Record<string, Json>).map(([name, json]) => [name, partsReferred(json)]),
      ),
      headers: headerComponents,
      responses: sharedErrorResponses(shapes),
    },
  };
}
