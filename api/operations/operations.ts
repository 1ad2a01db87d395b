import Joi from 'joi';
import type { Scope } from '../../src/organizations/scopes.ts';
import { notFound } from '../../src/platform/errors.ts';
import { exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { findOperation, operationStatus } from '../../src/platform/ledger/operations.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { refusal } from '../http/middleware/authenticate.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';

export const operationView = view(
  'operation',
  Joi.object({
    id: id.required(),
    name: Joi.string().required(),
    status: Joi.string().valid('queued', 'running', 'succeeded', 'failed').required(),
    error: Joi.object({
      code: Joi.string().required(),
      message: Joi.string().required(),
      provider_code: Joi.string().allow(null),
    })
      .allow(null)
      .required(),
    subject: Joi.object({ type: Joi.string().required(), id: Joi.string().required() }).required(),
    progress: Joi.object().unknown().allow(null).required(),
    created_at: timestamp.required(),
    finished_at: timestamp.allow(null).required(),
  }),
  {
    id: exampleIds.operation,
    name: 'templates.sync',
    status: 'succeeded',
    error: null,
    subject: { type: 'channel', id: exampleIds.channel },
    progress: null,
    created_at: exampleTime,
    finished_at: '2026-11-21T10:00:01.000Z',
  },
);

/** The scope that reads a subject also reads its operations; `messages:read` reads all of them. */
const scopeOfSubject: Record<string, Scope> = {
  channel: 'channels:read',
  contact_block: 'contacts:read',
  contact_export: 'contacts:read',
  contact_import: 'contacts:read',
  webhook_delivery: 'webhooks:read',
  webhook_endpoint: 'webhooks:read',
};

export const getOperation = endpoint({
  method: 'get',
  path: '/v1/operations/:operationID',
  operationId: 'operations.get',
  tag: 'Operations',
  scope: 'messages:read',
  otherScopes: [...new Set(Object.values(scopeOfSubject))],
  summary: 'Get an operation: what became of work that was asked for',
  description:
    'Kept 7 days after its end. Without `messages:read` it takes the scope that reads its subject: `contacts:read` for an import, an export or a block, `channels:read` for a sync, `webhooks:read` for a test of an endpoint, or a change of what waits for it.',
  subject: 'Operation',
  responses: { 200: operationView },
  async handler({ params, caller, own }) {
    const row = await findOperation(own, params.operationID);
    const others = row && scopeOfSubject[row.subject_type];
    if (!caller.scopes.has('messages:read') && !(others && caller.scopes.has(others))) throw refusal(caller, 'messages:read');
    if (!row) throw notFound('Operation');
    return ok({
      id: row.id,
      name: row.name,
      status: operationStatus(row),
      error: row.error,
      subject: { type: row.subject_type, id: row.subject_id },
      progress: row.progress,
      created_at: iso(row.created_at),
      finished_at: row.finished_at && iso(row.finished_at),
    });
  },
});
