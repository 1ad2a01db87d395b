import { AppError, fieldOf, type Path } from '../../platform/errors.ts';

export const richTextField = 'description_rich';

/** Of a document, with the path of the node. */
export function richTextFault(path: Path, code: string, message: string): AppError {
  const field = fieldOf([richTextField, 'json', ...path]);
  const whole = `${field} ${message}`;
  return new AppError('invalid_request', whole, {
    details: [{ field, location: 'body', code: `rich_text.${code}`, message: whole }],
  });
}
