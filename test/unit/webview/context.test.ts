import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Attachment } from '../../../src/protocol/message.js';
import { richState } from '../../support/conversations.js';
import { openLab, type ChatPageUnderTest, type OpenOptions, type PageLab } from '../../support/pageHarness.js';
import { until } from '../../support/until.js';

let lab: PageLab;
let chat: ChatPageUnderTest;
beforeAll(async () => void (lab = await openLab()));
afterAll(() => lab.close());
afterEach(() => chat.close());

const open = async (options?: OpenOptions) => (chat = await lab.open(options));
const box = () => chat.page.getByRole('textbox', { name: 'Message Nanobot' });
const button = (name: string | RegExp) => chat.page.getByRole('button', { name, exact: typeof name === 'string' });
const options = () => chat.page.getByRole('option');
const chips = () => chat.page.locator('.composer .chip');
const refusal = () => chat.page.getByRole('alert');
const prompts = async () => (await chat.posted()).filter((message) => message.type === 'prompt');
const pasteText = (text: string) =>
  box().evaluate((element, words) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', words);
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, text);
/** Pastes or drops pictures of this size, drawn in the page. */
const givePictures = (how: 'paste' | 'drop', count: number, width = 20, height = 10, name = 'image.png') =>
  box().evaluate(
    async (element, given) => {
      const canvas = Object.assign(document.createElement('canvas'), { width: given.width, height: given.height });
      canvas.getContext('2d')?.fillRect(0, 0, given.width / 2, given.height);
      const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
      const data = new DataTransfer();
      for (let n = 0; n < given.count; n++) data.items.add(new File([blob as Blob], given.name, { type: 'image/png' }));
      const init = { bubbles: true, cancelable: true };
      const event =
        given.how === 'paste'
          ? new ClipboardEvent('paste', { clipboardData: data, ...init })
          : new DragEvent('drop', { dataTransfer: data, ...init });
      element.dispatchEvent(event);
    },
    { how, count, width, height, name },
  );
const sizeOf = (base64: string) =>
  chat.page.evaluate(async (data) => {
    const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
    const { width, height } = await createImageBitmap(new Blob([bytes]));
    return [width, height];
  }, base64);

