import { readDocument } from '../flows/document.ts';
import { isYes, readCategories, readEndpointUri, readMetadata, readName, refusedAs } from '../flows/metadata.ts';
import { beforeEdit, deprecate, edited, mustBePublishable, publish, remove, replaceDocument } from '../flows/moves.ts';
import type { Flow } from '../flows/store.ts';
import type { Fields } from '../messages/checks.ts';
import type { State } from '../state.ts';
import { ownWaba } from './authorize.ts';
import type { GraphRequest, GraphResponse } from './context.ts';
import { GraphError } from './errors.ts';
import { showFlow } from './flow-node.ts';
import { readParameters } from './multipart.ts';
import { page } from './paging.ts';
import { reply } from './reply.ts';
import { requestUrl } from './request-url.ts';

export const documentsPath = '/flow_documents/';

const missingFlow = () =>
  refusedAs('Flow with specified ID does not exist', 'The Flow does not exist, or the token has no access to it.');
const askedOf = (req: GraphRequest, res: GraphResponse) => ({ method: req.method, path: res.locals.path });

/** Undefined also for a flow of another token's account. */
export function findFlow(state: State, id: string, res: GraphResponse): Flow | undefined {
  const flow = state.flows.get(id);
  const isOwn = flow && state.accounts.ofToken(res.locals.token).some(({ waba_id }) => waba_id === flow.wabaId);
  if (isOwn) state.flows.calls.count(flow.wabaId);
  return isOwn ? flow : undefined;
}

function ownFlow(state: State, req: GraphRequest, res: GraphResponse): Flow {
  const flow = findFlow(state, req.params.id, res);
  if (!flow) throw missingFlow();
  return flow;
}

export function listFlows(state: State) {
  return (req: GraphRequest, res: GraphResponse): void => {
    ownWaba(state, req, res);
    state.flows.calls.count(req.params.id);
    const nodes = state.flows.ofWaba(req.params.id).map((flow) => showFlow(state, flow, req, req.query.fields));
    reply(res, 200, page(nodes, requestUrl(req)));
  };
}

export function createFlow(state: State) {
  return async (req: GraphRequest, res: GraphResponse): Promise<void> => {
    ownWaba(state, req, res);
    const wabaId = req.params.id;
    state.flows.calls.count(wabaId);
    const body = await readParameters(req);
    const name = readName(body.name, wabaId, state.flows);
    const categories = readCategories(body.categories);
    const endpointUri = body.endpoint_uri === undefined ? null : readEndpointUri(body.endpoint_uri);
    const document = newDocument(state, body, wabaId, res);
    const draft = { wabaId, name, categories, endpointUri, document, status: 'DRAFT' as const };
    if (isYes(body.publish)) mustBePublishable(state, draft);
    const flow = state.flows.add(draft);
    if (isYes(body.publish)) publish(state, flow, askedOf(req, res));
    reply(res, 200, { id: flow.id, success: true, validation_errors: document?.validationErrors ?? [] });
  };
}

function newDocument(state: State, body: Fields, wabaId: string, res: GraphResponse): Flow['document'] {
  const { flow_json: text, clone_flow_id: cloned } = body;
  if (cloned !== undefined && (body.clone_template !== undefined || text !== undefined))
    throw refusedAs('Only one clone source can be set', 'Give one of clone_flow_id, clone_template and flow_json.');
  if (cloned !== undefined) {
    const source = findFlow(state, String(cloned), res);
    if (source?.wabaId !== wabaId) throw missingFlow();
    return source.document;
  }
  if (text === undefined) return null;
  if (typeof text !== 'string') throw new GraphError(100, { message: '(#100) Param flow_json must be a string.' });
  return readDocument(text);
}

export function editFlow(state: State, flow: Flow) {
  return async (req: GraphRequest, res: GraphResponse): Promise<void> => {
    const change = readMetadata(await readParameters(req), flow.wabaId, state.flows, flow);
    if (Object.keys(change).length === 0) throw new GraphError(100, { message: '(#100) At least one parameter is required.' });
    beforeEdit(state, flow);
    Object.assign(flow, change);
    edited(state, flow, askedOf(req, res));
    reply(res, 200, { success: true });
  };
}

export function deleteFlow(state: State, flow: Flow): object {
  remove(state, flow);
  return { success: true };
}

/** 200 also with validation errors: what has them is kept, and cannot be published. */
export function uploadAsset(state: State) {
  return async (req: GraphRequest, res: GraphResponse): Promise<void> => {
    const flow = ownFlow(state, req, res);
    const { file, name, asset_type: type } = await readParameters(req);
    if (name !== 'flow.json') throw new GraphError(100, { message: '(#100) Param name must be flow.json.' });
    if (type !== 'FLOW_JSON') throw new GraphError(100, { message: '(#100) Param asset_type must be one of {FLOW_JSON}.' });
    if (!(file instanceof File)) throw new GraphError(100, { message: '(#100) The parameter file is required.' });
    replaceDocument(state, flow, await file.text(), askedOf(req, res));
    reply(res, 200, { success: true, validation_errors: flow.document!.validationErrors });
  };
}

export function listAssets(state: State) {
  return (req: GraphRequest, res: GraphResponse): void => {
    const { document } = ownFlow(state, req, res);
    if (!document) {
      reply(res, 200, { data: [] });
      return;
    }
    const url = requestUrl(req);
    const download_url = new URL(`${documentsPath}${state.flows.linkFor(document.text)}`, url).href;
    reply(res, 200, page([{ name: 'flow.json', asset_type: 'FLOW_JSON', download_url }], url));
  };
}

/** As from a store of files: no token is asked for, and the address lives some minutes. */
export function downloadDocument(state: State) {
  return (req: GraphRequest, res: GraphResponse): void => {
    const text = state.flows.textBehind(req.params.id);
    if (text === undefined) throw new GraphError(100, { status: 403, message: 'URL signature expired' });
    reply(res, 200, Buffer.from(text));
  };
}

const move =
  (make: typeof publish) =>
  (state: State) =>
  (req: GraphRequest, res: GraphResponse): void => {
    make(state, ownFlow(state, req, res), askedOf(req, res));
    reply(res, 200, { success: true });
  };

export const publishFlow = move(publish);
export const deprecateFlow = move(deprecate);
