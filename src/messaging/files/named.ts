import { assetIdIn, isBase64Url } from '../../media/asset-id.ts';
import { shownName } from '../../media/file-name.ts';
import { findAsset } from '../../media/find.ts';
import { canBeSentAs, limitOf, type MediaKind, mediaKinds, voiceType } from '../../media/kinds.ts';
import type { Own } from '../../platform/database/own.ts';
import { invalidField } from '../../platform/errors.ts';

type Json = Record<string, unknown>;

/** A file that a message to be sent names by our asset id. `file`: the part of the content that names it. */
export type NamedFile = { kind: MediaKind; assetId: string; field: string; file: Json };

const object = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});
const list = (value: unknown): Json[] => (Array.isArray(value) ? value.map(object) : []);
const kinds: readonly string[] = mediaKinds;

/** Of the message itself, of an interactive one's header, of a template's parameters. Most messages have none. */
export function namedFiles(type: string, content: Json): NamedFile[] {
  if (kinds.includes(type)) return named(type, content, type);
  if (type === 'interactive') return named(object(content.header).type, content.header, 'interactive.header');
  if (type !== 'template') return [];
  return parametersOf(content.components).flatMap((parameter) => named(parameter.type, parameter, 'template.components'));
}

/** The components of a carousel's cards too. */
function parametersOf(components: unknown, isCard = false): Json[] {
  return list(components).flatMap(({ parameters, cards }) => [
    ...list(parameters),
    ...(isCard ? [] : list(cards).flatMap((card) => parametersOf(card.components, true))),
  ]);
}

function named(kind: unknown, holder: unknown, field: string): NamedFile[] {
  if (typeof kind !== 'string' || !kinds.includes(kind)) return [];
  const [file, path] = kind === field ? [object(holder), field] : [object(object(holder)[kind]), `${field}.${kind}`];
  return file.asset_id === undefined
    ? []
    : [
        {
          kind: kind as MediaKind,
          assetId: typeof file.asset_id === 'string' ? oneSpelling(file.asset_id) : '',
          field: `${path}.asset_id`,
          file,
        },
      ];
}

/** With or without its padding it is the same file. */
const oneSpelling = (assetId: string) => (isBase64Url(assetId) ? assetId.replaceAll('=', '') : assetId);

/** Throws 422 for a file that is not there, or that the provider does not take as what it is sent as. */
export async function assertFiles(own: Own, type: string, content: Json): Promise<void> {
  for (const { kind, assetId, field, file } of namedFiles(type, content)) {
    if (file.id !== undefined || file.link !== undefined) throw invalidField(field, 'Give one of id, link and asset_id');
    const id = isBase64Url(assetId) ? assetIdIn(own.organizationId, assetId) : undefined;
    const asset = id && (await findAsset(own, id));
    if (!asset) throw invalidField(field, 'No media asset has this id');
    if (!canBeSentAs(kind, asset.mime_type)) throw invalidField(field, `A file of ${asset.mime_type} cannot be sent as ${kind}`);
    if (kind === 'audio' && file.voice === true && asset.mime_type !== voiceType)
      throw invalidField(field, `A file of ${asset.mime_type} cannot be sent as a voice message: it takes OGG with OPUS`);
    if (kind === asset.kind) continue;
    const limit = limitOf(kind, false);
    if (Number(asset.size_bytes) > limit)
      throw invalidField(field, `The file has ${asset.size_bytes} bytes, and one sent as ${kind} has ${limit} at most`);
  }
}

/** The content with the provider's ids in place of ours. A document without a name has that of its asset: people would see "Untitled". */
export function withProviderIds(type: string, content: Json, fileOf: (assetId: string) => { id: string; name: string }): Json {
  const copy = structuredClone(content);
  for (const { kind, file, assetId } of namedFiles(type, copy)) {
    const { id, name } = fileOf(assetId);
    delete file.asset_id;
    file.id = id;
    if (kind === 'document' && file.filename === undefined && name !== '') file.filename = shownName(name);
  }
  return copy;
}
