import Joi from 'joi';
import { link } from './limits.ts';

/** Each file is named in exactly one of these ways. */
const sources = {
  id: Joi.string().min(1).max(128).description("The provider's id of a file that was uploaded with the channel's token"),
  link: link.description('The provider fetches the file from this address when the message is sent'),
  asset_id: Joi.string()
    .max(256)
    .pattern(/^[\w-]+={0,2}$/, 'URL-safe Base64')
    .description('A media asset; it is uploaded to the provider when the message is sent'),
};

const file = (more: Joi.SchemaMap = {}) => Joi.object({ ...sources, ...more }).xor('id', 'link', 'asset_id');
const caption = Joi.string().max(1_024).description('Text under the file');
const filename = Joi.string().max(240).description('The name the person sees; its ending decides the icon');

export const image = file({ caption });
export const video = file({ caption });
export const audio = file({ voice: Joi.boolean().strict().description('Show it as a voice message: OGG with OPUS') });
export const document = file({ caption, filename });
export const sticker = file();

export const headerFiles = { image: file(), video: file(), document: file({ filename }) };
