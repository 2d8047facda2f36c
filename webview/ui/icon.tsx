import type { VNode } from 'preact';

/** One path each on a 16 × 16 grid, drawn with a stroke of 1.2 in the colour of the text. */
const PATHS = {
  send: 'M2.5 8 13.5 3 10.5 13.5 7.5 9 2.5 8ZM7.5 9 13.5 3',
  stop: 'M4 4h8v8H4Z',
  attach: 'M12.5 7.5 7.8 12.2a2.9 2.9 0 0 1-4.1-4.1L8.6 3.2a2 2 0 0 1 2.8 2.8L6.6 10.8a1 1 0 0 1-1.4-1.4L9.5 5.1',
  add: 'M8 3v10M3 8h10',
  close: 'M4 4l8 8M12 4l-8 8',
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8Z',
  retry: 'M12.8 6A5.2 5.2 0 1 0 13.2 8.6M13.2 2.6V6H9.8',
  restore: 'M2.8 8a5.2 5.2 0 1 0 1.6-3.8M2.6 2.4v2.8h2.8M8 5v3.2l2.2 1.3',
  fork: 'M5 3.5v9M5 8.5c0-1.5 1-2 3-2s3-.8 3-2.5M5 3.5m-1.3 0a1.3 1.3 0 1 0 2.6 0 1.3 1.3 0 1 0-2.6 0M9.7 3.5a1.3 1.3 0 1 0 2.6 0 1.3 1.3 0 1 0-2.6 0M3.7 12.5a1.3 1.3 0 1 0 2.6 0 1.3 1.3 0 1 0-2.6 0',
  undo: 'M3 6.5h6.5a3.5 3.5 0 0 1 0 7H6M3 6.5 6 3.5M3 6.5l3 3',
  edit: 'M3 13l.7-3L10.6 3.1a1.3 1.3 0 0 1 1.9 0l.4.4a1.3 1.3 0 0 1 0 1.9L6 12.3 3 13ZM9.5 4.2l2.3 2.3',
  trash: 'M3 4.5h10M6.5 4.5v-2h3v2M4.3 4.5l.6 9h6.2l.6-9M6.8 7v4M9.2 7v4',
  down: 'M8 3v9.5M4 8.7l4 4 4-4',
  previous: 'M4 9.7l4-4 4 4',
  next: 'M4 6.3l4 4 4-4',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM10.4 10.4 14 14',
  preview: 'M2.5 3h11v10h-11ZM8 3v10M10 6h2M10 8.5h2',
  check: 'M3.5 8.5l3 3 6-7',
  shield: 'M8 2 13 4v3.8c0 3-2 5-5 6.2-3-1.2-5-3.2-5-6.2V4Z',
  question: 'M5.8 6a2.2 2.2 0 1 1 3.3 1.9C8.3 8.4 8 8.8 8 9.7M8 11.7v.6',
  folder: 'M2 4h4l1.5 1.5H14V13H2Z',
  symbol: 'M6 3H4.8v4L3.5 8l1.3 1v4H6M10 3h1.2v4l1.3 1-1.3 1v4H10',
  problems: 'M8 2.5 14.5 13.5h-13ZM8 6.5v3.2M8 11.4v.6',
  terminal: 'M2 3h12v10H2ZM4.5 6 6.7 8 4.5 10M8 10.5h3.5',
  changes: 'M8 2.5v6M5 5.5h6M5 12.5h6',
  url: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM2 8h12M8 2c4 4 4 8 0 12M8 2c-4 4-4 8 0 12',
  session: 'M2.5 3h11v8H8l-3 2.5V11H2.5Z',
  memory: 'M8 4C6 2.8 4 2.8 2.5 3.2v9.3C4 12 6 12 8 13.3 10 12 12 12 13.5 12.5V3.2C12 2.8 10 2.8 8 4ZM8 4v9.3',
  skill: 'M8 2l1.6 4.4L14 8 9.6 9.6 8 14 6.4 9.6 2 8l4.4-1.6Z',
  image: 'M2.5 3h11v10h-11ZM2.5 11l3.5-3.5 3 3 1.8-1.8 2.7 2.7M10.5 6.2v.1',
  text: 'M3 4h10M3 7h10M3 10h10M3 13h6',
  insert: 'M13.5 3h-11M13.5 13h-11M2.5 8H10M7.5 5.5 10 8l-2.5 2.5',
  apply: 'M7 13.5H4v-11h5.5l3 3v2M9.3 2.7v3h3M8.6 12l1.8 1.8 3.4-4',
  newFile: 'M7 13.5H4v-11h5.5l3 3v2M9.3 2.7v3h3M11.5 9.5v5M9 12h5',
  run: 'M2.5 3h11v10h-11ZM5 6l2.2 2L5 10M8.5 10.3H11',
  pin: 'M6 2.5h4l-.6 4.2L11.5 9v1h-7V9l2.1-2.3ZM8 10v3.8',
  tab: 'M2.5 3h11v10h-11ZM2.5 6h5V3',
  file: 'M4 2.5h5.5L12.5 5.5v8H4ZM9.3 2.7v3h3',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }): VNode {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
