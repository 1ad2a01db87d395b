import type Joi from 'joi';
import { queueNames } from '../ledger/queue-names.ts';
import { parseSecretKey } from '../secrets.ts';
import { parseClusterUrl } from './cluster-url.ts';
import { mailbox, parseMailUrl } from './mail-url.ts';

export function list(value: string) {
  return value
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
}

/** Not Joi's uri(): V8 takes 10 ms to compile its patterns, at every start. */
export const isUrl =
  (...schemes: string[]) =>
  (text: string, { message }: Joi.CustomHelpers) => {
    const scheme = /\s/.test(text) ? undefined : URL.parse(text)?.protocol.slice(0, -1);
    return scheme && schemes.includes(scheme) ? text : message({ custom: `{{#label}} is not a URL of ${schemes.join(' or ')}` });
  };

export const isSecretKey = (text: string, { message }: Joi.CustomHelpers) => {
  try {
    parseSecretKey(text);
    return text;
  } catch (error) {
    return message({ custom: `SECRET_KEY: ${(error as Error).message}` });
  }
};

export const isHashKey = (text: string, { message }: Joi.CustomHelpers) =>
  Buffer.from(text, 'base64').length === 32 ? text : message({ custom: 'HASH_KEY is not base64 of 32 bytes' });

const headerWord = /^[\x21-\x7e]+$/;
export const isHeaderWord = (text: string) => headerWord.test(text);

/** It stands in a header, which holds nothing else. The value is not repeated: it is a secret. */
export const fitsHeader = (text: string, { message }: Joi.CustomHelpers) =>
  isHeaderWord(text) ? text : message({ custom: '{{#label}} must be printable ASCII without spaces' });

export const isMailUrl = (text: string, { message }: Joi.CustomHelpers) => {
  try {
    parseMailUrl(text);
    return text;
  } catch (error) {
    return message({ custom: `MAIL_URL ${(error as Error).message}` });
  }
};

export const isClusterUrl = (text: string, { message }: Joi.CustomHelpers) => {
  try {
    parseClusterUrl(text);
    return text;
  } catch (error) {
    return message({ custom: `QUEUE_URL ${(error as Error).message}` });
  }
};

export const isMailbox = (text: string, { message }: Joi.CustomHelpers) =>
  mailbox.test(text) ? text : message({ custom: 'MAIL_FROM is neither an address nor Name <address>' });

export const areQueues = (text: string, { message }: Joi.CustomHelpers) => {
  const unknown = list(text).filter((name) => !(queueNames as readonly string[]).includes(name));
  return unknown.length > 0 ? message({ custom: `QUEUES: there is no queue ${unknown.join(', ')}` }) : text;
};

export const areOrigins =
  (variable: string) =>
  (text: string, { message }: Joi.CustomHelpers) => {
    const wrong = list(text).filter((origin) => !URL.canParse(origin) || new URL(origin).origin !== origin);
    return wrong.length > 0 ? message({ custom: `${variable}: ${wrong.join(', ')} is not scheme://host` }) : text;
  };
