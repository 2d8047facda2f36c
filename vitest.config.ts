import { defineConfig } from 'vitest/config';
import { readFile } from 'node:fs/promises';

/** Templates and prompts are Markdown bundled as text; the tests read them the same way. */
const markdownAsText = {
  name: 'markdown-as-text',
  async load(id: string) {
    if (!id.endsWith('.md')) return null;
    return `export default ${JSON.stringify(await readFile(id, 'utf8'))};`;
  },
};

export default defineConfig({
  plugins: [markdownAsText],
  test: {
    globalSetup: 'test/support/buildWorkers.ts',
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: ['test/unit/**/*.test.ts', 'test/unit/**/*.test.tsx'], testTimeout: 20_000 },
      },
      { extends: true, test: { name: 'golden', include: ['test/golden/**/*.test.ts'], testTimeout: 30_000 } },
      {
        extends: true,
        test: {
          name: 'workbench',
          include: ['test/workbench/**/*.test.ts'],
          testTimeout: 90_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      { extends: true, test: { name: 'long', include: ['test/long/**/*.test.ts'], testTimeout: 3_600_000 } },
    ],
  },
});
