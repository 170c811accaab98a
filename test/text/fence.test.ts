import { describe, expect, test } from 'vitest';
import { findConflictMarkers } from '../../src/text/conflict.ts';
import { unfence } from '../../src/text/fence.ts';
import { readOutline } from '../../src/text/outline.ts';

describe('an outer fence', () => {
  test.each([
    ['```markdown\n# A\n```\n', '# A\n'],
    ['\n\n```\n# A\n```\n\n', '# A\n'],
    ['````md\n# A\n\n```js\nx\n```\n````', '# A\n\n```js\nx\n```\n'],
    ['```markdown\n# A\n\n```js\nx\n```\n\nend\n```', '# A\n\n```js\nx\n```\n\nend\n'],
    ['```md\n---\na: 1\n---\n\n```\nx\n```\n```', '---\na: 1\n---\n\n```\nx\n```\n'],
    ['~~~\ntext\n~~~', 'text\n'],
    ['\uFEFF```md\r\n# A\r\n```\r\n', '# A\r\n'],
  ])('is dropped from %j', (text, expected) => {
    expect(unfence(text)).toBe(expected);
  });

  test.each(['# A\n\n```\nx\n```\n', '```js\nx\n```\n\ntext\n\n```js\ny\n```\n', '```\nopen', '```', '', 'text'])(
    'is not seen in %j',
    (text) => {
      expect(unfence(text)).toBe(text);
    },
  );
});

describe('what swallows the rest of a file', () => {
  test.each([
    ['# A\n\n```js\nx\n\n## B\n', 'Unexpected open code fence on line 3 that swallows the 3 lines after it, expected ``` to close it.'],
    ['# A\n\n<!-- note\n\n## B\n', 'Unexpected open HTML comment on line 3 that swallows the 2 lines after it, expected --> to close it.'],
  ])('%j', (text, message) => {
    const read = readOutline(text);
    expect(read.ok && read.outline.openEnds).toMatchObject([{ message, line: 3, column: 1 }]);
  });

  test.each(['```\nx\n```', '```', '<!-- x -->', '<div>\nx', '> ```\n> x'])('%j does not, or has nothing to swallow', (text) => {
    const read = readOutline(`# A\n\n${text}\n\ntext\n`);
    expect(read.ok && read.outline.openEnds.length).toBe(text === '```' ? 1 : 0);
  });
});

describe('marks of a failed merge', () => {
  test('are found as whole sets', () => {
    expect(findConflictMarkers('a\r\n<<<<<<< HEAD\r\nx\r\n=======\r\ny\r\n>>>>>>> other\r\n')).toEqual([2, 4, 6]);
    expect(findConflictMarkers('<<<<<<< a\n||||||| base\n=======\n>>>>>>> b\n')).toEqual([1, 2, 3, 4]);
  });

  test.each(['Title\n=======\n', '>>>>>>> b\n=======\n<<<<<<< a\n', '<<<<<<< a\n=======\n', 'x <<<<<<< a\n=======\n>>>>>>> b'])(
    'are not seen in %j',
    (text) => {
      expect(findConflictMarkers(text)).toEqual([]);
    },
  );
});
