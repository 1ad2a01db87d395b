import { iconPath } from './paths.ts';

/** `isWhole`: the body has its own landmarks. */
type Page = { title: string; head: string; body: string; isWhole?: boolean };

/** Not for search engines. Relative addresses: a proxy may serve the pages below a path. */
export const htmlPage = ({ title, head, body, isWhole = false }: Page) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="robots" content="noindex">
    <title>${title}</title>
    <link rel="icon" type="image/svg+xml" href="${iconPath.slice(1)}">
    ${head}
  </head>
  <body>
${isWhole ? body : `    <main>\n${body}\n    </main>`}
  </body>
</html>
`;
