import type { Template } from '../accounts.ts';
import type { Flow } from '../flows/store.ts';
import type { Media } from '../media.ts';
import type { State } from '../state.ts';
import { ownTemplates } from './authorize.ts';
import { showBusinessAccount } from './business-accounts.ts';
import type { GraphRequest, GraphResponse } from './context.ts';
import { noSuchObject } from './errors.ts';
import { showFlow } from './flow-node.ts';
import { deleteFlow, editFlow, findFlow } from './flows.ts';
import { deleteMedia, showMedia } from './media.ts';
import { showNumber } from './phone-numbers.ts';
import { reply } from './reply.ts';
import { editTemplate } from './template-changes.ts';
import { showTemplate } from './templates.ts';

/** Graph addresses numbers, accounts, templates, flows and media alike, by their id alone. */
type Node = { kind: 'template'; template: Template } | { kind: 'flow'; flow: Flow } | { kind: 'media'; media: Media };

function nodeOf(state: State, req: GraphRequest, res: GraphResponse): Node {
  const { id } = req.params;
  const media = state.media.find(id, res.locals.token);
  if (media) return { kind: 'media', media };
  const template = ownTemplates(state, res).find((known) => known.id === id);
  if (template) return { kind: 'template', template };
  const flow = findFlow(state, id, res);
  if (flow) return { kind: 'flow', flow };
  throw noSuchObject(id, req.method);
}

export function getObject(state: State) {
  return (req: GraphRequest, res: GraphResponse): void => {
    const account = state.accounts.ofNumber(req.params.id);
    if (account?.access_token === res.locals.token) {
      reply(res, 200, showNumber(account, state, req.query.fields));
      return;
    }
    const [business] = state.accounts.ofWaba(req.params.id, res.locals.token);
    if (business) {
      reply(res, 200, showBusinessAccount(business, req.query.fields));
      return;
    }
    const node = nodeOf(state, req, res);
    if (node.kind === 'flow') reply(res, 200, showFlow(state, node.flow, req, req.query.fields));
    else if (node.kind === 'media') reply(res, 200, showMedia(state, node.media, req));
    else reply(res, 200, showTemplate(node.template, req.query.fields));
  };
}

export function postObject(state: State) {
  return (req: GraphRequest, res: GraphResponse): void | Promise<void> => {
    const node = nodeOf(state, req, res);
    if (node.kind === 'flow') return editFlow(state, node.flow)(req, res);
    if (node.kind !== 'template') throw noSuchObject(req.params.id, req.method);
    reply(res, 200, editTemplate(state, node.template, req, res));
  };
}

export function deleteObject(state: State) {
  return (req: GraphRequest, res: GraphResponse): void => {
    const node = nodeOf(state, req, res);
    if (node.kind === 'template') throw noSuchObject(req.params.id, req.method);
    reply(res, 200, node.kind === 'media' ? deleteMedia(state, node.media, req) : deleteFlow(state, node.flow));
  };
}