describe('the list behind @', () => {
  it('shows the kinds first and the open files below them, and narrows to a kind that is chosen', async () => {
    await open();
    await box().pressSequentially('Look at @');
    const [asked] = await chat.waitFor('mention');
    await chat.send({ type: 'mentions', n: asked?.n ?? 0, items: [{ path: '/w/src/a.ts', label: 'src/a.ts' }] });
    const rows = await options().allInnerTexts();
    expect(rows.map((row) => row.split(/\s{1,}by |\s{1,}what |\s{1,}the /)[0])).toEqual([
      'Files and folders',
      'Symbols',
      'Problems',
      'Terminal',
      'Changes',
      'Web page',
      'Earlier chats',
      'Memory',
      'Skills',
      'a.ts src',
    ]);
    await box().press('ArrowDown');
    await box().press('Enter');
    expect(await box().inputValue()).toBe('Look at @symbol:');
    await until('the narrowed question', async () => (await chat.waitFor('mention')).at(-1)?.query === 'symbol:');
  });

  it('adds what comes later below, and the row that is active stays', async () => {
    await open();
    await box().pressSequentially('@lo');
    const n = (await chat.waitFor('mention')).at(-1)?.n ?? 0;
    const files = [
      { path: '/w/log.ts', label: 'log.ts' },
      { path: '/w/loop.ts', label: 'loop.ts' },
    ];
    await chat.send({ type: 'mentions', n, items: files });
    await box().press('ArrowDown');
    await chat.send({
      type: 'mentions',
      n,
      items: [...files, { kind: 'symbol', path: '/w/loop.ts', label: 'Loop', line: 7, detail: 'class, loop.ts:7' }],
    });
    expect(await options().nth(1).getAttribute('aria-selected')).toBe('true');
    await box().press('ArrowDown');
    await box().press('Tab');
    const [take] = await chat.waitFor('take');
    expect(take?.source).toEqual({ kind: 'symbol', value: '/w/loop.ts', label: 'Loop', line: 7 });
    expect(await box().inputValue()).toBe('');
  });

  it('offers an address as a page, which shows that it is read, and how large it is then', async () => {
    await open();
    await box().pressSequentially('Sum up @https://example.com/a');
    await options().getByText('https://example.com/a').waitFor();
    await box().press('Enter');
    const [take] = await chat.waitFor('take');
    expect(take?.source).toMatchObject({ kind: 'url', value: 'https://example.com/a' });
    expect(await chips().getAttribute('aria-busy')).toBe('true');
    const attachment: Attachment = {
      kind: 'url',
      path: '/h/x.outside.md',
      label: 'https://example.com/a',
      tokens: 1_234,
    };
    await chat.send({ type: 'taken', id: take?.id ?? '', attachment });
    await button('Open https://example.com/a, 1.2k tokens').click();
    expect((await chat.waitFor('openFile'))[0]).toMatchObject({ path: '/h/x.outside.md' });
    await box().press('Enter');
    expect((await prompts())[0]).toMatchObject({ text: 'Sum up', attachments: [attachment] });
  });

  it('sends as soon as all is read, and not if the person writes on', async () => {
    await open();
    const begin = async (nth: number) => {
      await box().pressSequentially('@changes');
      await box().press('Enter');
      return (await chat.waitFor('take', nth)).at(-1)?.id ?? '';
    };
    const changes: Attachment = { kind: 'changes', path: '/h/1.diff', label: 'Changes (1 file)', tokens: 20 };
    const id = await begin(1);
    await box().fill('Review');
    await box().press('Enter');
    await chat.page.getByText('Sent as soon as everything attached is read.').waitFor();
    expect(await prompts()).toEqual([]);
    await chat.send({ type: 'taken', id, attachment: changes });
    await chat.waitFor('prompt');
    expect((await prompts())[0]).toMatchObject({ text: 'Review', attachments: [changes] });

    const next = await begin(2);
    await box().fill('Review');
    await box().press('Enter');
    await box().pressSequentially(' it');
    await chat.send({ type: 'taken', id: next, attachment: changes });
    await button('Remove Changes (1 file)').waitFor();
    expect(await prompts()).toHaveLength(1);
  });

  it('sends nothing to another chat that the person goes to meanwhile', async () => {
    await open();
    await box().pressSequentially('@changes');
    await box().press('Enter');
    const id = (await chat.waitFor('take'))[0]?.id ?? '';
    await box().fill('Review');
    await box().press('Enter');
    const waits = chat.page.getByText('Sent as soon as everything attached is read.');
    await waits.waitFor();
    await chat.snapshot({ session: { key: 'vscode:other', title: 'Other', readOnly: false, interrupted: false } });
    await waits.waitFor({ state: 'detached' });
    const changes: Attachment = { kind: 'changes', path: '/h/1.diff', label: 'Changes (1 file)', tokens: 20 };
    await chat.send({ type: 'taken', id, attachment: changes });
    await button('Remove Changes (1 file)').waitFor();
    expect(await prompts()).toEqual([]);
    expect(await box().inputValue()).toBe('Review');
  });

  it('says why there is nothing to attach, and shows an address that failed with the reason', async () => {
    await open();
    await box().pressSequentially('@problems');
    await box().press('Enter');
    const first = (await chat.waitFor('take'))[0]?.id ?? '';
    await chat.send({ type: 'notTaken', id: first, reason: 'The editor knows no problems now.' });
    await refusal().getByText('Problems is not attached: The editor knows no problems now.').waitFor();
    expect(await chips().count()).toBe(0);

    await box().pressSequentially('@https://gone.example');
    await box().press('Enter');
    const { id = '' } = (await chat.waitFor('take', 2))[1] ?? {};
    const attachment: Attachment = {
      kind: 'url',
      path: 'https://gone.example',
      label: 'https://gone.example',
      error: 'There is no such host.',
    };
    await chat.send({ type: 'taken', id, attachment });
    await button('Open https://gone.example, There is no such host.').click();
    expect((await chat.waitFor('openLink'))[0]?.href).toBe('https://gone.example');
  });
});

