import { describe, expect, it } from 'vitest';
import { propose, withInserted } from '../../../../src/vscode/code/proposal.js';

const file = `import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const width = 30;

export function parse(text: string): number {
  const match = /^(\\d+)(s|m|h)$/.exec(text);
  if (!match) return 0;
  return Number(match[1]);
}

export class Shelf {
  private books: string[] = [];

  add(book: string): void {
    this.books.push(book);
  }

  fits(): boolean {
    return this.books.length < width;
  }
}
`;

/** The file after the block, by the lines that differ. */
function placed(block: string, options: { text?: string; language?: string } = {}) {
  const proposal = propose(options.text ?? file, block, options.language ?? 'ts');
  if (proposal.kind !== 'placed') throw new Error(`It was ${proposal.kind}.`);
  return proposal;
}
const swapped = (from: string, to: string) => {
  expect(file).toContain(from);
  return file.replace(from, () => to);
};

describe('a block without marks of what it leaves out', () => {
  it('replaces the function it is a new version of', () => {
    const block = `export function parse(text: string): number {
  const match = /^(\\d+)(s|m|h)$/.exec(text);
  if (!match) throw new Error('Not a duration.');
  const factor = 60;
  return Number(match[1]) * factor;
}`;
    const proposal = placed(block);
    const before = file.slice(file.indexOf('export function'), file.indexOf('export class') - 2);
    expect(proposal.text).toBe(swapped(before, block));
    expect(proposal).toMatchObject({ first: 6, last: 10, whole: false });
  });

  it('replaces a function whose head changed, and one that shares nothing but its head', () => {
    const block = 'export function parse(text: string, unit = 1): number {\n  return Number(text) * unit;\n}';
    const before = file.slice(file.indexOf('export function'), file.indexOf('export class') - 2);
    expect(placed(block).text).toBe(swapped(before, block));
  });

  it('finds a method that is written without the indentation it has', () => {
    const block = 'fits(): boolean {\n  return this.books.length <= width;\n}\n';
    expect(placed(block).text).toBe(swapped('length < width', 'length <= width'));
  });

  it('changes one line by what it is about', () => {
    expect(placed('const width = 40;').text).toBe(swapped('width = 30', 'width = 40'));
  });

  it('adds lines behind those they share, and takes none of the others for an older version of them', () => {
    const block = "import { readFile } from 'node:fs/promises';\nimport { homedir } from 'node:os';";
    expect(placed(block).text).toBe(swapped("promises';\n", "promises';\nimport { homedir } from 'node:os';\n"));
  });

  it('leaves out of its reach what lies between two of its parts', () => {
    const block = `import { join } from 'node:path';
import { homedir } from 'node:os';

export class Shelf {
  private books: string[] = ['one'];
`;
    const text = placed(block).text;
    expect(text).toContain('const width = 30;');
    expect(text).toContain('export function parse');
    expect(text).toBe(
      swapped("'node:path';\n", "'node:path';\nimport { homedir } from 'node:os';\n").replace('= [];', "= ['one'];"),
    );
  });

  it('that is most of the file replaces it whole', () => {
    const block = file.replace('width = 30', 'width = 31').replace('return 0', 'return 1').trimEnd();
    expect(placed(block)).toMatchObject({ whole: true, text: `${block}\n` });
    expect(placed('one\ntwo', { text: '' })).toMatchObject({ whole: true, text: 'one\ntwo\n' });
  });

  it('that the file says already changes nothing', () => {
    expect(propose(file, 'fits(): boolean {\n  return this.books.length < width;\n}', 'ts')).toEqual({ kind: 'same' });
    expect(propose(file, file, 'ts')).toEqual({ kind: 'same' });
  });

  it('that fits twice is not placed, nor one that fits nowhere', () => {
    const twice = 'a = get(1)\nuse(a, 2)\n---\na = get(1)\nuse(a, 2)\n';
    expect(propose(twice, 'a = get(1)\nuse(b, 3)', '')).toEqual({ kind: 'several' });
    expect(propose(file, 'def hello():\n    print("x")', 'python')).toEqual({ kind: 'nowhere' });
  });

  it('replaces a whole block of Python, whose end nothing marks', () => {
    const text = 'import os\n\ndef one(a):\n    b = a + 1\n    c = b * 2\n    return c\n\n\ndef two():\n    pass\n';
    const block = 'def one(a, z=0):\n    return (a + 1) * 2 + z\n';
    expect(placed(block, { text, language: 'python' }).text).toBe(
      'import os\n\ndef one(a, z=0):\n    return (a + 1) * 2 + z\n\n\ndef two():\n    pass\n',
    );
  });

  it('keeps line ends of the file, the missing last one too, and its tabs', () => {
    const text = 'class A {\r\n\trun() {\r\n\t\treturn 1;\r\n\t}\r\n}';
    const proposal = placed('  run() {\n    return 2;\n  }', { text });
    expect(proposal.text).toBe('class A {\r\n\trun() {\r\n\t\treturn 2;\r\n\t}\r\n}');
    expect(placed('const a = 2;', { text: 'const a = 1;' }).text).toBe('const a = 2;');
  });
});

