export const boardPath = '/ops/queues';
export const docsPath = '/docs';
export const iconPath = `${docsPath}/icon.svg`;