it('rows that no longer fit go before the host has answered: a quick Tab takes what was meant', async () => {
  await open();
  await box().pressSequentially('@skill:');
  const n = (await chat.waitFor('mention')).at(-1)?.n ?? 0;
  const skill = (label: string) => ({ kind: 'skill' as const, path: `/s/${label}`, label });
  await chat.send({ type: 'mentions', n, items: [skill('browse'), skill('commit')] });
  await box().pressSequentially('comm');
  expect(await options().allInnerTexts()).toEqual(['commit']);
  await box().press('Tab');
  await button('Remove commit').waitFor();
});

it('the list opens again where something was chosen by the mouse', async () => {
  await open();
  await box().pressSequentially('@prob');
  await options().first().click();
  await chat.waitFor('take');
  await box().pressSequentially('@term');
  await options().getByText('Terminal').waitFor();
});

describe('chips', () => {
  it('show the size that the host has found, in the name it has found, and what is not there', async () => {
    await open();
    await chat.send({
      type: 'attached',
      attachments: [
        { path: 'file:///w/src/a.ts', label: 'a.ts' },
        { path: '/w/gone.ts', label: 'gone.ts' },
      ],
    });
    const [measure] = await chat.waitFor('measure');
    const of = measure?.attachments ?? [];
    await button('Remove gone.ts').waitFor();
    await chat.send({
      type: 'measured',
      of,
      attachments: [
        { path: '/w/src/a.ts', label: 'src/a.ts', tokens: 420 },
        { path: '/w/gone.ts', label: 'gone.ts', error: 'It is not there.' },
      ],
    });
    await button('Open src/a.ts, 420 tokens').waitFor();
    await button('Open gone.ts, It is not there.').waitFor();
  });

  it('stay gone when they were removed before their size came', async () => {
    await open();
    const file = { path: '/w/a.ts', label: 'a.ts' };
    await chat.send({ type: 'attached', attachments: [file] });
    await button('Remove a.ts').click();
    await chat.send({ type: 'measured', of: [file], attachments: [{ ...file, tokens: 1 }] });
    expect(await chips().count()).toBe(0);
  });

  it('are removed by keyboard: Backspace in an empty box goes to the last one, again removes it', async () => {
    await open();
    await chat.send({
      type: 'attached',
      attachments: ['a.ts', 'b.ts'].map((label) => ({ path: `/w/${label}`, label, tokens: 1 })),
    });
    await box().focus();
    await box().press('Backspace');
    expect(await chat.page.evaluate(() => document.activeElement?.ariaLabel)).toBe('Remove b.ts');
    await chat.page.keyboard.press('Backspace');
    expect(await chat.page.evaluate(() => document.activeElement?.ariaLabel)).toBe('Remove a.ts');
    await chat.page.keyboard.press('Delete');
    await until('the focus in the box', () => box().evaluate((element) => element === document.activeElement));
    expect(await chips().count()).toBe(0);
    await box().press('Backspace');
  });

  it('show markup in a name as it is', async () => {
    await open();
    const label = '<img src=x onerror="document.title=1"> & <b>bold</b>';
    await chat.send({ type: 'attached', attachments: [{ kind: 'session', path: '/h/1.md', label, tokens: 12 }] });
    await button(`Remove ${label}`).waitFor();
    expect(await chat.page.locator('.composer img, .composer b').count()).toBe(0);
  });

  it('are looked at anew after a reload: a file may be gone since', async () => {
    await open();
    await chat.send({ type: 'attached', attachments: [{ path: '/w/a.ts', label: 'a.ts', tokens: 9 }] });
    await chat.reload();
    await chat.snapshot();
    expect((await chat.waitFor('measure'))[0]?.attachments).toMatchObject([{ path: '/w/a.ts', tokens: 9 }]);
  });
});

