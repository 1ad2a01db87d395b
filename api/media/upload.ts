import Joi from 'joi';
import { dropRefused, keepFile } from '../../src/media/assets.ts';
import { largestFile, type MediaKind, mediaKinds } from '../../src/media/kinds.ts';
import { type FileFacts, factsOf, type IncomingFile, type ReceivedFile, receiveFile } from '../../src/media/receive.ts';
import { assertRoom } from '../../src/media/usage.ts';
import { actorOf } from '../../src/organizations/caller.ts';
import { isOurOutage } from '../../src/platform/database/errors.ts';
import { ownRows } from '../../src/platform/database/own.ts';
import { AppError } from '../../src/platform/errors.ts';
import { piecesOf } from '../../src/platform/pieces.ts';
import { sha256 } from '../../src/platform/secrets.ts';
import { endpoint } from '../http/endpoint.ts';
import { fileInForm } from './form-file.ts';
import { assetView, tag, toAssetView } from './schemas.ts';

type Query = { kind?: MediaKind; file_name?: string };
/** `isKept`: a row names the file, or may. Undefined `file`: the request was only compared with an earlier one. */
type Upload = { file?: ReceivedFile; isKept: boolean };

const formField = 'file';
/** What a form has around its file. */
const formBytes = 64 * 1024;
/** Bodies of clients that meant something else: a file of these types comes in a form. */
const notFiles = ['application/json', 'application/x-www-form-urlencoded'];

export const uploadAsset = endpoint({
  method: 'post',
  path: '/v1/media/assets',
  operationId: 'media.assets.create',
  tag,
  scope: 'media:write',
  summary: 'Upload a file',
  audit: 'media_asset',
  description: `The file alone as the body, with its own \`Content-Type\`, or a form (\`multipart/form-data\`) with one part, \`file\`. What it is follows from its content: \`mime_type\` says it, \`declared_type\` what the request said. Without \`kind\` it is an image (JPEG, PNG; up to 5 MiB), video (MP4, 3GPP; 16 MiB), audio (AAC, AMR, MP3, MP4, OGG with OPUS; 16 MiB) or sticker (WebP; 100 KiB, animated 500 KiB), and a document (100 MiB) otherwise; \`kind=document\` takes any file. Beyond that it is a 413, and a 422 \`limit_reached\` when the files of the organization would take more than its quota. An upload that breaks off leaves nothing behind. A message sends text, PDF and Microsoft Office files as documents, beside images, video and audio; other files are only kept.`,
  isIdempotent: true,
  query: Joi.object<Query>({
    kind: Joi.string()
      .valid(...mediaKinds)
      .description('What the file must be; 422 when its content is something else'),
    file_name: Joi.string().allow('').max(1_024).description('For people; a form has its own'),
  }),
  receive: {
    contentType: 'application/octet-stream',
    formField,
    description: 'The bytes of the file. Any content type is taken, as that of the file',
    async take({ stream, caller, query, header, isRepeat }, { config, database, storage }) {
      const { organizationId } = caller;
      const { kind, file_name: fileName } = query as Query;
      const announced = Number(header('content-length') ?? 0);
      assertPossible(header, announced);
      const own = ownRows(database, organizationId);
      // A form's length is that of more than the file: the count at the end decides.
      if (!isRepeat) await assertRoom(own, Math.max(0, announced - formBytes), config.mediaQuotaBytes);
      const contentType = header('content-type') ?? '';
      const incoming: IncomingFile = isForm(contentType)
        ? { kind, ...(await fileInForm(stream, contentType, formField)) }
        : { kind, fileName, declaredType: contentType, stream: piecesOf(stream) };
      if (isRepeat) return { body: { isKept: false }, hash: hashOf(await factsOf(incoming)), discard: async () => undefined };
      const upload: Upload = { file: await receiveFile(storage, organizationId, incoming), isKept: false };
      const discard = async () => {
        if (!upload.isKept) await dropRefused(storage, upload.file!);
      };
      return { body: upload, hash: hashOf(upload.file!), discard };
    },
  },
  responses: { 201: assetView },
  example: {
    query: { file_name: 'note.txt' },
    body: 'Deliveries are at the back door.\n',
  },
  async handler({ body, caller, write }, { config }) {
    const upload = body as Upload;
    const { file } = upload;
    if (!file) throw new AppError('conflict', 'The reply to this Idempotency-Key has just been deleted; try again');
    const origin = { source: 'upload', createdBy: actorOf(caller) } as const;
    try {
      return await write({}, async (tx) => {
        const row = await keepFile(tx.own, file, origin, config.mediaQuotaBytes);
        const committed = () => {
          upload.isKept = true;
        };
        return { status: 201, body: toAssetView(row), committed };
      });
    } catch (error) {
      // Nobody knows whether it was committed: the purge of files without a row looks again.
      upload.isKept ||= isOurOutage(error);
      throw error;
    }
  },
});

const isForm = (contentType: string) => /^multipart\/form-data\s*(;|$)/i.test(contentType);

function assertPossible(header: (name: string) => string | undefined, announced: number) {
  const [type = ''] = (header('content-type') ?? '').split(';');
  const word = type.trim().toLowerCase();
  if (word === '' || notFiles.includes(word))
    throw new AppError(
      'unsupported_media_type',
      `Send the file itself, with its content type, or a form with a part ${formField}`,
    );
  if (word.startsWith('multipart/') && !isForm(type))
    throw new AppError('unsupported_media_type', 'A form is multipart/form-data');
  if (!['', 'identity'].includes(header('content-encoding') ?? ''))
    throw new AppError('unsupported_media_type', 'A file is stored as it comes: send it without Content-Encoding');
  if (announced > largestFile + formBytes) throw new AppError('payload_too_large', `A file has ${largestFile} bytes at most`);
}

/** For the Idempotency-Key: the same file under the same name. */
const hashOf = ({ sha256: content, kind, declaredType, fileName }: FileFacts) =>
  sha256(JSON.stringify([content, kind, declaredType, fileName]));
