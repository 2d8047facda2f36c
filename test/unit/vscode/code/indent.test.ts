import { expect, it } from 'vitest';
import { atCursor } from '../../../../src/vscode/code/indent.js';

const spaces = { tabs: false, size: 4 };

it.each([
  ['if (a) {\n  b();\n}\n', '    ', 'if (a) {\n      b();\n    }'],
  ['    one\n\n      two', '  x = ', 'one\n\n    two'],
  ['\tone\n\t\ttwo', '', 'one\n    two'],
  ['a\r\nb', '', 'a\nb'],
])('%j goes in behind %j as %j', (code, before, expected) => {
  expect(atCursor(code, before, spaces)).toBe(expected);
});

it('uses tabs where the editor does', () => {
  expect(atCursor('if (a) {\n  b();\n    c();\n}', '\t', { tabs: true, size: 4 })).toBe(
    'if (a) {\n\t\tb();\n\t\t\tc();\n\t}',
  );
});