describe('long texts', () => {
  it('become an attachment that opens and goes back into the text', async () => {
    await open();
    const text = Array.from({ length: 50 }, (_, n) => `line ${String(n)}`).join('\n');
    await pasteText(text);
    const [take] = await chat.waitFor('take');
    expect(take?.source).toEqual({ kind: 'text', label: '“line 0”, 50 lines', value: text });
    const attachment: Attachment = { kind: 'text', path: '/h/1.txt', label: '“line 0”, 50 lines', tokens: 100 };
    await chat.send({ type: 'taken', id: take?.id ?? '', attachment });
    expect(await box().inputValue()).toBe('');
    await button('Put “line 0”, 50 lines into the message').click();
    expect((await chat.waitFor('unfold'))[0]?.path).toBe('/h/1.txt');
    expect(await chips().count()).toBe(0);
  });

  it('come back into the box when they cannot be kept, and short ones go there at once', async () => {
    await open();
    await pasteText('short');
    expect((await chat.posted()).some(({ type }) => type === 'take')).toBe(false);
    const text = 'x'.repeat(3_000);
    await pasteText(text);
    const [take] = await chat.waitFor('take');
    await chat.send({ type: 'notTaken', id: take?.id ?? '', reason: 'The disk is full.' });
    await refusal().getByText('The disk is full.').waitFor();
    expect(await box().inputValue()).toBe(text);
  });

  it('of a megabyte are attached at once, and a typed message of more than that is refused with its words kept', async () => {
    await open();
    await pasteText('word '.repeat(250_000));
    expect((await chat.waitFor('take'))[0]?.source.value).toHaveLength(1_250_000);
    await button(/^Remove/).click();
    await box().evaluate((element: HTMLTextAreaElement) => {
      element.value = 'x'.repeat(1_000_001);
      element.dispatchEvent(new Event('input', { bubbles: true }));
    });
    await box().press('Enter');
    await refusal().getByText('longer than a million characters').waitFor();
    expect((await box().inputValue()).length).toBe(1_000_001);
    expect(await prompts()).toEqual([]);
  });
});

describe('images', () => {
  it('are pasted, and scaled down to 2,000 pixels', async () => {
    await open();
    await givePictures('paste', 1, 3_000, 1_500);
    const [take] = await chat.waitFor('take');
    expect(take?.source).toMatchObject({ kind: 'image', label: 'Pasted image 1' });
    expect(await sizeOf(take?.source.value ?? '')).toEqual([2_000, 1_000]);
  });

  it('are dropped under their names, and left as they are where they fit', async () => {
    await open();
    await givePictures('drop', 1, 300, 200, 'shot.png');
    const [take] = await chat.waitFor('take');
    expect(take?.source.label).toBe('shot.png');
    expect(await sizeOf(take?.source.value ?? '')).toEqual([300, 200]);
  });

  it('are twenty at most', async () => {
    await open();
    await givePictures('paste', 50);
    await refusal().getByText('A message carries 20 images at most; 30 were left out.').waitFor();
    await chat.waitFor('take', 20);
    expect(await chips().count()).toBe(20);
  });

  it('that were attached as files are twenty at most, too', async () => {
    await open();
    const of = Array.from({ length: 50 }, (_, n) => ({ path: `/w/${String(n)}.png`, label: `${String(n)}.png` }));
    await chat.send({ type: 'attached', attachments: of });
    expect(await chips().count()).toBe(50);
    const attachments = of.map((file): Attachment => ({ ...file, kind: 'image', tokens: 1_600 }));
    await chat.send({ type: 'measured', of, attachments });
    await refusal().getByText('30 were left out.').waitFor();
    expect(await chips().count()).toBe(20);
  });

  it('from a file that is too large are made smaller in its place', async () => {
    await open();
    const of: Attachment = { kind: 'image', path: '/w/big.png', label: 'big.png', tokens: 1_600 };
    await chat.send({ type: 'attached', attachments: [of] });
    const data = await chat.page.evaluate(() => {
      const canvas = Object.assign(document.createElement('canvas'), { width: 2_500, height: 10 });
      return canvas.toDataURL('image/png').split(',')[1] ?? '';
    });
    await chat.send({ type: 'shrink', of, data });
    const [take] = await chat.waitFor('take');
    expect(take?.source).toMatchObject({ kind: 'image', label: 'big.png' });
    expect(await sizeOf(take?.source.value ?? '')).toEqual([2_000, 8]);
    expect(await chips().count()).toBe(1);
  });

  it('that are none are refused by name', async () => {
    await open();
    await box().evaluate((element) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(['no picture'], 'odd.png', { type: 'image/png' }));
      element.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    });
    await refusal().getByText('odd.png is not attached: it is no image that can be shown here.').waitFor();
    expect(await chips().count()).toBe(0);
  });
});

