import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { compileTemplate } from '../../src/text/template.ts';
import { hostileText } from './hostile-text.ts';

function errorOf(act: () => unknown): UsageError {
  try {
    act();
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

const render = (source: string, data: Record<string, unknown>) => compileTemplate(source, { name: 't.hbs' }).render(data);

test('text in the data is never read as a template and never escaped', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      expect(render('<{{text}}>', { text })).toBe(`<${text}>`);
    }),
  );
});

describe('a fault is reported when the template is compiled', () => {
  test.each([
    ['a\n{{#if x}}\n{{/each}}', 't.hbs:2:4'],
    ['a\n\nfoo {{x', 't.hbs:3:7'],
    ['a {{#each}', 't.hbs:1:10'],
    ['{{> header}}', 't.hbs:1:1'],
    ['x {{shout name}}', 't.hbs:1:3'],
    ['{{#each (sort names)}}{{/each}}', 't.hbs:1:9'],
  ])('%j', (source, place) => {
    const error = errorOf(() => compileTemplate(source, { name: 't.hbs' }));
    expect(error.place).toBe(place);
    expect(error.message).toContain('t.hbs');
  });
});

describe('a variable that the data does not have is an error that names it', () => {
  test.each([
    ['a\n {{titel}}', 'titel', 't.hbs:2:4'],
    ['{{#each rulez}}x{{/each}}', 'rulez', 't.hbs:1:1'],
    ['{{#with impakt}}x{{/with}}', 'impakt', 't.hbs:1:1'],
    ['{{#each rules}}{{nmae}}{{/each}}', 'nmae', 't.hbs:1:18'],
    ['{{constructor}}', 'constructor', 't.hbs:1:3'],
    ['{{rules.[0].__proto__}}', '__proto__', undefined],
  ])('%j', (source, variable, place) => {
    const error = errorOf(() => render(source, { title: 'x', rules: [{ name: 'y' }] }));
    expect(error.message).toBe(`Unexpected variable "${variable}" in template t.hbs, expected one that its data has.`);
    if (place) expect(error.place).toBe(place);
  });
});

test('functions in the data are not called', () => {
  expect(render('[{{f}}]', { f: () => 'called' })).toBe('[]');
});

test('asking whether something is there is allowed', () => {
  expect(render('{{#if x}}yes{{else}}no{{/if}}', {})).toBe('no');
});

test('partials keep their own strictness', () => {
  const item = compileTemplate('- {{name}} & co\n', { name: 'item.hbs' });
  const list = compileTemplate('{{#each items}}\n{{> item}}\n{{/each}}', { name: 'list.hbs', partials: { item } });
  expect(list.render({ items: [{ name: '<a>' }] })).toBe('- <a> & co\n');
  expect(errorOf(() => list.render({ items: [{}] })).message).toContain('template item.hbs');
});
