import express, { type NextFunction, type Request, type Response, Router } from 'express';
import type { State } from '../state.ts';
import { authorize } from './authorize.ts';
import { blockUsers, listBlocked, unblockUsers } from './block-users.ts';
import type { GraphResponse } from './context.ts';
import { showKey, uploadKey } from './encryption.ts';
import { GraphError } from './errors.ts';
import {
  createFlow,
  deprecateFlow,
  documentsPath,
  downloadDocument,
  listAssets,
  listFlows,
  publishFlow,
  uploadAsset,
} from './flows.ts';
import { intake } from './intake.ts';
import { attachmentsPath, downloadMedia, uploadMedia } from './media.ts';
import { postMessage } from './messages.ts';
import { isMultipart } from './multipart.ts';
import { getBusinessProfile, getSettings, postBusinessProfile, postSettings } from './number-settings.ts';
import { exchangeCode, tokenPath } from './oauth.ts';
import { deleteObject, getObject, postObject } from './objects.ts';
import { listPhoneNumbers } from './phone-numbers.ts';
import { deregister, register, requestCode, verifyCode } from './registration.ts';
import { reply } from './reply.ts';
import { listSubscribed, subscribeApp, unsubscribeApp } from './subscribed-apps.ts';
import { createTemplate, deleteTemplate } from './template-changes.ts';
import { getTemplate, listTemplates } from './templates.ts';

export function graphRouter(state: State): Router {
  const router = Router();
  router.use(express.raw({ limit: '101mb', type: (req) => isMultipart(req.headers['content-type']) }));
  router.use(express.urlencoded({ limit: '3mb', extended: false }));
  // A document of 10 MB is a string within JSON, each of its quotes escaped.
  router.use(express.json({ limit: '32mb', type: (req) => !isForm(req.headers['content-type']) }), ignoreMalformedBody);
  router.use(intake(state));
  router.get(tokenPath, exchangeCode(state));
  router.get(`${documentsPath}:id`, downloadDocument(state));
  router.use(authorize(state));
  router.get(attachmentsPath, downloadMedia(state));
  router.route('/:id').get(getObject(state)).post(postObject(state)).delete(deleteObject(state));
  router.post('/:id/messages', postMessage(state));
  router.post('/:id/media', uploadMedia(state));
  router.route('/:id/message_templates').get(listTemplates(state)).post(createTemplate(state)).delete(deleteTemplate(state));
  router.get('/:id/message_templates/:templateId', getTemplate(state));
  router.get('/:id/phone_numbers', listPhoneNumbers(state));
  router.route('/:id/subscribed_apps').get(listSubscribed(state)).post(subscribeApp(state)).delete(unsubscribeApp(state));
  router.post('/:id/register', register(state));
  router.post('/:id/deregister', deregister(state));
  router.post('/:id/request_code', requestCode(state));
  router.post('/:id/verify_code', verifyCode(state));
  router.route('/:id/settings').get(getSettings(state)).post(postSettings(state));
  router.route('/:id/whatsapp_business_profile').get(getBusinessProfile(state)).post(postBusinessProfile(state));
  router.route('/:id/block_users').get(listBlocked(state)).post(blockUsers(state)).delete(unblockUsers(state));
  router.route('/:id/flows').get(listFlows(state)).post(createFlow(state));
  router.route('/:id/assets').get(listAssets(state)).post(uploadAsset(state));
  router.post('/:id/publish', publishFlow(state));
  router.post('/:id/deprecate', deprecateFlow(state));
  router.route('/:id/whatsapp_business_encryption').get(showKey(state)).post(uploadKey(state));
  router.use(unknownPath);
  router.use(renderError);
  return router;
}

const isForm = (type: string | undefined) => isMultipart(type) || /^application\/x-www-form-urlencoded\b/i.test(type ?? '');

/** Graph reads a body it cannot parse as no parameters at all, and then misses the first one. */
function ignoreMalformedBody(_error: unknown, req: Request, _res: Response, next: NextFunction): void {
  req.body = undefined;
  next();
}

function unknownPath(req: Request): void {
  throw new GraphError(2500, { status: 400, message: `Unknown path components: ${req.path.replace(/^\/[^/]+(?=\/)/, '')}` });
}

function renderError(error: unknown, _req: Request, res: GraphResponse, _next: NextFunction): void {
  const refusal = error instanceof GraphError ? error : new GraphError(131000, { details: String(error) });
  reply(res, refusal.status, refusal.toBody(res.locals.traceId));
}