describe('dragging', () => {
  const drag = (type: string, kind: string) =>
    box().evaluate(
      (element, given) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.setData(given.kind, 'file:///w/a%20b\r\nfile:///w/%E0%A4%A');
        element.dispatchEvent(new DragEvent(given.type, { dataTransfer, bubbles: true, cancelable: true }));
      },
      { type, kind },
    );

  it('shows how to drop, also with Shift, and goes when nothing is dragged any more', async () => {
    await open();
    await drag('dragenter', 'text/plain');
    expect(await chat.page.getByText('Drop to attach').count()).toBe(0);
    await drag('dragover', 'text/uri-list');
    await chat.page.getByText('From VS Code’s explorer and editors, hold Shift').waitFor();
    await chat.page.getByText('Drop to attach').waitFor({ state: 'detached' });
  });

  it('takes several, whatever their names', async () => {
    await open();
    await drag('drop', 'text/uri-list');
    await button('Remove a b').waitFor();
    await button('Remove %E0%A4%A').waitFor();
  });
});

describe('what is selected in the editor', () => {
  const attachment: Attachment = { path: '/w/src/a.ts', label: 'src/a.ts', startLine: 10, endLine: 20 };

  it('is offered, added by a click or a key, and never sent by itself', async () => {
    await open();
    await chat.send({ type: 'selection', attachment });
    await button('Add src/a.ts:10–20').waitFor();
    await box().fill('Hello');
    await box().press('Enter');
    expect((await prompts())[0]).toMatchObject({ attachments: [] });
    await button('Add src/a.ts:10–20').click();
    await button('Remove src/a.ts:10–20').click();
    await box().press('Alt+s');
    await button('Remove src/a.ts:10–20').waitFor();
    expect(await button('Add src/a.ts:10–20').count()).toBe(0);
    expect(await box().inputValue()).toBe('');
  });

  it('goes away with the selection', async () => {
    await open();
    await chat.send({ type: 'selection', attachment });
    await button('Add src/a.ts:10–20').waitFor();
    await chat.send({ type: 'selection', attachment: null });
    expect(await chips().count()).toBe(0);
  });
});

describe('what the context is filled with', () => {
  it('opens with its parts, what is large, and what makes room', async () => {
    await open({ state: richState });
    await button('What is in the context, 24 %').click();
    const panel = chat.page.getByRole('dialog', { name: 'What is in the context' });
    await chat.waitFor('listPieces');
    await chat.send({
      type: 'pieces',
      attachments: 3_000,
      pieces: [{ kind: 'result', label: 'read_file: src/big.ts', tokens: 12_000, index: 4 }],
    });
    expect(await panel.getByRole('row', { name: /History 38k tokens 19 %/ }).count()).toBe(1);
    expect(await panel.getByRole('row', { name: /of it attached 3k tokens/ }).count()).toBe(1);
    await panel.getByRole('button', { name: /read_file: src\/big.ts/ }).click();
    expect((await chat.waitFor('goTo'))[0]?.index).toBe(4);
    await panel.waitFor({ state: 'detached' });

    await button('What is in the context, 24 %').press('Enter');
    await panel.getByRole('button', { name: /^Compact now/ }).press('Enter');
    expect((await prompts())[0]).toMatchObject({ text: '/compact' });
    await button('What is in the context, 24 %').press('Enter');
    await panel.getByRole('button', { name: /^MCP servers/ }).click();
    expect((await chat.waitFor('openView'))[0]?.view).toBe('servers');
    await button('What is in the context, 24 %').press('Enter');
    await chat.page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    expect(await box().evaluate((element) => element === document.activeElement)).toBe(true);
  });
});
