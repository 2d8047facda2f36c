import { createColourCode } from '../../webview/markdown/codeColours.js';
import { createParser } from '../../webview/markdown/parser.js';
import { createSanitize } from '../../webview/markdown/sanitize.js';
import { MarkdownStream } from '../../webview/markdown/stream.js';

/** Runs in a page: what a test measures of the Markdown that grows. */
export interface MarkdownInPage {
  /** A stream that draws into a new element. */
  stream(): { element: HTMLElement; update(text: string, done: boolean): void; parsed(): number };
}

const tools = { parser: createParser(), sanitize: createSanitize(window), colour: createColourCode(CSS.highlights) };

Object.assign(window, {
  markdownInPage: {
    stream: () => {
      const element = document.createElement('div');
      element.className = 'md';
      document.body.append(element);
      const stream = new MarkdownStream(element, tools);
      return {
        element,
        update: (text: string, done: boolean) => stream.update(text, done),
        parsed: () => stream.parsed,
      };
    },
  } satisfies MarkdownInPage,
});
