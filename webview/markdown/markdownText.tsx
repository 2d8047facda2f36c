import type { VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { usePageTools } from '../pageContext.js';
import { MarkdownStream } from './stream.js';

/** Markdown that may still grow. Its nodes are the stream's own: nothing else draws in the element. */
export function MarkdownText({ text, done }: { text: string; done: boolean }): VNode {
  const { markdown } = usePageTools();
  const element = useRef<HTMLDivElement>(null);
  const stream = useRef<MarkdownStream | null>(null);
  useLayoutEffect(() => {
    if (!element.current) return;
    stream.current ??= new MarkdownStream(element.current, markdown);
    stream.current.update(text, done);
  }, [text, done, markdown]);
  useLayoutEffect(() => () => stream.current?.dispose(), []);
  return <div class="md" ref={element} />;
}
