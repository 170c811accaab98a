import fc from 'fast-check';

/** Pieces that have led Markdown tools astray. */
const PIECES = [
  '# Heading', '## 1. Intent', '### AC-1: x', '###AC-3: x', 'Setext\n===', 'Setext\n---', '---', '***', '===', '```', '```js\ncode\n```', '~~~', '````md',
  '<!-- comment -->', '<!-- open', '-->', '<script>', '<div>', '</div>', '<pre>', '**', '**Given:** x', '**Label:**', ': x', '__', '`', '``', '\\', '\\\n', '{{x}}', '{{{y}}}', '{{#each z}}',
  '\u00a0', '\u2028', '\u200b', '\ufeff', '\u0085', '\u0000', '\u001b[31m', '\t', '\r', '\r\n', '\r\r\n', '\n', '\n\n', '😀', '\ud83d', '\ude00', 'é', 'e\u0301', '日本語',
  '- item', '* item', '1. item', '10) item', '- [ ] task', '+', '-', '  - nested', '    code', '> quote', '> # quoted heading', '> [q]: /x', '[foo]: /bar', '[^1]: note', '[^1]', '[foo]', '![i](x)', '[a](b "c")',
  '| a | b |\n| - | - |\n| 1 | 2 |', '| - |', ':-', 'www.example.com', 'a@b.co', '~~x~~', '_None._', 'None.', 'AC-1', 'R-1', 'yes', '$', '%', '&amp;', '&#35;', '%%', '---\na: 1\n---', 'kind: story', ' ', '   ', 'words and more words', '#', '##', 'a ##', '1.', '..', '../x', 'C:\\x', '/abs',
];

/** Texts made of such pieces, joined in every way. */
export const hostileText = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 5 }).chain((pieces) =>
    fc.constantFrom('', ' ', '\n', '\n\n').map((glue) => pieces.join(glue)),
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ unit: fc.constantFrom(...Array.from('#*_`~<>[](){}|\\-=+!:. \n\tab1')), maxLength: 24 }),
);

/** Texts as people write them. */
export const plainText = fc
  .array(fc.constantFrom('the', 'visitor', 'is', 'locked', 'out', 'after', '5', 'attempts', '(see R-1)', 'src/login.ts', '`code`', '**bold**', 'Café', '日本語', "doesn't", 'a:b', '50 %', 'C#'), {
    minLength: 1,
    maxLength: 8,
  })
  .map((words) => words.join(' '));
