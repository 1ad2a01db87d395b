import { distinct, type Fields, invalid, optionalText, requiredList, requiredText } from './checks.ts';

const maxRows = 10;

/** The limit of ten holds for the rows of all sections together. */
export function checkList(action: Fields): void {
  requiredText(action, 'button', "action['button']", 20);
  const sections = requiredList(action, 'sections', "action['sections']", 10);
  const rowIds = sections.flatMap((section, index) => {
    const param = `action['sections'][${index}]`;
    const title = optionalText(section, 'title', `${param}['title']`, 24);
    if (sections.length > 1 && !title) throw invalid(`${param}['title'] is needed where there are several sections`);
    return requiredList(section, 'rows', `${param}['rows']`, maxRows).map((row) => {
      requiredText(row, 'title', `${param}['rows']['title']`, 24);
      optionalText(row, 'description', `${param}['rows']['description']`, 72);
      return requiredText(row, 'id', `${param}['rows']['id']`, 200);
    });
  });
  if (rowIds.length > maxRows) throw invalid(`Total row count exceeds the maximum of ${maxRows}`);
  distinct(rowIds, 'Row ids');
}