describe('a block that is new', () => {
  it('is not taken for a version of what happens to have a line of it', () => {
    const block = '  clear(): void {\n    this.books.push(book);\n    other();\n    more();\n  }';
    expect(propose(file, block, 'ts')).toEqual({ kind: 'nowhere' });
  });

  it('with the body of another is that one renamed', () => {
    const block = `export function read(text: string): number {
  const match = /^(\\d+)(s|m|h)$/.exec(text);
  if (!match) return 0;
  return Number(match[1]);
}`;
    expect(placed(block).text).toBe(swapped('function parse', 'function read'));
  });

  it('replaces one branch and keeps the others', () => {
    const text = 'function f(a) {\n  if (a) {\n    one();\n  } else {\n    two();\n  }\n}\n';
    expect(placed('if (a) {\n  three();\n} else {', { text }).text).toBe(text.replace('one', 'three'));
    const whole = placed('function f(a) {\n  return a;\n}', { text: `${text}\nmore();\nof(this);\n` }).text;
    expect(whole).toBe('function f(a) {\n  return a;\n}\n\nmore();\nof(this);\n');
  });
});

describe('a block that says what it leaves out', () => {
  it('adds to a class of Python behind what it changes there', () => {
    const text = 'class A:\n    def one(self):\n        return 1\n\n    def three(self):\n        pass\n\n\nmain()\n';
    const block =
      'class A:\n    # ... existing methods ...\n\n    def three(self):\n        return 3\n\n    def four(self):\n        return 4\n';
    expect(placed(block, { text, language: 'python' }).text).toBe(
      text.replace('pass', 'return 3\n\n    def four(self):\n        return 4'),
    );
  });

  it('takes brackets alone for those the file has', () => {
    const text = '{\n  "name": "x",\n  "scripts": {\n    "build": "tsc",\n    "test": "vitest"\n  }\n}\n';
    const block = '{\n  // ...\n  "scripts": {\n    "build": "esbuild",\n    "test": "vitest"\n  }\n  // ...\n}';
    expect(placed(block, { text, language: 'json' }).text).toBe(text.replace('tsc', 'esbuild'));
  });

  it('changes its pieces and keeps the rest', () => {
    const block = `// ... existing code ...
const width = 60;

// ... existing code ...

export class Shelf {
  // ...
  fits(): boolean {
    return this.books.length + 1 < width;
  }
}`;
    expect(placed(block).text).toBe(
      swapped('width = 30', 'width = 60').replace('length < width', 'length + 1 < width'),
    );
  });

  it('adds what is new at the end', () => {
    const block = '// ... rest of the file unchanged ...\n\nexport const last = true;\n';
    expect(placed(block).text).toBe(`${file}\nexport const last = true;\n`);
  });

  it.each([
    ['# … existing code', 'py', true],
    ['/* ... */', 'css', true],
    ['<!-- rest of the page ... -->', 'html', true],
    ['    # ...', 'python', true],
    ['...', 'ts', true],
    ['    ...', 'python', false],
    ['  ...args,', 'ts', false],
    ['// handle the rest of the input', 'ts', false],
    ['# ... 省略', 'py', true],
  ])('takes %s for such a mark: %s, %s', async (line, language, expected) => {
    const { isElision } = await import('../../../../src/vscode/code/elisions.js');
    expect(isElision(line, language)).toBe(expected);
  });
});

describe('a diff', () => {
  const diff = `--- a/src/shelf.ts
+++ b/src/shelf.ts
@@ -999,3 +4,3 @@
 
-const width = 30;
+const width = 31;
 
@@ ... @@
   fits(): boolean {
-    return this.books.length < width;
+    return this.books.length > width;
   }
`;
  it('is applied by its lines, whatever its numbers say', () => {
    expect(placed(diff, { language: 'diff' }).text).toBe(
      swapped('width = 30', 'width = 31').replace('length < width', 'length > width'),
    );
  });

  it('whose lines are not there is not applied, not even in part', () => {
    expect(propose(file, diff.replace('this.books.length < width', 'gone'), 'diff')).toEqual({ kind: 'nowhere' });
  });
});

describe('a block at a line', () => {
  it('goes in before it, at the end of a file behind the last', () => {
    expect(withInserted('a\r\nb\r\n', 1, 'x\ny')).toBe('a\r\nx\r\ny\r\nb\r\n');
    expect(withInserted('a', 5, 'x')).toBe('a\nx');
    expect(withInserted('', 0, 'x')).toBe('x\n');
  });
});

it('takes a file and a block of 100,000 lines in a moment', () => {
  const many = Array.from({ length: 100_000 }, (_, n) => `  value${n} = compute(${n % 7});`);
  const text = `start {\n${many.join('\n')}\n}\n`;
  const block = many.map((line, n) => (n === 50_000 ? '  value50000 = other();' : line)).join('\n');
  const same = Array.from({ length: 50_000 }, () => '  same = line(1);').join('\n');
  const before = performance.now();
  expect(propose(text, `start {\n${block}\n}`, '').kind).toBe('placed');
  expect(propose(text, 'x'.repeat(5_000_000), '').kind).toBe('nowhere');
  expect(propose(text, many.slice(0, 30_000).reverse().join('\n'), '').kind).toBeDefined();
  expect(propose(same, `${same}\nmore = line(2);`, '').kind).toBeDefined();
  expect(performance.now() - before).toBeLessThan(3_000);
});
