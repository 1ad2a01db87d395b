import Joi from 'joi';
import { fitsHeader, isUrl } from './checks.ts';

/** Where the files of media assets are: a folder, or a bucket when one is named. */
export const mediaSettings = {
  MEDIA_FOLDER: Joi.string()
    .empty('')
    .default('media')
    .description('Folder of media assets, which web and workers share; `npm start` keeps it in KANAL_HOME'),
  MEDIA_S3_BUCKET: Joi.string()
    .empty('')
    .pattern(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/)
    .description('Bucket of an S3-compatible storage for media assets; unset: MEDIA_FOLDER'),
  MEDIA_S3_ENDPOINT: Joi.string()
    .empty('')
    .custom(isUrl('http', 'https'))
    .description('Address of that storage, `https://…`; unset: the one of AWS in MEDIA_S3_REGION'),
  MEDIA_S3_REGION: Joi.string().empty('').default('us-east-1').description('Its region'),
  MEDIA_S3_ACCESS_KEY_ID: Joi.string()
    .empty('')
    .custom(fitsHeader)
    .description("Access key; unset, with its secret: what the client's own rules find, such as the role of the machine"),
  MEDIA_S3_SECRET_ACCESS_KEY: Joi.string().empty('').description('Secret of MEDIA_S3_ACCESS_KEY_ID'),
  MEDIA_S3_PATH_STYLE: Joi.boolean()
    .default(false)
    .description('Name the bucket in the path, not in the host: for most storages that are not of AWS'),
  MEDIA_STORAGE_TIMEOUT_MS: Joi.number()
    .integer()
    .min(1_000)
    .max(600_000)
    .default(30_000)
    .description('Longest such a storage may send or take no byte'),
};

export type MediaSettings = {
  mediaFolder: string;
  mediaS3Bucket?: string;
  mediaS3Endpoint?: string;
  mediaS3Region: string;
  mediaS3AccessKeyId?: string;
  mediaS3SecretAccessKey?: string;
  mediaS3PathStyle: boolean;
  mediaStorageTimeoutMs: number;
};
