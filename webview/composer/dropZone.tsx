import type { VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { usePage } from '../pageContext.js';
import type { Page } from '../state.js';
import { strings } from '../strings.js';

/** Milliseconds without a sign of what is dragged, after which it has gone: no event tells of a drag that VS Code took over. */
const GONE_MS = 1_000;
/** Lists of addresses: VS Code's own, and everybody's. */
const LISTS = ['application/vnd.code.uri-list', 'text/uri-list'];

/**
 * Takes files, folders and images that are dropped anywhere on the page, and says how while they are dragged over it. VS Code gives a drag of its own to the
 * page only while Shift is held; the hint says so to those whose files come from elsewhere.
 */
export function DropZone(): VNode | null {
  const page = usePage();
  const [isOver, setOver] = useState(false);
  const cancel = useRef(() => {});
  useLayoutEffect(() => {
    const leave = () => {
      cancel.current();
      setOver(false);
    };
    const over = (event: DragEvent) => {
      if (!holdsFiles(event.dataTransfer)) return;
      // Also what keeps VS Code from taking files of the system away from the page.
      event.preventDefault();
      if (event.dataTransfer) event.dataTransfer.dropEffect = 'copy';
      setOver(true);
      cancel.current();
      cancel.current = page.ports.after(GONE_MS, leave);
    };
    const drop = (event: DragEvent) => {
      leave();
      if (!holdsFiles(event.dataTransfer)) return;
      event.preventDefault();
      if (event.dataTransfer) take(page, event.dataTransfer);
    };
    const out = (event: DragEvent) => {
      if (event.relatedTarget === null) leave();
    };
    const listeners: [string, (event: DragEvent) => void][] = [
      ['dragenter', over],
      ['dragover', over],
      ['dragleave', out],
      ['drop', drop],
    ];
    for (const [name, listener] of listeners) window.addEventListener(name, listener as EventListener);
    return () => {
      cancel.current();
      for (const [name, listener] of listeners) window.removeEventListener(name, listener as EventListener);
    };
  }, [page]);
  if (!isOver) return null;
  return (
    <div class="drop" role="status">
      <strong>{strings.dropHere}</strong>
      <span>{strings.dropHow}</span>
    </div>
  );
}

function holdsFiles(data: DataTransfer | null): boolean {
  return data !== null && [...data.types].some((type) => type === 'Files' || LISTS.includes(type));
}

/** Addresses of files first: they are the files themselves, where a picture of the system is a copy. */
function take({ attaching }: Page, data: DataTransfer): void {
  const list = LISTS.map((type) => data.getData(type)).find((text) => text !== '') ?? '';
  const addresses = list.split(/\r?\n/).filter((line) => /^(?:file|vscode-remote|vscode-vfs):/.test(line));
  if (addresses.length > 0) {
    attaching.add(addresses.map((path) => ({ path, label: nameIn(path) })));
    return;
  }
  const files = [...data.files];
  attaching.takeImages(files.filter(({ type }) => type.startsWith('image/')));
  for (const file of files.filter(({ type }) => !type.startsWith('image/'))) void takeFile(attaching, file);
}

/** A file of another program that tells no address: its text. */
async function takeFile(attaching: Page['attaching'], file: File): Promise<void> {
  const start = new Uint8Array(await file.slice(0, 8_000).arrayBuffer());
  const value = start.includes(0) ? '' : await file.text();
  attaching.take({ kind: 'text', label: file.name, value });
}

function nameIn(address: string): string {
  const last = address.replace(/\/+$/, '').split('/').at(-1) ?? address;
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
