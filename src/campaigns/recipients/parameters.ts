import Joi from 'joi';

export const maxParameters = 20;
export const maxParameterLength = 1_024;
export const parameterName = /^[a-z][a-z0-9_]{0,62}$/;

export type Parameters = Record<string, string>;

export const parameterValue = Joi.string().allow('').max(maxParameterLength);

/** What `recipient.<name>` is in the content, for one person. */
export const parameters = Joi.object<Parameters>()
  .pattern(parameterName, parameterValue)
  .max(maxParameters)
  .description(
    `What \`recipient.<name>\` is in the content: at most ${maxParameters} texts. A name has small letters, digits and _`,
  );

export const parameterColumn = (name: string) => `param.${name}`;
export const parameterOf = (column: string) => (column.startsWith('param.') ? column.slice('param.'.length) : undefined);
