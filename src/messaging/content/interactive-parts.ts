import Joi from 'joi';
import { variantsBy } from '../../platform/schemas/variants.ts';
import { headerFiles } from './media.ts';

const words = (max: number) => Joi.object({ text: Joi.string().min(1).max(max).required() });

const textHeader = Joi.object({ text: Joi.string().min(1).max(60).required() });
const { image, video, document } = headerFiles;

export const header = {
  any: variantsBy('type', {
    text: { name: 'text_header', schema: textHeader },
    image: { name: 'image_header', schema: Joi.object({ image: image.required() }) },
    video: { name: 'video_header', schema: Joi.object({ video: video.required() }) },
    document: { name: 'document_header', schema: Joi.object({ document: document.required() }) },
  }),
  text: textHeader.append({ type: Joi.string().valid('text').required() }),
  image: Joi.object({ type: Joi.string().valid('image').required(), image: image.required() }),
};

export const body = words(1_024);
export const longBody = words(4_096);
export const footer = words(60);
